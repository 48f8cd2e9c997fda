import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { deleteAuthSession } from '../../src/client/operations.ts'
import { api } from './api.ts'
import { Brand } from './parts/brand.tsx'
import { ColorSchemeButton } from './parts/color-scheme.tsx'
import { Icon } from './parts/icon.tsx'
import { may, useMe } from './session.ts'

export function Shell() {
  const me = useMe()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const main = useFocusOnNewPage()
  const signOut = async () => {
    // Where the session has ended already, signing in is what is left as well.
    await deleteAuthSession(api).catch(() => {})
    queries.clear()
    await navigate({ to: '/sign-in' })
  }
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="shell-header">
        <div className="shell-bar">
          <Link to="/" className="shell-brand">
            <Brand />
            Pharos
          </Link>
          <nav className="shell-nav" aria-label="Pages">
            <PageLink to="/" isExact>
              Search
            </PageLink>
            {may(me, 'chat') && <PageLink to="/chat/{-$chat_session_id}">Chat</PageLink>}
            {may(me, 'connectors') && <PageLink to="/admin/connectors">Connectors</PageLink>}
            {may(me, 'ingest') && <PageLink to="/admin/ingestion">Ingestion</PageLink>}
          </nav>
          <div className="row shell-tools">
            <ColorSchemeButton />
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              fw={500}
              leftSection={<Icon name="out" size={16} />}
              onClick={signOut}
              title={me === undefined ? undefined : `Signed in as ${me.email ?? me.role}`}
            >
              Sign out
            </Button>
          </div>
        </div>
      </header>
      <main className="shell-main" id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
    </>
  )
}

const PageLink = ({ to, isExact = false, children }: { to: string; isExact?: boolean; children: ReactNode }) => (
  <Link to={to} activeOptions={{ exact: isExact, includeSearch: false }} activeProps={{ 'aria-current': 'page' }}>
    {children}
  </Link>
)

/** Who cannot see that the page has changed hears it; the first page has its own place for the focus. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null)
  // A new chat gets an address of its own while somebody writes in it.
  const pathname = useRouterState({ select: (it) => it.location.pathname.replace(/^\/chat\/.*/, '/chat') })
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    main.current?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [pathname])
  return main
}
