import { useMediaQuery } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { UnreachableError } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { FacetPanel } from './facet-panel.tsx'
import { NoResults } from './no-results.tsx'
import { PreviewColumn, PreviewDialog } from './preview-pane.tsx'
import { ResultList } from './result-list.tsx'
import { ResultPages } from './result-pages.tsx'
import { ResultSummary } from './result-summary.tsx'
import { SearchBox } from './search-box.tsx'
import { SearchStart } from './search-start.tsx'
import { readSearchState, type SearchState } from './search-state.ts'
import { SemanticNote } from './semantic-note.tsx'
import { Suggestions } from './suggestions.tsx'
import { useFeedback } from './use-feedback.ts'
import { type Hit, type SearchResults, useResults, withCopies } from './use-results.ts'
import { useSearchKeys } from './use-search-keys.ts'
import { useSearchText } from './use-search-text.ts'
import './search.css'

const WIDE = '(min-width: 68em)'

export function SearchPage() {
  const me = useMe()
  const state = useSearch({ from: '/signed-in/', select: readSearchState })
  const navigate = useNavigate({ from: '/' })
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) === true
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const navigateTo = (next: SearchState, replace = false) =>
    void navigate({ search: next, replace, resetScroll: false })
  const {
    text,
    setText,
    asked: query,
  } = useSearchText(state, (q) => navigateTo(q === '' ? withoutQuery(state) : { ...withoutQuery(state), q }, true))
  const searchState = { ...(query === (state.q ?? '') ? state : withoutQuery(state)), q: query }
  const answer = useResults(searchState)
  const { recordNow, sendFeedback } = useFeedback(searchState)
  const latestResults = useLatestResults(answer.data)
  // While the service is unreachable, the last results stay. The banner says that they may be out of date.
  const isAway = answer.error instanceof UnreachableError && latestResults !== undefined
  const found = query.trim() === '' ? undefined : isAway ? latestResults : answer.data
  const hasFailed = answer.isError && !isAway
  useSearchKeys({ input, list })
  useTitle(query.trim())
  if (me !== undefined && !hasPermission(me, 'search')) return <NoAccess />
  const selected = selectedHit(found, state.doc) ?? (isWide ? found?.results[0] : undefined)
  const preview = (hit: Hit) => navigateTo({ ...state, q: query, doc: hit.document_id }, true)
  const closePreview = () => {
    const { doc: _, ...others } = state
    navigateTo(others, true)
  }
  const applyQuery = (query: string) => {
    setText(query)
    input.current?.focus()
  }
  const toFirst = () => list.current?.querySelector<HTMLElement>('[data-result]')?.focus()
  return (
    <>
      <h1 className="search-heading">{textsOf('search')('title')}</h1>
      <SearchBox
        input={input}
        text={text}
        isBusy={answer.isFetching && answer.isPlaceholderData}
        onText={setText}
        onDown={toFirst}
        onEnter={() => {
          recordNow()
          toFirst()
        }}
      />
      {query.trim() !== '' && <Suggestions query={query.trim()} onSelect={applyQuery} />}
      {query.trim() === '' ? (
        <SearchStart onSelect={applyQuery} />
      ) : (
        <div className="search-columns">
          <Filters isWide={isWide} state={state} found={found} onChange={(next) => navigateTo(next)} />
          <div className="search-list" ref={list} aria-busy={text !== query || answer.isFetching}>
            <ResultSummary state={state} found={found} query={query} onState={navigateTo} onText={setText} />
            {hasFailed && <ErrorAlert error={answer.error} retry={() => void answer.refetch()} />}
            {answer.isPending && !isAway && <LoadingSkeleton lines={9} />}
            {!hasFailed && found?.results.length === 0 && (
              <NoResults state={searchState} found={found} query={query} onState={navigateTo} onText={setText} />
            )}
            {!hasFailed && found !== undefined && found.results.length > 0 && (
              <>
                {found.word_matches === 0 && <MeaningNote />}
                <ResultList
                  hits={found.results}
                  selected={selected?.document_id}
                  onFocus={isWide ? preview : null}
                  onPreview={preview}
                  onOpen={(hit) => void sendFeedback(hit, 'click')}
                />
                <ResultPages state={state} found={found} onState={navigateTo} />
                <SemanticNote />
              </>
            )}
          </div>
          {isWide && <PreviewColumn hit={selected} query={query} sendFeedback={sendFeedback} />}
        </div>
      )}
      {!isWide && selected !== undefined && (
        <PreviewDialog hit={selected} query={query} sendFeedback={sendFeedback} onClose={closePreview} />
      )}
    </>
  )
}

const selectedHit = (found: SearchResults | undefined, id: string | undefined): Hit | undefined =>
  withCopies(found).find((it) => it.document_id === id)

function NoAccess() {
  const t = textsOf('search.no_access')
  return (
    <EmptyState icon="search" title={t('title')}>
      {t('help')}
    </EmptyState>
  )
}

function useTitle(query: string): void {
  useEffect(() => {
    document.title = query === '' ? textsOf('search')('document_title') : `${query} · Pharos`
  }, [query])
}

/** The last response, kept while a newer request is running. */
function useLatestResults(found: SearchResults | undefined): SearchResults | undefined {
  const latest = useRef(found)
  if (found !== undefined) latest.current = found
  return latest.current
}

/** The search state without query, page and preview; filters stay. */
function withoutQuery({ q: _, page: __, doc: ___, exact: ____, any: _____, ...others }: SearchState): SearchState {
  return others
}

function Filters({ isWide, ...props }: { isWide: boolean } & Parameters<typeof FacetPanel>[0]) {
  const label = textsOf('search.filters')('label')
  if (isWide) {
    return (
      <section className="search-filters" aria-label={label}>
        <FacetPanel {...props} />
      </section>
    )
  }
  return (
    <details className="card search-filters-small">
      <summary>
        <Icon name="filter" size={16} /> {label}
      </summary>
      <FacetPanel {...props} />
    </details>
  )
}

const MeaningNote = () => (
  <p className="search-note small" role="note">
    {textsOf('search.summary')('by_meaning')}
  </p>
)
