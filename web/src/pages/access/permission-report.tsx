// The permission report: four lists with their counts, and the state of the computation.
import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { computeAccessReport, getAccessReport } from '../../../../src/client/operations.ts'
import type { AccessReportPage, FindingCount } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, Time } from '../../parts/text.tsx'
import { FindingTable } from './finding-table.tsx'
import { PairFilter } from './pair-filter.tsx'

type List = AccessReportPage['list']

const LISTS: Record<List, { label: string; none: string }> = {
  unmatched_users: {
    label: 'Users of sources without a person',
    none: 'Every user of a source matches a person by the e-mail address.',
  },
  empty_groups: { label: 'Groups without readers', none: 'Every group that documents name has a member.' },
  unreadable_documents: {
    label: 'Documents that nobody can read',
    none: 'At least one person or key can read each document.',
  },
  open_documents: {
    label: 'Documents that everybody can read, although the source says otherwise',
    none: 'No document is more open than its source says, as far as connectors know it.',
  },
}

/** While a report is being computed. */
const REFRESH_MS = 1_000

export function PermissionReport({ onAsk }: { onAsk: (document_id: string) => void }) {
  const [list, setList] = useState<List>('unmatched_users')
  const [pair, setPair] = useState<number | null>(null)
  const report = useReport(list, pair)
  const page = report.data?.pages[0]
  return (
    <section className="card card-pad stack" aria-labelledby="permission-report">
      <div className="row access-report-head">
        <h2 id="permission-report">Permission report</h2>
        <Compute isComputing={page?.is_computing === true} />
      </div>
      {report.isError && <ErrorAlert error={report.error} retry={() => void report.refetch()} />}
      {report.isPending && <LoadingSkeleton lines={3} />}
      {page !== undefined && <State page={page} />}
      {page !== undefined && page.counts !== null && (
        <>
          <div className="row access-report-head">
            <NativeSelect
              label="List"
              className="access-select"
              value={list}
              onChange={({ currentTarget: { value } }) => isKeyOf(LISTS, value) && setList(value)}
              data={listOptions(page.counts)}
            />
            <PairFilter value={pair} onChange={setPair} />
          </div>
          {page.findings.length === 0 ? (
            <p className="dimmed">
              {pair === null ? LISTS[list].none : 'The report has nothing in this list about this connector.'}
            </p>
          ) : (
            <FindingTable
              label={LISTS[list].label}
              findings={report.data?.pages.flatMap((it) => it.findings) ?? []}
              onAsk={onAsk}
            />
          )}
          {report.hasNextPage && (
            <div className="section-end">
              <Button variant="default" loading={report.isFetchingNextPage} onClick={() => void report.fetchNextPage()}>
                Show more
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  )
}

const useReport = (list: List, pair: number | null) =>
  useInfiniteQuery({
    queryKey: ['access', 'report', list, pair],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => getAccessReport(api, { list, cc_pair_id: pair, cursor: pageParam, signal }),
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.is_computing === true ? REFRESH_MS : false),
  })

const listOptions = (counts: NonNullable<AccessReportPage['counts']>) =>
  Object.entries(LISTS).map(([value, { label }]) => ({
    value,
    label: isKeyOf(counts, value) ? `${label} (${countText(counts[value])})` : label,
  }))

const countText = ({ total, total_relation }: FindingCount) =>
  total_relation === 'gte' ? `at least ${formatCount(total)}` : formatCount(total)

function Compute({ isComputing }: { isComputing: boolean }) {
  const queryClient = useQueryClient()
  const compute = useMutation({
    mutationFn: () => computeAccessReport(api),
    // The pages that were loaded belong to the report before.
    onSuccess: () => queryClient.resetQueries({ queryKey: ['access', 'report'] }),
  })
  return (
    <>
      <Button variant="default" loading={compute.isPending || isComputing} onClick={() => compute.mutate()}>
        Compute the report
      </Button>
      {compute.isError && <ErrorAlert error={compute.error} />}
    </>
  )
}

function State({ page }: { page: AccessReportPage }) {
  const { is_computing, scanned_documents, has_failed, computed_at, documents } = page
  return (
    <p className="dimmed" role="status">
      {has_failed && 'The report could not be computed. The log of the service says why. '}
      {is_computing && `The report is being computed: ${formatCount(scanned_documents)} documents read so far. `}
      {computed_at === null ? (
        !is_computing && 'No report was computed since the service started. It reads the permissions of all documents.'
      ) : (
        <>
          Computed <Time at={computed_at} /> from {formatCount(documents ?? 0)} documents.
        </>
      )}
    </p>
  )
}
