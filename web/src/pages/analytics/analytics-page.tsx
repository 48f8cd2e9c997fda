// How people search: what they ask, what they do not find or do not open, and what takes long.
import { NativeSelect } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { QueryReport } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { Breakdowns } from './breakdowns.tsx'
import { DayChart } from './day-chart.tsx'
import { Figures } from './figures.tsx'
import { PrivacyNotes } from './privacy-notes.tsx'
import { QueryLists } from './query-lists.tsx'
import { DEFAULT_PERIOD, PERIODS, type Period, useQueryReport } from './report-query.ts'
import './analytics.css'

/** The period is in the address. */
function usePeriod() {
  const search = useSearch({ from: '/signed-in/admin/admin/$page/{-$id}' })
  const navigate = useNavigate()
  const days = PERIODS.find((it) => it === search.days) ?? DEFAULT_PERIOD
  const setDays = (next: Period) => void navigate({ to: '.', search: { ...search, days: next }, replace: true })
  return { days, setDays }
}

export function AnalyticsPage() {
  const t = textsOf('admin.analytics')
  const { days, setDays } = usePeriod()
  const report = useQueryReport(days)
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t.rich('intro', { lab: (text) => <AdminLink page="relevance">{text}</AdminLink> })}</p>
        </div>
        <NativeSelect
          label={t('period')}
          value={days}
          onChange={({ currentTarget: { value } }) => setDays(PERIODS.find((it) => String(it) === value) ?? days)}
          data={PERIODS.map((it) => ({ value: String(it), label: t('last_days', { days: it }) }))}
        />
      </div>
      <PrivacyNotes report={report.data} />
      {report.isError && <ErrorAlert error={report.error} retry={() => void report.refetch()} />}
      {report.isPending && <LoadingSkeleton lines={10} />}
      {report.data !== undefined && <Report report={report.data} days={days} />}
    </div>
  )
}

function Report({ report, days }: { report: QueryReport; days: Period }) {
  const t = textsOf('admin.analytics')
  if (report.searches === 0) {
    return (
      <div className="card">
        <EmptyState icon="search" title={t('empty')}>
          {t('empty_help')}
        </EmptyState>
      </div>
    )
  }
  return (
    <>
      <Figures report={report} />
      <DayChart report={report} days={days} />
      <QueryLists report={report} days={days} />
      <Breakdowns report={report} days={days} />
    </>
  )
}
