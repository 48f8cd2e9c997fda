// The passages that searches rank, each with the state of its vector.
import { Badge, Pagination } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listDocumentChunks } from '../../../../src/client/operations.ts'
import type { DocumentChunkPage } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { TextClosed } from './text-closed.tsx'

const PAGE_SIZE = 20
type Passage = DocumentChunkPage['items'][number]
const COLORS: Record<Passage['vector'], string> = {
  stored: 'green',
  missing: 'yellow',
  not_needed: 'gray',
  off: 'gray',
}

export function DocumentChunks({ document_id, isOpen }: { document_id: string; isOpen: boolean }) {
  const t = textsOf('admin.documents.passages')
  const [page, setPage] = useState(1)
  const chunks = useQuery({
    queryKey: ['receipts', 'chunks', document_id, page],
    queryFn: ({ signal }) =>
      listDocumentChunks(api, { document_id, offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE, signal }),
    placeholderData: keepPreviousData,
    enabled: isOpen,
  })
  if (!isOpen) return <TextClosed />
  if (chunks.isError) return <ErrorAlert error={chunks.error} retry={() => void chunks.refetch()} />
  if (chunks.isPending) return <LoadingSkeleton lines={8} />
  const { items, total_items } = chunks.data
  return (
    <section className="card card-pad stack" aria-labelledby="passages">
      <h2 id="passages">{t('title')}</h2>
      <p className="dimmed small">{t('help', { count: total_items })}</p>
      <ol className="document-passages" start={(page - 1) * PAGE_SIZE + 1}>
        {items.map((it) => (
          <PassageItem key={it.chunk_ind} passage={it} />
        ))}
      </ol>
      {total_items > PAGE_SIZE && (
        <Pagination
          value={page}
          onChange={setPage}
          total={Math.ceil(total_items / PAGE_SIZE)}
          size="sm"
          getItemProps={(number) => ({ 'aria-label': t('page', { number }) })}
          getControlProps={(control) => ({
            'aria-label': textsOf('parts')(control === 'previous' ? 'previous_page' : 'next_page'),
          })}
        />
      )}
    </section>
  )
}

function PassageItem({ passage: { chunk_ind, content, vector } }: { passage: Passage }) {
  const t = textsOf('admin.documents.passages')
  return (
    <li>
      <div className="document-section-head small dimmed">
        <span>{t('passage', { number: chunk_ind + 1 })}</span>
        <span>{t('characters', { count: content.length })}</span>
        <Badge variant="light" tt="none" color={COLORS[vector]}>
          {t(`vectors.${vector}`)}
        </Badge>
      </div>
      <p className="document-text" dir="auto">
        {content}
      </p>
    </li>
  )
}
