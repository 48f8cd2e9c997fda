// Proposals when nothing was found: other words, fewer filters, or a person to ask.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { searchDocuments } from '../../../../src/client/operations.ts'
import type { SearchRequest } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { EmptyState } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { operatorLabels, withoutOperators } from './active-filters.tsx'
import { ClosestPages } from './closest-pages.tsx'
import { isFiltered, type SearchState, withoutFilters } from './search-state.ts'
import { type SearchResults, toSearchRequest } from './use-results.ts'

interface Props {
  state: SearchState
  found: SearchResults
  /** The query that was searched. */
  query: string
  onText: (text: string) => void
  onState: (state: SearchState) => void
}

export function NoResults({ state, found, query, onState, onText }: Props) {
  const t = textsOf('search.nothing')
  const { blocking } = found
  const hasFilters = isFiltered(state)
  const unfiltered = useNearest(toSearchRequest(withoutFilters(state)), hasFilters).data
  if (found.closest.length > 0)
    return (
      <div className="card nothing">
        <ClosestPages closest={found.closest} onAll={() => onState({ ...state, any: true })} />
        <PeopleToAsk state={state} found={found} />
      </div>
    )
  return (
    <div className="card nothing">
      <EmptyState icon="search" title={t('title')}>
        {blocking.length > 0
          ? t('blocked', { count: blocking.length, operators: operatorLabels(blocking) })
          : t(hasFilters ? 'filtered' : 'unfiltered')}
      </EmptyState>
      {blocking.length > 0 ? (
        <div className="empty-action">
          <Button variant="default" onClick={() => onText(withoutOperators(query, blocking))}>
            {t('without_operators', { count: blocking.length })}
          </Button>
        </div>
      ) : (
        <ul className="nothing-tips">
          <li>{t('spelling')}</li>
          <li>{t('words')}</li>
          {found.understood.operators.length > 0 && <li>{t('operators')}</li>}
        </ul>
      )}
      {hasFilters && (
        <div className="empty-action">
          <Button variant="default" onClick={() => onState(withoutFilters(state))}>
            {unfiltered === undefined || unfiltered.total === 0
              ? t('without_filters')
              : t('without_filters_count', { count: unfiltered.total })}
          </Button>
        </div>
      )}
      <PeopleToAsk state={state} found={found} />
    </div>
  )
}

const MAX_PEOPLE = 3
const MAX_NEAREST = 5

/**
 * The authors of the nearest documents: those with the same words without filters and operators, otherwise the newest of the
 * source that was searched. All of them are documents that the person may read.
 */
function PeopleToAsk({ state, found: { understood } }: Pick<Props, 'state' | 'found'>) {
  const t = textsOf('search.nothing')
  const plain = toSearchRequest({ q: [understood.text, ...understood.phrases, ...understood.title].join(' ') })
  const near = useNearest(plain, plain.query !== '')
  const sources = [...(state.source ?? []), ...understood.sources]
  const newest: SearchRequest = { ...toSearchRequest({ q: ANY_TIME }), sources, sort: 'date' }
  const isAlone = plain.query === '' || near.data?.total === 0
  const newestOfSource = useNearest(newest, isAlone && sources.length > 0)
  const nearest = near.data?.total ? near.data : newestOfSource.data
  const people = [...new Set(nearest?.results.flatMap((it) => it.primary_owners))].slice(0, MAX_PEOPLE)
  if (people.length === 0) return null
  return (
    <section className="nothing-people" aria-labelledby="nothing-people">
      <h3 id="nothing-people">{t(nearest === near.data ? 'people' : 'people_of_source')}</h3>
      <ul>
        {people.map((it) => (
          <li key={it}>{it.includes('@') ? <MailLink address={it} /> : <PersonLink name={it} />}</li>
        ))}
      </ul>
    </section>
  )
}

/** A query that every document matches. */
const ANY_TIME = 'after:1970-01-01'

const MailLink = ({ address }: { address: string }) => (
  <a href={`mailto:${encodeURIComponent(address)}`}>
    <bdi>{address}</bdi>
  </a>
)

/** A source often gives names only: what the person has written says where to reach them. */
const PersonLink = ({ name }: { name: string }) => (
  <Link to="/" search={{ q: `author:"${name.replaceAll('"', '')}"` }}>
    <bdi>{name}</bdi>
  </Link>
)

function useNearest(request: SearchRequest, isEnabled: boolean) {
  const body = { ...request, num_hits: MAX_NEAREST, facets: false, explain: false, answers_only: false }
  return useQuery({
    queryKey: ['search', body],
    queryFn: ({ signal }) => searchDocuments(api, { body, signal }),
    enabled: isEnabled,
    staleTime: 30_000,
  })
}
