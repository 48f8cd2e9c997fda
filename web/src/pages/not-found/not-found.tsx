import { useEffect } from 'react'
import { EmptyState } from '../../parts/states.tsx'

export function NotFound() {
  useEffect(() => {
    document.title = 'Page not found · Pharos'
  }, [])
  return (
    <EmptyState icon="document" title="Page not found" heading="h1">
      Check the address, or <a href="/">go to search</a>.
    </EmptyState>
  )
}
