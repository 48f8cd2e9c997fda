import { Button, NativeSelect, Pagination } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Waiting } from '../parts/states.tsx'
import { formatCount } from '../parts/text.tsx'
import { may, useMe } from '../session.ts'
import { FacetPanel } from './facet-panel.tsx'
import { Preview } from './preview.tsx'
import { ResultList } from './result-list.tsx'
import { SearchBox } from './search-box.tsx'
import { isFiltered, readSearchState, type SearchState } from './search-state.ts'
import { Start } from './start.tsx'
import { useFeedback } from './use-feedback.ts'
import { useKeys } from './use-keys.ts'
import { type Found, type Hit, PAGE_SIZE, useResults } from './use-results.ts'
import { useTyped } from './use-typed.ts'
import './search.css'

/** What the service lets one page through to. */
const MAX_PAGES = 500
const WIDE = '(min-width: 68em)'

export function SearchPage() {
  const me = useMe()
  const state = useSearch({ from: '/signed-in/', select: readSearchState })
  const navigate = useNavigate({ from: '/' })
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) === true
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const go = (next: SearchState, replace = false) => void navigate({ search: next, replace, resetScroll: false })
  const { text, setText, asked } = useTyped(state, (q) => go(q === '' ? rest(state) : { ...rest(state), q }, true))
  const asking = { ...(asked === (state.q ?? '') ? state : rest(state)), q: asked }
  const answer = useResults(asking)
  const { meant, say } = useFeedback(asking)
  const found = asked.trim() === '' ? undefined : answer.data
  useKeys({ input, list })
  useEffect(() => {
    document.title = asked.trim() === '' ? 'Search · Pharos' : `${asked.trim()} · Pharos`
  }, [asked])
  if (me !== undefined && !may(me, 'search')) {
    return (
      <Empty icon="search" title="This key may not search">
        It may push documents or read figures. Sign in with another one to search.
      </Empty>
    )
  }
  const selected = found?.results.find((it) => it.document_id === state.doc) ?? (isWide ? found?.results[0] : undefined)
  const preview = (hit: Hit) => go({ ...state, q: asked, doc: hit.document_id }, true)
  const closePreview = () => {
    const { doc: _, ...others } = state
    go(others, true)
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
          meant()
          toFirst()
        }}
      />
      {asked.trim() === '' ? (
        <Start
          onTry={(query) => {
            setText(query)
            input.current?.focus()
          }}
        />
      ) : (
        <div className="search-columns">
          <Filters isWide={isWide} state={state} found={found} onChange={(next) => go(next)} />
          <div className="search-list" ref={list} aria-busy={text !== asked || answer.isFetching}>
            <Summary state={state} found={found} asked={asked} onState={go} onText={setText} />
            {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
            {answer.isPending && <Waiting lines={9} />}
            {!answer.isError && found?.results.length === 0 && <Nothing state={state} onState={go} />}
            {!answer.isError && found !== undefined && found.results.length > 0 && (
              <>
                <ResultList
                  hits={found.results}
                  selected={selected?.document_id}
                  onFocus={isWide ? preview : null}
                  onPreview={preview}
                  onOpen={(hit) => void say(hit, 'click')}
                />
                <Pages state={state} found={found} onState={go} />
              </>
            )}
          </div>
          {isWide && (
            <aside className="card preview" aria-label="Preview">
              {selected === undefined ? (
                <Empty icon="document" title="Nothing to preview" />
              ) : (
                <>
                  <h2>{selected.title}</h2>
                  <Preview hit={selected} question={asked} onSay={(kind) => say(selected, kind)} />
                </>
              )}
            </aside>
          )}
        </div>
      )}
      {!isWide && selected !== undefined && (
        <Dialog title={selected.title} onClose={closePreview}>
          <Preview hit={selected} question={asked} onSay={(kind) => say(selected, kind)} />
          <form method="dialog" className="dialog-end">
            <Button type="submit" variant="default">
              Close
            </Button>
          </form>
        </Dialog>
      )}
    </>
  )
}

/** The question anew: from the first page, with the same filters. */
function rest({ q: _, page: __, doc: ___, ...others }: SearchState): SearchState {
  return others
}

interface PartProps {
  state: SearchState
  found: Found | undefined
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
  asked: string
  onText: (text: string) => void
}

function Summary({ state, found, asked, onState, onText }: SummaryProps) {
  const { sort: _, page: __, doc: ___, ...others } = state
  const me = useMe()
  return (
    <div className="summary">
      <div className="summary-line">
        <p role="status" aria-live="polite" className="dimmed small">
          {found !== undefined && <CountText found={found} />}
        </p>
        {may(me, 'chat') && (
          <Link
            className="summary-ask"
            to="/chat/{-$chat_session_id}"
            params={{ chat_session_id: undefined }}
            search={{ q: asked.trim() }}
            state={{ isAsked: true }}
          >
            <Icon name="chat" size={15} /> Ask about this
          </Link>
        )}
        <NativeSelect
          aria-label="Order"
          size="xs"
          value={state.sort ?? 'relevance'}
          onChange={(event) => onState(event.currentTarget.value === 'date' ? { ...others, sort: 'date' } : others)}
          data={[
            { value: 'relevance', label: 'Best first' },
            { value: 'date', label: 'Newest first' },
          ]}
        />
      </div>
      {found?.corrected_query && found.corrected_query !== asked.trim() && (
        <p className="did-you-mean">
          Did you mean{' '}
          <button type="button" onClick={() => onText(found.corrected_query ?? asked)}>
            {found.corrected_query}
          </button>
          ? These are its results.
        </p>
      )}
      {found?.understood.not_understood.map((it) => (
        <p className="small dimmed" key={it.text}>
          <code>{it.text}</code> was taken as words: {it.reason}
        </p>
      ))}
    </div>
  )
}

function CountText({ found: { total, total_relation, took_ms } }: { found: Found }) {
  if (total === 0) return 'No results'
  const many = total_relation === 'gte' ? `More than ${formatCount(total)}` : formatCount(total)
  return `${many} ${total === 1 ? 'result' : 'results'} in ${Math.max(1, Math.round(took_ms))} ms`
}

function Nothing({ state, onState }: Omit<PartProps, 'found'>) {
  return (
    <div className="card">
      <Empty icon="search" title="Nothing found">
        {isFiltered(state)
          ? 'No document that you may read has these words and passes the filters.'
          : 'No document that you may read has these words. Try fewer or other ones.'}
      </Empty>
      {isFiltered(state) && (
        <div className="empty-action">
          <Button variant="default" onClick={() => onState(state.q === undefined ? {} : { q: state.q })}>
            Search without the filters
          </Button>
        </div>
      )}
    </div>
  )
}

function Pages({ state, found, onState }: PartProps) {
  const total = Math.min(MAX_PAGES, Math.ceil((found?.total ?? 0) / PAGE_SIZE))
  if (total < 2) return null
  const { page = 1, doc: _, ...others } = state
  const to = (next: number) => {
    onState(next === 1 ? others : { ...others, page: next })
    window.scrollTo(0, 0)
  }
  return (
    <nav aria-label="Pages of results" className="search-pages">
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
