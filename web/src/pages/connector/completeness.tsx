// Compares what the source has with what Pharos has, and names the documents that are missing.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { listMissingDocuments, reindexDocuments } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { DocumentList } from './document-list.tsx'

export function Completeness({ pair }: { pair: CCPairFullInfo }) {
  const t = textsOf('admin.connector.missing')
  const queryClient = useQueryClient()
  const [listedAt, setListedAt] = useState<string | null>(null)
  const { source_documents, counted_at, indexed_documents } = pair.pull.completeness
  const read = useMutation({
    mutationFn: (document_id: string) =>
      reindexDocuments(api, { body: { targets: [{ cc_pair_id: pair.id, document_id }] } }),
    onSettled: () => queryClient.invalidateQueries(),
  })
  const counts =
    source_documents === null
      ? t('not_counted')
      : t.rich('counts', {
          source: source_documents,
          indexed: indexed_documents,
          time: () => <Time at={counted_at} />,
        })
  return (
    <>
      <DocumentList
        title={t('title')}
        help={
          <>
            {counts} {t('help')}
          </>
        }
        none={
          <>
            {counts} {listedAt === null ? t('not_listed') : t('none')}
          </>
        }
        about={t('cause')}
        queryKey={['pair', pair.id, 'missing']}
        load={async (page) => {
          const { items, total_items, listed_at } = await listMissingDocuments(api, { cc_pair_id: pair.id, ...page })
          setListedAt(listed_at)
          const documents = items.map((it) => ({
            key: it.document_id,
            document_id: it.document_id,
            link: it.document_id,
            text: it.reason === null ? t(`causes.${it.cause}`) : t(`causes_with.${it.cause}`, { reason: it.reason }),
            time: null,
          }))
          return { items: documents, total_items }
        }}
        onRetry={(row) => read.mutate(row.document_id ?? '')}
      />
      {read.isError && <ErrorAlert error={read.error} />}
    </>
  )
}
