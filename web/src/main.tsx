import './shell/styles.ts'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import {
  focusManager,
  MutationCache,
  type Query,
  QueryCache,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isSignedOut, UnreachableError } from './api.ts'
import { showDensity } from './preferences.ts'
import { createAppRouter } from './router.tsx'
import { language } from './text/language.ts'
import { loadTexts } from './text/load-texts.ts'

/** How often a page retries while the service is unreachable. */
const RETRY_MS = 3_000

/** When the session has ended, any failed request leads to the sign-in page. */
const onError = (error: unknown) => {
  if (!isSignedOut(error) || router.state.location.pathname === '/sign-in') return
  queryClient.clear()
  void router.navigate({ to: '/sign-in', search: { next: router.state.location.href } })
}

const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Requests fail at once when the network is down, so that the page can say so. By default the library pauses them.
      networkMode: 'always',
      // One retry covers a restart of the service. An error response would only come again.
      retry: (count, error) => error instanceof UnreachableError && count < 1,
      retryDelay: 500,
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
})
/** For every request, also for those that have an interval of their own. */
setInterval(() => {
  if (!focusManager.isFocused()) return
  const predicate = ({ state }: Query) => state.error instanceof UnreachableError
  void queryClient.refetchQueries({ type: 'active', predicate }, { cancelRefetch: false })
}, RETRY_MS)
const router = createAppRouter(queryClient)
const schemes = localStorageColorSchemeManager({ key: 'pharos-color-scheme' })

document.documentElement.lang = language
showDensity()
// The account is asked for while the texts arrive. Nothing waits at the top of this module: the files of the other pages
// import the one that it is in, and would wait for it in turn.
void router.load()
void loadTexts().then(render)

function render(): void {
  // `index.html` has the element.
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      {/* No style elements: the content security policy allows styles from files only. */}
      <MantineProvider
        colorSchemeManager={schemes}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
        withStaticClasses={false}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
