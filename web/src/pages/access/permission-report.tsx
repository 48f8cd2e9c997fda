// The permission report: four lists with their counts, and the state of the computation.
import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { computeAccessReport, getAccessReport } from '../../../../src/client/operations.ts'
import type { AccessReportPage } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { FindingTable } from './finding-table.tsx'
import { PairFilter } from './pair-filter.tsx'

type List = AccessReportPage['list']

const LISTS: readonly List[] = ['unmatched_users', 'empty_groups', 'unreadable_documents', 'open_documents']

/** While a report is being computed. */
const REFRESH_MS = 1_000

export function PermissionReport({ onAsk }: { onAsk: (document_id: string) => void }) {
  const t = textsOf('admin.access.report')
  const [list, setList] = useState<List>('unmatched_users')
  const [pair, setPair] = useState<number | null>(null)
  const report = useReport(list, pair)
  const page = report.data?.pages[0]
  return (
    <section className="card card-pad stack" aria-labelledby="permission-report">
      <div className="row access-report-head">
        <h2 id="permission-report">{t('title')}</h2>
        <Compute isComputing={page?.is_computing === true} />
      </div>
      {report.isError && <ErrorAlert error={report.error} retry={() => void report.refetch()} />}
      {report.isPending && <LoadingSkeleton lines={3} />}
      {page !== undefined && <State page={page} />}
      {page !== undefined && page.counts !== null && (
        <>
          <div className="row access-report-head">
            <NativeSelect
              label={t('list')}
              className="access-select"
              value={list}
              onChange={({ currentTarget: { value } }) => setList(LISTS.find((it) => it === value) ?? list)}
              data={listOptions(page.counts)}
            />
            <PairFilter value={pair} onChange={setPair} />
          </div>
          {page.findings.length === 0 ? (
            <p className="dimmed">{pair === null ? t(`none.${list}`) : t('none_of_connector')}</p>
          ) : (
            <FindingTable
              label={t(`lists.${list}`)}
              findings={report.data?.pages.flatMap((it) => it.findings) ?? []}
              onAsk={onAsk}
            />
          )}
          {report.hasNextPage && (
            <div className="section-end">
              <Button variant="default" loading={report.isFetchingNextPage} onClick={() => void report.fetchNextPage()}>
                {textsOf('parts')('show_more')}
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

function listOptions(counts: NonNullable<AccessReportPage['counts']>) {
  const t = textsOf('admin.access.report')
  return LISTS.map((value) => {
    const { total, total_relation } = counts[value]
    const isAtLeast = String(total_relation === 'gte')
    return { value, label: t('option', { list: t(`lists.${value}`), isAtLeast, total }) }
  })
}

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
        {textsOf('admin.access.report')('compute')}
      </Button>
      {compute.isError && <ErrorAlert error={compute.error} />}
    </>
  )
}

function State({ page }: { page: AccessReportPage }) {
  const t = textsOf('admin.access.report')
  const { is_computing, scanned_documents, has_failed, computed_at, documents } = page
  return (
    <p className="dimmed" role="status">
      {has_failed && <span>{t('failed')} </span>}
      {is_computing && <span>{t('computing', { documents: scanned_documents })} </span>}
      {computed_at === null
        ? !is_computing && t('not_computed')
        : t.rich('computed', { time: () => <Time at={computed_at} />, documents: documents ?? 0 })}
    </p>
  )
}
