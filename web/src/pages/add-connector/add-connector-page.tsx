// Connects a source: a gallery of all kinds, then a form for the one that was chosen.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { listConnectorSources } from '../../../../src/client/operations.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { api } from '../../api.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { ConnectSource } from './connect-source.tsx'
import { Gallery } from './gallery.tsx'
import './add-connector.css'

export function AddConnectorPage({ id }: AdminPageProps) {
  const t = textsOf('admin.add_connector')
  const kinds = useQuery({
    queryKey: ['connector-sources'],
    queryFn: ({ signal }) => listConnectorSources(api, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => {
    document.title = t('document_title')
  }, [t])
  if (kinds.data === undefined)
    return (
      <>
        <div className="page-head">
          <h1>{t('title')}</h1>
        </div>
        {kinds.isError ? (
          <ErrorAlert error={kinds.error} retry={() => void kinds.refetch()} />
        ) : (
          <LoadingSkeleton lines={8} />
        )}
      </>
    )
  if (id === undefined) return <Gallery kinds={kinds.data} />
  const kind = kinds.data.find((it) => it.source === id || it.aliases.includes(id))
  if (kind !== undefined) return <ConnectSource key={kind.source} kind={kind} />
  return (
    <EmptyState icon="search" title={t('unknown_title')} heading="h1">
      {t.rich('unknown_help', { link: (text) => <AdminLink page="add-connector">{text}</AdminLink> })}
    </EmptyState>
  )
}
