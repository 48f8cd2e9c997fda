import './styles.ts'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isSignedOut, Unreachable } from './api.ts'
import { createPages } from './pages.tsx'

const MAX_TRIES = 3

/** Whatever is asked: when the session is over, the way is to sign in. */
const onError = (error: unknown) => {
  if (!isSignedOut(error) || router.state.location.pathname === '/sign-in') return
  queries.clear()
  void router.navigate({ to: '/sign-in', search: { next: router.state.location.href } })
}

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the service has answered, it would answer again.
      retry: (count, error) => error instanceof Unreachable && count < MAX_TRIES,
    },
  },
})
const router = createPages(queries)
const schemes = localStorageColorSchemeManager({ key: 'pharos-color-scheme' })

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    {/* No style element of its own: the policy of the page takes styles from files only. */}
    <MantineProvider
      colorSchemeManager={schemes}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
