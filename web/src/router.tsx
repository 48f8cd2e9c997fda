// The routes of the pages. The server knows the same paths: src/api/http/panel.ts.
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { AdminArea, AdminPage, AdminStart } from './admin/admin-area.tsx'
import { ADMIN_PAGES } from './admin/admin-pages.ts'
import { isSignedOut } from './api.ts'
import { readChatState } from './pages/chat/chat-state.ts'
import { NotFound } from './pages/not-found/not-found.tsx'
import { McpOAuthCallback, readMcpOAuthCallbackParams } from './pages/oauth-callback/mcp-oauth-callback.tsx'
import { OAuthCallback, readOAuthCallbackParams } from './pages/oauth-callback/oauth-callback.tsx'
import { readReaderState } from './pages/reader/reader-state.ts'
import { SearchPage } from './pages/search/search-page.tsx'
import { readSearchState } from './pages/search/search-state.ts'
import { lazyPage } from './parts/lazy-page.ts'
import { ErrorAlert } from './parts/states.tsx'
import { adoptPreferences, loadAgain } from './preferences.ts'
import { meQuery } from './session.ts'
import { Shell } from './shell/shell.tsx'
import { loadAdminTexts } from './text/load-texts.ts'

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: () => (
    <main className="shell-main">
      <NotFound />
    </main>
  ),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readSignInState,
  component: lazyPage(() => import('./pages/sign-in/sign-in.tsx'), 'SignIn'),
})

interface SignInState {
  next?: string
  /** Why the sign-in with the provider failed. */
  failure?: string
  provider?: string
}

function readSignInState({ next, failure, provider }: Record<string, unknown>): SignInState {
  return {
    ...(typeof next === 'string' && { next }),
    ...(typeof failure === 'string' && { failure }),
    ...(typeof provider === 'string' && { provider }),
  }
}

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyPage(() => import('./pages/sign-in/request-link.tsx'), 'ForgotPassword'),
})
const requestAccount = createRoute({
  getParentRoute: () => root,
  path: '/register',
  component: lazyPage(() => import('./pages/sign-in/request-link.tsx'), 'RequestAccount'),
})
const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyPage(() => import('./pages/welcome/welcome.tsx'), 'Welcome'),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context: { queryClient }, location }) => {
    try {
      const { preferences } = await queryClient.ensureQueryData(meQuery)
      if (adoptPreferences(preferences)) await loadAgain(location.href)
    } catch (error) {
      if (!isSignedOut(error)) throw error
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
    }
  },
  errorComponent: ({ error }) => (
    <main className="shell-main">
      <ErrorAlert error={error} retry={() => window.location.reload()} />
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
  component: lazyPage(() => import('./pages/chat/chat-page.tsx'), 'ChatPage'),
})
const projects = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects',
  component: lazyPage(() => import('./pages/projects/projects-page.tsx'), 'ProjectsPage'),
})
const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$project_id',
  component: lazyPage(() => import('./pages/projects/project-page.tsx'), 'ProjectPage'),
})
/** The browser extension of the existing server opens the chat under these paths. */
const newTab = createRoute({ getParentRoute: () => signedIn, path: '/nrf', beforeLoad: redirectToChat })
const sidePanel = createRoute({ getParentRoute: () => signedIn, path: '/nrf/side-panel', beforeLoad: redirectToChat })

function redirectToChat(): never {
  throw redirect({ to: '/chat/{-$chat_session_id}', params: { chat_session_id: undefined }, replace: true })
}

const admin = createRoute({
  getParentRoute: () => signedIn,
  id: 'admin',
  beforeLoad: loadAdminTexts,
  component: AdminArea,
})
const adminStart = createRoute({ getParentRoute: () => admin, path: '/admin', component: AdminStart })
/** Each page reads its own search parameters. */
const adminPage = createRoute({
  getParentRoute: () => admin,
  path: '/admin/$page/{-$id}',
  validateSearch: (search: Record<string, unknown>) => search,
  loader: ({ params }) => ADMIN_PAGES.find((it) => it.name === params.page)?.component.preload?.(),
  component: AdminPage,
})
const connector = createRoute({
  getParentRoute: () => admin,
  path: '/admin/connector/$cc_pair_id',
  component: lazyPage(() => import('./pages/connector/connector-page.tsx'), 'ConnectorPage'),
})

const sources = createRoute({
  getParentRoute: () => signedIn,
  path: '/sources',
  component: lazyPage(() => import('./pages/sources/sources-page.tsx'), 'SourcesPage'),
})

const reader = createRoute({
  getParentRoute: () => signedIn,
  path: '/document',
  validateSearch: readReaderState,
  component: lazyPage(() => import('./pages/reader/reader-page.tsx'), 'ReaderPage'),
})

const ownDocuments = createRoute({
  getParentRoute: () => signedIn,
  path: '/my-documents',
  component: lazyPage(() => import('./pages/own-documents/own-documents-page.tsx'), 'OwnDocumentsPage'),
})

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyPage(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
})

const agents = createRoute({
  getParentRoute: () => signedIn,
  path: '/agents/{-$id}',
  component: lazyPage(() => import('./pages/agents/agents-page.tsx'), 'AgentsPage'),
})

const oauthCallback = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth-config/callback',
  validateSearch: readOAuthCallbackParams,
  component: OAuthCallback,
})

const mcpOAuthCallback = createRoute({
  getParentRoute: () => signedIn,
  path: '/mcp/oauth/callback',
  validateSearch: readMcpOAuthCallbackParams,
  component: McpOAuthCallback,
})

const tree = root.addChildren([
  signIn,
  forgotPassword,
  requestAccount,
  welcome,
  signedIn.addChildren([
    search,
    chat,
    projects,
    project,
    newTab,
    sidePanel,
    admin.addChildren([adminStart, adminPage, connector]),
    sources,
    reader,
    ownDocuments,
    account,
    agents,
    oauthCallback,
    mcpOAuthCallback,
  ]),
])

/** Repeated parameters become an array: `?source=web&source=jira`. */
function parseSearch(text: string): Record<string, string | string[]> {
  const pairs = [...new URLSearchParams(text)]
  const names = [...new Set(pairs.map(([name]) => name))]
  const valuesOf = (name: string) => pairs.filter(([it]) => it === name).map(([, value]) => value)
  return Object.fromEntries(names.map((name) => [name, oneOrAll(valuesOf(name))]))
}

function oneOrAll(values: string[]): string | string[] {
  const [first, ...others] = values
  return first !== undefined && others.length === 0 ? first : values
}

function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, it]) => [it].flat().map((value) => [name, value] as const))
  const given = pairs.filter(([, value]) => value !== undefined && value !== null)
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

export const createAppRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { queryClient },
    defaultPreload: 'intent',
    scrollRestoration: false,
    parseSearch,
    stringifySearch,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
