// Groups of documents that say nearly the same, so that all but one of each can go.
import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listNearDuplicates } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { Group } from './group.tsx'
import { GroupFilters } from './group-filters.tsx'
import './near-duplicates.css'

const PAGE_SIZE = 25
const NO_FILTER = { source: null, cc_pair_id: null }

export interface GroupFilter {
  /** Null: all, as for the other one. */
  source: string | null
  cc_pair_id: number | null
}

export function NearDuplicatesPage() {
  const t = textsOf('admin.near_duplicates')
  const [filter, setFilter] = useState<GroupFilter>(NO_FILTER)
  const groups = useGroups(filter)
  const items = groups.data?.pages.flatMap((it) => it.items)
  const waiting = groups.data?.pages[0]?.waiting ?? 0
  const isFiltered = filter.source !== null || filter.cc_pair_id !== null
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
      </div>
      <section className="card" aria-labelledby="near-duplicates">
        <div className="section-head">
          <h2 id="near-duplicates">{t('groups')}</h2>
        </div>
        <GroupFilters filter={filter} onFilter={setFilter} />
        <p className="small dimmed near-waiting" role="status">
          {waiting > 0 && t('waiting', { count: waiting })}
        </p>
        {groups.isError && <ErrorAlert error={groups.error} retry={() => void groups.refetch()} />}
        {groups.isPending && <LoadingSkeleton lines={6} />}
        {items?.length === 0 && <EmptyState icon="filter" title={isFiltered ? t('none') : t('empty')} />}
        {items !== undefined && items.length > 0 && (
          <ul className="near-groups">
            {items.map((it) => (
              <Group key={it.group_id} group={it} />
            ))}
          </ul>
        )}
        {groups.hasNextPage && (
          <div className="section-end">
            <Button
              variant="default"
              size="xs"
              loading={groups.isFetchingNextPage}
              onClick={() => void groups.fetchNextPage()}
            >
              {textsOf('parts')('show_more')}
            </Button>
          </div>
        )}
      </section>
    </div>
  )
}

/** The newest groups. */
const firstPage = (): number | null => null
const REFRESH_MS = 15_000

/** Asks again while documents wait to be compared. */
const useGroups = (filter: GroupFilter) =>
  useInfiniteQuery({
    queryKey: ['near-duplicates', filter.source, filter.cc_pair_id],
    queryFn: ({ signal, pageParam }) =>
      listNearDuplicates(api, { ...filter, before: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: firstPage(),
    getNextPageParam: (last) => last.next_before ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages[0]?.waiting ?? 0) > 0 ? REFRESH_MS : false),
  })
