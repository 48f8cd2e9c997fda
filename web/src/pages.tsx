// Which address shows what. The server knows the same addresses: src/api/panel.ts.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { isSignedOut } from './api.ts'
import { readChatState } from './chat/chat-state.ts'
import { Connected, readReturned } from './connected.tsx'
import { ConnectedServer, readSignedIn } from './connected-server.tsx'
import { Empty, Failure } from './parts/states.tsx'
import { SearchPage } from './search/search-page.tsx'
import { readSearchState } from './search/search-state.ts'
import { meQuery } from './session.ts'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  notFoundComponent: () => (
    <Empty icon="document" title="There is no such page">
      The address may be misspelt. <a href="/">Go to search</a>.
    </Empty>
  ),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search.next === 'string' ? { next: search.next } : {},
  component: SignIn,
})

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context: { queries }, location }) => {
    try {
      await queries.ensureQueryData(meQuery)
    } catch (error) {
      if (!isSignedOut(error)) throw error
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
    }
  },
  errorComponent: ({ error }) => (
    <main className="shell-main">
      <Failure error={error} retry={() => window.location.reload()} />
    </main>
  ),
  component: Shell,
})

const search = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: readSearchState,
  component: SearchPage,
})
const chat = createRoute({
  getParentRoute: () => signedIn,
  path: '/chat/{-$chat_session_id}',
  validateSearch: readChatState,
  component: lazyRouteComponent(() => import('./chat/chat-page.tsx'), 'ChatPage'),
})
const connectors = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/connectors',
  component: lazyRouteComponent(() => import('./connectors/connectors-page.tsx'), 'ConnectorsPage'),
})
const connector = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/connector/$cc_pair_id',
  component: lazyRouteComponent(() => import('./connectors/connector-page.tsx'), 'ConnectorPage'),
})
const ingestion = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/ingestion',
  component: lazyRouteComponent(() => import('./ingestion/ingestion-page.tsx'), 'IngestionPage'),
})

const connected = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth-config/callback',
  validateSearch: readReturned,
  component: Connected,
})

const connectedServer = createRoute({
  getParentRoute: () => signedIn,
  path: '/mcp/oauth/callback',
  validateSearch: readSignedIn,
  component: ConnectedServer,
})

const tree = root.addChildren([
  signIn,
  signedIn.addChildren([search, chat, connectors, connector, ingestion, connected, connectedServer]),
])

/** `?source=web&source=jira`, as people write addresses. */
function parseSearch(text: string): Record<string, string | string[]> {
  const pairs = [...new URLSearchParams(text)]
  const names = [...new Set(pairs.map(([name]) => name))]
  const valuesOf = (name: string) => pairs.filter(([it]) => it === name).map(([, value]) => value)
  return Object.fromEntries(
    names.map((name) => [name, valuesOf(name)] as const).map(([name, it]) => [name, it.length === 1 ? it[0]! : it]),
  )
}

function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, it]) => [it].flat().map((value) => [name, value] as const))
  const given = pairs.filter(([, value]) => value !== undefined && value !== null)
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

export const createPages = (queries: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { queries },
    defaultPreload: 'intent',
    scrollRestoration: false,
    parseSearch,
    stringifySearch,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>
  }
}
