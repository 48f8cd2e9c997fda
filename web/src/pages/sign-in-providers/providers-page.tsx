// Providers with which people sign in, for administrators.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { listSignInProvidersForAdmin } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { NewProvider } from './new-provider.tsx'
import { ProviderCard } from './provider-card.tsx'
import './providers.css'

export function ProvidersPage() {
  const [isAdding, setIsAdding] = useState(false)
  const providers = useQuery({
    queryKey: ['sign-in-providers', 'admin'],
    queryFn: ({ signal }) => listSignInProvidersForAdmin(api, { signal }),
  })
  useEffect(() => {
    document.title = 'Sign-in providers · Pharos'
  }, [])
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>Sign-in providers</h1>
          <p>People sign in with the directory of your company. Test a provider before you switch it on.</p>
        </div>
        {!isAdding && <Button onClick={() => setIsAdding(true)}>Add a provider</Button>}
      </div>
      {isAdding && <NewProvider onDone={() => setIsAdding(false)} />}
      {providers.isPending && <LoadingSkeleton />}
      {providers.isError && <ErrorAlert error={providers.error} retry={() => void providers.refetch()} />}
      {providers.data?.length === 0 && !isAdding && (
        <EmptyState icon="document" title="No provider yet">
          People sign in with a password or a key.
        </EmptyState>
      )}
      {providers.data?.map((it) => (
        <ProviderCard key={it.id} provider={it} />
      ))}
    </div>
  )
}
