// The frame of the administration pages: their navigation, and a sentence for people who may not open a page.
import { Link, Navigate, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { NotFound } from '../pages/not-found/not-found.tsx'
import { EmptyState } from '../parts/states.tsx'
import { hasPermission, useMe } from '../session.ts'
import { textsOf } from '../text/texts.ts'
import { AdminLink } from './admin-link.tsx'
import { ADMIN_PAGES, allowedPages } from './admin-pages.ts'
import { AlertBadge } from './alert-badge.tsx'
import './admin.css'

export function AdminArea() {
  const t = textsOf('admin.pages')
  const pages = allowedPages(useMe())
  const { pathname } = useLocation()
  const nav = useRef<HTMLElement>(null)
  // On a narrow screen the navigation scrolls sideways.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address decides which link is the current one.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <div className="admin">
      {pages.length > 0 && (
        <nav className="admin-nav" aria-label={textsOf('shell')('administration')} ref={nav}>
          {pages.map(({ name }) => (
            <AdminLink key={name} page={name}>
              {t(name)}
              {name === 'overview' && <AlertBadge />}
            </AdminLink>
          ))}
        </nav>
      )}
      <div className="admin-page">
        <Outlet />
      </div>
    </div>
  )
}

/** `/admin` is the first page that the person may open. */
export function AdminStart() {
  const [first] = allowedPages(useMe())
  if (first === undefined) return <NoAccess page={textsOf('shell')('administration')} />
  return <Navigate to="/admin/$page/{-$id}" params={{ page: first.name, id: undefined }} replace />
}

export function AdminPage() {
  const me = useMe()
  const { page: name, id } = useParams({ from: '/signed-in/admin/admin/$page/{-$id}' })
  const page = ADMIN_PAGES.find((it) => it.name === name)
  if (page === undefined || (id !== undefined && !page.hasObjects)) return <NotFound />
  if (!hasPermission(me, page.right)) return <NoAccess page={textsOf('admin.pages')(page.name)} />
  return <page.component id={id} />
}

function NoAccess({ page }: { page: string }) {
  const t = textsOf('admin.no_access')
  return (
    <EmptyState icon="key" title={t('title', { page })} heading="h1">
      {t.rich('help', { link: (text) => <Link to="/">{text}</Link> })}
    </EmptyState>
  )
}
