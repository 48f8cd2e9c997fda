// Proposals when nothing was found: other words, fewer filters, or a person.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { searchDocuments } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { EmptyState } from '../../parts/states.tsx'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { isFiltered, type SearchState, withoutFilters } from './search-state.ts'
import { type SearchResults, toSearchRequest } from './use-results.ts'

interface Props {
  state: SearchState
  found: SearchResults
  onState: (state: SearchState) => void
}

export function NoResults({ state, found, onState }: Props) {
  const t = textsOf('search.nothing')
  const hasFilters = isFiltered(state)
  const nearest = useNearest(state, hasFilters).data
  const people = [...new Set(nearest?.results.flatMap((it) => it.primary_owners))].slice(0, MAX_PEOPLE)
  return (
    <div className="card nothing">
      <EmptyState icon="search" title={t('title')}>
        {t(hasFilters ? 'filtered' : 'unfiltered')}
      </EmptyState>
      <ul className="nothing-tips">
        <li>{t('spelling')}</li>
        <li>{t('words')}</li>
        {found.understood.operators.length > 0 && <li>{t('operators')}</li>}
        {people.length > 0 && <li dir="auto">{t('people', { people: listText(people) })}</li>}
      </ul>
      {hasFilters && (
        <div className="empty-action">
          <Button variant="default" onClick={() => onState(withoutFilters(state))}>
            {nearest === undefined || nearest.total === 0
              ? t('without_filters')
              : t('without_filters_count', { count: nearest.total })}
          </Button>
        </div>
      )}
    </div>
  )
}

const MAX_PEOPLE = 3
const MAX_NEAREST = 5

/** Lists what the filters hide, and who wrote it. */
function useNearest(state: SearchState, isEnabled: boolean) {
  const body = { ...toSearchRequest(withoutFilters(state)), num_hits: MAX_NEAREST, facets: false, explain: false }
  return useQuery({
    queryKey: ['search', body],
    queryFn: ({ signal }) => searchDocuments(api, { body, signal }),
    enabled: isEnabled,
    staleTime: 30_000,
  })
}
