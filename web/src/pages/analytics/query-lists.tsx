// The queries of one list, and what can be done about each.
import { Button } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { QueryReport, ReportedQuery } from '../../../../src/client/schemas.ts'
import { type Column, RecordTable } from '../../parts/record-table.tsx'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { formatValue } from '../overview/format-value.ts'
import { ExportLink } from './export-link.tsx'
import type { Period } from './report-query.ts'

const LISTS = ['zero_results', 'low_click', 'slow_queries', 'top'] as const
type List = (typeof LISTS)[number]
/** Rows before "Show more". */
const SHOWN = 20

/** The chosen list is in the address. */
function useList() {
  const search = useSearch({ from: '/signed-in/admin/admin/$page/{-$id}' })
  const navigate = useNavigate()
  const list = LISTS.find((it) => it === search.list) ?? LISTS[0]
  return { list, setList: (next: List) => void navigate({ to: '.', search: { ...search, list: next }, replace: true }) }
}

export function QueryLists({ report, days }: { report: QueryReport; days: Period }) {
  const t = textsOf('admin.analytics.queries')
  const { list, setList } = useList()
  return (
    <section className="card" aria-labelledby="queries">
      <div className="section-head">
        <h2 id="queries">{t('title')}</h2>
        <ExportLink days={days} list={list} title={t(`lists.${list}`)} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
      <div className="row query-lists" role="group" aria-label={t('choose')}>
        {LISTS.map((it) => (
          <Button
            key={it}
            size="xs"
            variant={it === list ? 'filled' : 'default'}
            aria-pressed={it === list}
            onClick={() => setList(it)}
          >
            {t('list_count', { list: t(`lists.${it}`), count: report[it].length })}
          </Button>
        ))}
      </div>
      <p className="section-note dimmed small">{t(`help.${list}`)}</p>
      <QueryTable key={list} list={list} queries={report[list]} />
    </section>
  )
}

function QueryTable({ list, queries }: { list: List; queries: readonly ReportedQuery[] }) {
  const t = textsOf('admin.analytics.queries')
  const [shown, setShown] = useState(SHOWN)
  if (queries.length === 0) return <p className="section-note">{t(`none.${list}`)}</p>
  return (
    <>
      <RecordTable
        label={t(`lists.${list}`)}
        rows={queries.slice(0, shown)}
        keyOf={(it) => it.query}
        columns={columnsOf(list)}
        action={(it) => <QueryActions query={it.query} />}
      />
      {queries.length > shown && (
        <div className="section-end">
          <Button size="xs" variant="default" onClick={() => setShown(shown + SHOWN)}>
            {textsOf('parts')('show_more')}
          </Button>
        </div>
      )}
    </>
  )
}

function columnsOf(list: List): Column<ReportedQuery>[] {
  const t = textsOf('admin.analytics.queries')
  const count = (label: string, value: (it: ReportedQuery) => number) => ({
    label,
    className: 'number',
    cell: (it: ReportedQuery) => formatCount(value(it)),
  })
  const query = { label: t('query'), className: 'long-text', cell: (it: ReportedQuery) => <bdi>{it.query}</bdi> }
  const searches = count(t('searches'), (it) => it.searches)
  const people = count(t('people'), (it) => it.people)
  if (list === 'slow_queries') {
    const mean = {
      label: t('mean'),
      className: 'number',
      cell: (it: ReportedQuery) => formatValue('milliseconds', it.mean_ms),
    }
    const slowest = {
      label: t('slowest'),
      className: 'number',
      cell: (it: ReportedQuery) => formatValue('milliseconds', it.slowest_ms),
    }
    return [query, count(t('slow'), (it) => it.slow), searches, mean, slowest]
  }
  const empty = count(t('empty'), (it) => it.empty)
  if (list === 'zero_results') return [query, empty, searches, people]
  const answered = count(t('answered'), (it) => it.answered)
  const found = count(t('found'), (it) => it.mean_total)
  return list === 'low_click' ? [query, searches, answered, found, people] : [query, searches, people, answered, empty]
}

const RANKING = { page: 'ranking', id: undefined }
const ACTIONS = ['synonym', 'pin', 'boost'] as const

/** Each opens the form of the ranking, filled with the query. */
function QueryActions({ query }: { query: string }) {
  const t = textsOf('admin.analytics.queries')
  const navigate = useNavigate()
  return (
    <div className="row-actions">
      {ACTIONS.map((add) => (
        <Button
          key={add}
          size="compact-sm"
          variant="subtle"
          aria-label={t(`actions_of.${add}`, { query })}
          onClick={() => void navigate({ to: '/admin/$page/{-$id}', params: RANKING, search: { add, query } })}
        >
          {t(`actions.${add}`)}
        </Button>
      ))}
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={t('actions_of.judge', { query })}
        onClick={() =>
          void navigate({ to: '/admin/$page/{-$id}', params: { ...RANKING, page: 'relevance' }, search: { query } })
        }
      >
        {t('actions.judge')}
      </Button>
    </div>
  )
}
