// Providers with which people sign in, for administrators.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listSignInProvidersForAdmin } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { NewProvider } from './new-provider.tsx'
import { ProviderCard } from './provider-card.tsx'
import './providers.css'

export function ProvidersPage() {
  const t = textsOf('admin.sign_in')
  const [isAdding, setIsAdding] = useState(false)
  const providers = useQuery({
    queryKey: ['sign-in-providers', 'admin'],
    queryFn: ({ signal }) => listSignInProvidersForAdmin(api, { signal }),
  })
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
        {!isAdding && <Button onClick={() => setIsAdding(true)}>{t('add')}</Button>}
      </div>
      {isAdding && <NewProvider onDone={() => setIsAdding(false)} />}
      {providers.isPending && <LoadingSkeleton />}
      {providers.isError && <ErrorAlert error={providers.error} retry={() => void providers.refetch()} />}
      {providers.data?.length === 0 && !isAdding && (
        <EmptyState icon="document" title={t('none')}>
          {t('none_help')}
        </EmptyState>
      )}
      {providers.data?.map((it) => (
        <ProviderCard key={it.id} provider={it} />
      ))}
    </div>
  )
}
