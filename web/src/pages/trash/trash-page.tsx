// Deleted documents, which can be restored until they expire.
import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listTrash } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { EmptyTrash } from './empty-trash.tsx'
import { NO_FILTER, type TrashFields, TrashFilters } from './trash-filters.tsx'
import { TrashTable } from './trash-table.tsx'
import './trash.css'

const PAGE_SIZE = 50
/** The service is asked when nothing was typed for so long. */
const TYPING_MS = 250

export function TrashPage() {
  const t = textsOf('admin.trash')
  const [fields, setFields] = useState(NO_FILTER)
  const [asked] = useDebouncedValue(fields, TYPING_MS)
  /** Says how the last action ended. */
  const [notice, setNotice] = useState('')
  const trash = useTrash(asked)
  useTitle(t('title'))
  const items = trash.data?.pages.flatMap((it) => it.items)
  const isFiltered = Object.values(asked).some((it) => it !== '')
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
        {items !== undefined && items.length > 0 && <EmptyTrash onDone={setNotice} />}
      </div>
      {(isFiltered || items === undefined || items.length > 0) && <TrashFilters fields={fields} onChange={setFields} />}
      <p role="status" className="long-text" hidden={notice === ''}>
        {notice}
      </p>
      {trash.isError && <ErrorAlert error={trash.error} retry={() => void trash.refetch()} />}
      {trash.isPending && <LoadingSkeleton lines={6} />}
      {items?.length === 0 && <EmptyState icon="trash" title={isFiltered ? t('none') : t('nothing')} />}
      {items !== undefined && items.length > 0 && (
        <section className="card">
          <TrashTable items={items} onDone={setNotice} />
          {trash.hasNextPage && (
            <div className="section-end">
              <Button
                variant="default"
                size="xs"
                loading={trash.isFetchingNextPage}
                onClick={() => void trash.fetchNextPage()}
              >
                {textsOf('parts')('show_more')}
              </Button>
            </div>
          )}
        </section>
      )}
    </div>
  )
}

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** The documents that were deleted last. */
const firstPage = (): string | null => null

const useTrash = ({ title, deleted_by }: TrashFields) =>
  useInfiniteQuery({
    queryKey: ['trash', title, deleted_by],
    queryFn: ({ signal, pageParam }) =>
      listTrash(api, {
        limit: PAGE_SIZE,
        after: pageParam,
        title: textOrNull(title),
        deleted_by: textOrNull(deleted_by),
        signal,
      }),
    initialPageParam: firstPage(),
    getNextPageParam: (last) => last.next_after,
  })
