// The outcome of a replay: the quality before and after, and the queries that lost, gained or changed.
import { Alert } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ReplayedQuery, ReplayResponse } from '../../../../src/client/schemas.ts'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { RankedLists } from '../ranking/ranked-lists.tsx'
import { formatScore } from '../search/format-score.ts'

export function ReplayReport({ report }: { report: ReplayResponse }) {
  const t = textsOf('admin.relevance.report')
  const { tried, ndcg_10 } = report
  if (tried === 0) return <Alert color="gray" variant="light" role="status" title={t('nothing')} />
  const verdict = ndcg_10 === null ? 'unjudged' : verdictOf(ndcg_10.changed - ndcg_10.current)
  const colour = verdict === 'worse' ? 'red' : verdict === 'better' ? 'green' : 'gray'
  return (
    <div className="stack">
      <Alert color={colour} variant="light" role="status" title={t(`verdicts.${verdict}`)}>
        {t('switched_nothing')}
      </Alert>
      <Figures report={report} />
      <Skipped report={report} />
      <QueryList title={t('lost')} none={t('none_lost')} queries={report.worse_queries} isOpen />
      <QueryList title={t('gained')} none={t('none_gained')} queries={report.better_queries} />
      <QueryList title={t('moved')} none={t('none_moved')} queries={report.moved_queries} />
    </div>
  )
}

/** Smaller differences are not shown. */
const EPSILON = 0.0005

function verdictOf(gain: number): 'worse' | 'better' | 'equal' {
  if (Math.abs(gain) < EPSILON) return 'equal'
  return gain < 0 ? 'worse' : 'better'
}

function Figures({ report }: { report: ReplayResponse }) {
  const t = textsOf('admin.relevance.report')
  const { ndcg_10, tried, judged, better, worse, same, moved } = report
  return (
    <dl className="facts">
      <Figure label={t('ndcg')}>
        {ndcg_10 === null
          ? '–'
          : t('change', { current: formatScore(ndcg_10.current), changed: formatScore(ndcg_10.changed) })}
      </Figure>
      <Figure label={t('worse')}>{formatCount(worse)}</Figure>
      <Figure label={t('better')}>{formatCount(better)}</Figure>
      <Figure label={t('same')}>{formatCount(same)}</Figure>
      <Figure label={t('moved_count')}>{formatCount(moved)}</Figure>
      <Figure label={t('tried')}>{t('tried_of', { tried, judged })}</Figure>
    </dl>
  )
}

const Figure = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

/** Says which queries the report leaves out. */
function Skipped({ report: { is_complete, without_asker, without_meaning, withheld } }: { report: ReplayResponse }) {
  const t = textsOf('admin.relevance.report')
  const notes = [
    !is_complete && t('incomplete'),
    without_asker > 0 && t('without_asker', { count: without_asker }),
    without_meaning > 0 && t('without_meaning', { count: without_meaning }),
    withheld > 0 && t('withheld', { count: withheld }),
  ].filter((it) => it !== false)
  if (notes.length === 0) return null
  return (
    <ul className="small dimmed relevance-notes">
      {notes.map((it) => (
        <li key={it}>{it}</li>
      ))}
    </ul>
  )
}

interface ListProps {
  title: string
  /** Said when the list is empty. */
  none: string
  queries: readonly ReplayedQuery[]
  /** The first query is opened. */
  isOpen?: boolean
}

const QueryList = ({ title, none, queries, isOpen = false }: ListProps) => (
  <div>
    <h3 className="relevance-list-title">{title}</h3>
    {queries.length === 0 && <p className="dimmed">{none}</p>}
    {queries.map((it, at) => (
      <ReplayedLists key={it.query} replayed={it} isOpen={isOpen && at === 0} />
    ))}
  </div>
)

function ReplayedLists({ replayed, isOpen }: { replayed: ReplayedQuery; isOpen: boolean }) {
  const t = textsOf('admin.relevance.report')
  const { query, ndcg_10, overlap_10, current, changed } = replayed
  return (
    <details className="relevance-query-lists" open={isOpen}>
      <summary>
        <bdi>{query}</bdi>
        <span className="small dimmed">
          {ndcg_10 === null
            ? t('overlap', { share: overlap_10 })
            : t('ndcg_change', { current: formatScore(ndcg_10.current), changed: formatScore(ndcg_10.changed) })}
        </span>
      </summary>
      <RankedLists current={current} changed={changed} />
      <p className="small">
        <Link
          to="/admin/$page/{-$id}"
          params={{ page: 'relevance', id: undefined }}
          search={{ query }}
          activeProps={{}}
        >
          {t('judge')}
        </Link>
      </p>
    </details>
  )
}
