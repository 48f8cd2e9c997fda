import { Pagination } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'
import type { SearchState } from './search-state.ts'
import { PAGE_SIZE, type SearchResults } from './use-results.ts'

/** The service pages no further than this. */
const MAX_PAGES = 500

interface Props {
  state: SearchState
  found: SearchResults
  onState: (state: SearchState) => void
}

export function ResultPages({ state, found, onState }: Props) {
  const t = textsOf('search.pages')
  const total = Math.min(MAX_PAGES, Math.ceil(found.total / PAGE_SIZE))
  if (total < 2) return null
  const { page = 1, doc: _, ...others } = state
  const to = (next: number) => {
    onState(next === 1 ? others : { ...others, page: next })
    window.scrollTo(0, 0)
  }
  return (
    <nav aria-label={t('label')} className="search-pages">
      <Pagination
        value={Math.min(page, total)}
        total={total}
        onChange={to}
        siblings={1}
        boundaries={1}
        size="sm"
        getItemProps={(it) => ({ 'aria-label': t('page', { page: it }) })}
        getControlProps={(it) => ({ 'aria-label': t(it === 'next' ? 'next' : 'previous') })}
      />
    </nav>
  )
}
