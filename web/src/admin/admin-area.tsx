// The frame of the administration pages, and a sentence for people who may not open one of them.
import { Link, Navigate, Outlet, useParams } from '@tanstack/react-router'
import { NotFound } from '../pages/not-found/not-found.tsx'
import { EmptyState } from '../parts/states.tsx'
import { hasPermission, useMe } from '../session.ts'
import { textsOf } from '../text/texts.ts'
import { AdminNavigation } from './admin-navigation.tsx'
import { ADMIN_PAGES, allowedPages } from './admin-pages.ts'
import './admin.css'

export function AdminArea() {
  const hasPages = allowedPages(useMe()).length > 0
  return (
    <div className="admin">
      {hasPages && <AdminNavigation />}
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
