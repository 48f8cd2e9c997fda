// The line above the results: how many there are, their order, and how the query was understood.
import { NativeSelect } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../parts/icon.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { ActiveFilters, operatorLabels } from './active-filters.tsx'
import type { SearchState } from './search-state.ts'
import type { SearchResults } from './use-results.ts'

interface Props {
  state: SearchState
  found: SearchResults | undefined
  query: string
  onState: (state: SearchState) => void
  onText: (text: string) => void
}

export const ResultSummary = ({ state, found, query, onState, onText }: Props) => (
  <div className="summary">
    <div className="summary-line">
      <p role="status" aria-live="polite" className="dimmed small">
        {found !== undefined && countText(found)}
      </p>
      <AskLink query={query} />
      <SortChoice state={state} onState={onState} />
    </div>
    <ActiveFilters
      state={state}
      query={query}
      operators={found?.understood.operators.filter((it) => !isRelaxed(found, it)) ?? []}
      onState={onState}
      onText={onText}
    />
    {found !== undefined && (
      <Understood found={found} query={query} onText={onText} onExact={() => onState(exactly(state, query))} />
    )}
  </div>
)

/** A phrase that was given up limits nothing. */
const isRelaxed = ({ relaxed }: SearchResults, { start }: SearchResults['relaxed'][number]): boolean =>
  relaxed.some((it) => it.start === start)

/** The search for what was typed, word by word. */
function exactly({ page: _, doc: __, ...state }: SearchState, query: string): SearchState {
  return { ...state, q: query, exact: true }
}

function countText({ total, total_relation, took_ms }: SearchResults): string {
  const t = textsOf('search.summary')
  const values = { count: total, ms: Math.max(1, Math.round(took_ms)) }
  return total_relation === 'gte' ? t('at_least', values) : t('count', values)
}

function AskLink({ query }: { query: string }) {
  const me = useMe()
  if (!hasPermission(me, 'chat')) return null
  return (
    <Link
      className="summary-ask"
      to="/chat/{-$chat_session_id}"
      params={{ chat_session_id: undefined }}
      search={{ q: query.trim() }}
      state={{ isAsked: true }}
    >
      <Icon name="chat" size={15} /> {textsOf('search.summary')('ask')}
    </Link>
  )
}

function SortChoice({ state, onState }: Pick<Props, 'state' | 'onState'>) {
  const t = textsOf('search.summary')
  const { sort, page: _, doc: __, ...others } = state
  return (
    <NativeSelect
      aria-label={t('sort')}
      size="xs"
      value={sort ?? 'relevance'}
      onChange={(event) => onState(event.currentTarget.value === 'date' ? { ...others, sort: 'date' } : others)}
      data={(['relevance', 'date'] as const).map((value) => ({ value, label: t(value) }))}
    />
  )
}

type UnderstoodProps = { found: SearchResults; onExact: () => void } & Pick<Props, 'query' | 'onText'>

function Understood({ found, query, onText, onExact }: UnderstoodProps) {
  const t = textsOf('search.summary')
  const { corrected_query: corrected, understood, relaxed, total } = found
  return (
    <>
      {corrected && corrected !== query.trim() && (
        <p className="did-you-mean">
          {t.rich('corrected', {
            corrected,
            query: (text) => (
              <button type="button" dir="auto" onClick={() => onText(corrected)}>
                {text}
              </button>
            ),
          })}{' '}
          <button type="button" onClick={onExact}>
            {t('exactly', { query: query.trim() })}
          </button>
        </p>
      )}
      {relaxed.length > 0 && total > 0 && (
        <p className="did-you-mean">
          {t.rich('relaxed', {
            count: relaxed.length,
            phrases: operatorLabels(relaxed),
            b: (text) => <bdi>{text}</bdi>,
          })}{' '}
          <button type="button" onClick={onExact}>
            {t('insist')}
          </button>
        </p>
      )}
      {understood.not_understood.map(({ text, reason }) => (
        <p className="small dimmed" key={text}>
          {t.rich('as_words', { text, reason, code: (it) => <code dir="auto">{it}</code> })}
        </p>
      ))}
    </>
  )
}
