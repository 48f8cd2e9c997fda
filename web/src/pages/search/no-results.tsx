import { Button } from '@mantine/core'
import { EmptyState } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { isFiltered, type SearchState } from './search-state.ts'

interface Props {
  state: SearchState
  onState: (state: SearchState) => void
}

export function NoResults({ state, onState }: Props) {
  const t = textsOf('search.nothing')
  const hasFilters = isFiltered(state)
  return (
    <div className="card">
      <EmptyState icon="search" title={t('title')}>
        {t(hasFilters ? 'filtered' : 'unfiltered')}
      </EmptyState>
      {hasFilters && (
        <div className="empty-action">
          <Button variant="default" onClick={() => onState(state.q === undefined ? {} : { q: state.q })}>
            {t('without_filters')}
          </Button>
        </div>
      )}
    </div>
  )
}
