// Completions of the typed text and recent searches, from `POST /search/suggest`.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { deleteRecentQueries, suggestQueries } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'

const MAX_SHOWN = 5

export const suggestQuery = (query: string) => ({
  queryKey: ['suggest', query],
  queryFn: ({ signal }: { signal: AbortSignal }) => suggestQueries(api, { body: { query }, signal }),
  staleTime: 30_000,
})

/** One line of completions below the search box. */
export function Suggestions({ query, onSelect }: { query: string; onSelect: (query: string) => void }) {
  const { data } = useQuery({ ...suggestQuery(query), enabled: query !== '', placeholderData: (before) => before })
  const texts = [...(data?.recent ?? []), ...(data?.terms ?? [])].filter(
    (it) => it.toLowerCase() !== query.toLowerCase() && it.toLowerCase().startsWith(query.toLowerCase()),
  )
  return (
    <ul className="search-suggestions" aria-label={textsOf('search.suggestions')('label')}>
      {[...new Set(texts)].slice(0, MAX_SHOWN).map((it) => (
        <li key={it}>
          <button type="button" dir="auto" onClick={() => onSelect(it)}>
            {it}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The caller's recent queries on the empty page, with a button that deletes them. */
export function RecentQueries({ onSelect }: { onSelect: (query: string) => void }) {
  const t = textsOf('search.suggestions')
  const queryClient = useQueryClient()
  const recent = useQuery({ ...suggestQuery(''), staleTime: 0 }).data?.recent ?? []
  if (recent.length === 0) return null
  const forget = async () => {
    await deleteRecentQueries(api)
    await queryClient.invalidateQueries({ queryKey: ['suggest'] })
  }
  return (
    <section aria-labelledby="recent" className="start-wide">
      <div className="row start-recent-head">
        <h2 id="recent">{t('recent')}</h2>
        <button type="button" className="link-button small" onClick={() => void forget()}>
          {t('clear')}
        </button>
      </div>
      <ul className="start-recent">
        {recent.slice(0, 2 * MAX_SHOWN).map((it) => (
          <li key={it}>
            <button type="button" dir="auto" onClick={() => onSelect(it)}>
              {it}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
