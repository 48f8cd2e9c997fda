import { Button, NativeSelect, Pagination } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { UnreachableError } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { FacetPanel } from './facet-panel.tsx'
import { Preview } from './preview.tsx'
import { ResultList } from './result-list.tsx'
import { SearchBox } from './search-box.tsx'
import { SearchStart } from './search-start.tsx'
import { isFiltered, readSearchState, type SearchState } from './search-state.ts'
import { SemanticNote } from './semantic-note.tsx'
import { Suggestions } from './suggestions.tsx'
import { useFeedback } from './use-feedback.ts'
import { type Hit, PAGE_SIZE, type SearchResults, useResults } from './use-results.ts'
import { useSearchKeys } from './use-search-keys.ts'
import { useSearchText } from './use-search-text.ts'
import './search.css'

/** The service pages no further than this. */
const MAX_PAGES = 500
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
  const selected = found?.results.find((it) => it.document_id === state.doc) ?? (isWide ? found?.results[0] : undefined)
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
      <h1 className="search-heading">Search</h1>
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
            <Summary state={state} found={found} query={query} onState={navigateTo} onText={setText} />
            {hasFailed && <ErrorAlert error={answer.error} retry={() => void answer.refetch()} />}
            {answer.isPending && !isAway && <LoadingSkeleton lines={9} />}
            {!hasFailed && found?.results.length === 0 && <NoResults state={state} onState={navigateTo} />}
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

const NoAccess = () => (
  <EmptyState icon="search" title="You do not have access to search">
    This key can push documents or read metrics. Sign in with another key to search.
  </EmptyState>
)

interface PreviewProps {
  hit: Hit
  query: string
  sendFeedback: ReturnType<typeof useFeedback>['sendFeedback']
}

function PreviewColumn({ hit, query, sendFeedback }: Omit<PreviewProps, 'hit'> & { hit: Hit | undefined }) {
  return (
    <aside className="card preview" aria-label="Preview">
      {hit === undefined ? (
        <EmptyState icon="document" title="Nothing to preview" />
      ) : (
        <>
          <h2 dir="auto">{hit.title}</h2>
          <Preview hit={hit} query={query} onFeedback={(kind) => sendFeedback(hit, kind)} />
        </>
      )}
    </aside>
  )
}

const PreviewDialog = ({ hit, query, sendFeedback, onClose }: PreviewProps & { onClose: () => void }) => (
  <Dialog title={hit.title} onClose={onClose}>
    <Preview hit={hit} query={query} onFeedback={(kind) => sendFeedback(hit, kind)} />
    <form method="dialog" className="dialog-end">
      <Button type="submit" variant="default">
        Close
      </Button>
    </form>
  </Dialog>
)

function useTitle(query: string): void {
  useEffect(() => {
    document.title = query === '' ? 'Search · Pharos' : `${query} · Pharos`
  }, [query])
}

/** The last response, kept while a newer request is running. */
function useLatestResults(found: SearchResults | undefined): SearchResults | undefined {
  const latest = useRef(found)
  if (found !== undefined) latest.current = found
  return latest.current
}

/** The search state without query, page and preview; filters stay. */
function withoutQuery({ q: _, page: __, doc: ___, ...others }: SearchState): SearchState {
  return others
}

interface PartProps {
  state: SearchState
  found: SearchResults | undefined
  onState: (state: SearchState) => void
}

function Filters({ isWide, ...props }: { isWide: boolean } & Parameters<typeof FacetPanel>[0]) {
  if (isWide) {
    return (
      <section className="search-filters" aria-label="Filters">
        <FacetPanel {...props} />
      </section>
    )
  }
  return (
    <details className="card search-filters-small" open={isFiltered(props.state)}>
      <summary>
        <Icon name="filter" size={16} /> Filters
      </summary>
      <FacetPanel {...props} />
    </details>
  )
}

interface SummaryProps extends PartProps {
  query: string
  onText: (text: string) => void
}

function Summary({ state, found, query, onState, onText }: SummaryProps) {
  const { sort: _, page: __, doc: ___, ...others } = state
  const me = useMe()
  return (
    <div className="summary">
      <div className="summary-line">
        <p role="status" aria-live="polite" className="dimmed small">
          {found !== undefined && <CountText found={found} />}
        </p>
        {hasPermission(me, 'chat') && (
          <Link
            className="summary-ask"
            to="/chat/{-$chat_session_id}"
            params={{ chat_session_id: undefined }}
            search={{ q: query.trim() }}
            state={{ isAsked: true }}
          >
            <Icon name="chat" size={15} /> Ask about this
          </Link>
        )}
        <NativeSelect
          aria-label="Sort by"
          size="xs"
          value={state.sort ?? 'relevance'}
          onChange={(event) => onState(event.currentTarget.value === 'date' ? { ...others, sort: 'date' } : others)}
          data={[
            { value: 'relevance', label: 'Most relevant' },
            { value: 'date', label: 'Newest first' },
          ]}
        />
      </div>
      {found?.corrected_query && found.corrected_query !== query.trim() && (
        <p className="did-you-mean">
          Did you mean{' '}
          <button type="button" onClick={() => onText(found.corrected_query ?? query)}>
            {found.corrected_query}
          </button>
          ? These are the results for it.
        </p>
      )}
      {found?.understood.not_understood.map((it) => (
        <p className="small dimmed" key={it.text}>
          <code>{it.text}</code> was searched as plain text: {it.reason}
        </p>
      ))}
    </div>
  )
}

const MeaningNote = () => (
  <p className="search-note small" role="note">
    No document contains your words. These results are close in meaning:
  </p>
)

function CountText({ found: { total, total_relation, took_ms } }: { found: SearchResults }) {
  if (total === 0) return 'No results'
  const many = total_relation === 'gte' ? `More than ${formatCount(total)}` : formatCount(total)
  return `${many} ${total === 1 ? 'result' : 'results'} in ${Math.max(1, Math.round(took_ms))} ms`
}

function NoResults({ state, onState }: Omit<PartProps, 'found'>) {
  return (
    <div className="card">
      <EmptyState icon="search" title="Nothing found">
        {isFiltered(state)
          ? 'No document that you can open contains these words and matches the filters.'
          : 'No document that you can open contains these words. Try fewer or different words.'}
      </EmptyState>
      {isFiltered(state) && (
        <div className="empty-action">
          <Button variant="default" onClick={() => onState(state.q === undefined ? {} : { q: state.q })}>
            Search without filters
          </Button>
        </div>
      )}
    </div>
  )
}

function ResultPages({ state, found, onState }: PartProps) {
  const total = Math.min(MAX_PAGES, Math.ceil((found?.total ?? 0) / PAGE_SIZE))
  if (total < 2) return null
  const { page = 1, doc: _, ...others } = state
  const to = (next: number) => {
    onState(next === 1 ? others : { ...others, page: next })
    window.scrollTo(0, 0)
  }
  return (
    <nav aria-label="Result pages" className="search-pages">
      <Pagination
        value={Math.min(page, total)}
        total={total}
        onChange={to}
        siblings={1}
        boundaries={1}
        size="sm"
        getItemProps={(it) => ({ 'aria-label': `Page ${it}` })}
        getControlProps={(it) => ({ 'aria-label': it === 'next' ? 'Next page' : 'Previous page' })}
      />
    </nav>
  )
}
