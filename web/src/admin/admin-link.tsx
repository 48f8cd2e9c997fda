import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export const AdminLink = ({
  page,
  id,
  children,
  className,
}: {
  page: string
  id?: string
  children: ReactNode
  className?: string
}) => (
  <Link
    to="/admin/$page/{-$id}"
    params={{ page, id }}
    activeOptions={{ exact: false, includeSearch: false }}
    activeProps={{ 'aria-current': 'page' }}
    {...(className !== undefined && { className })}
  >
    {children}
  </Link>
)
