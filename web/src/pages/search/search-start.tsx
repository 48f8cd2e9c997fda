// The empty search page: service status, recent searches, search tips and sources.
import { useQuery } from '@tanstack/react-query'
import { listIndexedSources } from '../../../../src/client/operations.ts'
import { readinessOf } from '../../../../src/client/readiness.ts'
import { api } from '../../api.ts'
import { KeyList } from '../../parts/key-list.tsx'
import { searchKeys } from '../../parts/keyboard-help.tsx'
import { formatCount, sourceLabel } from '../../parts/text.tsx'
import { RecentQueries } from './suggestions.tsx'

const OPERATORS = [
  ['"annual leave"', 'exact phrase'],
  ['holiday -carry', 'exclude a word'],
  ['source:web', 'from one source'],
  ['author:ann', 'by one author'],
  ['title:budget', 'in the title'],
  ['after:2026-01-01', 'after a date; after:7d for the past week'],
] as const

export function SearchStart({ onSelect }: { onSelect: (query: string) => void }) {
  const sources = useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => listIndexedSources(api, { signal }),
    staleTime: 60_000,
  }).data?.sources
  const readiness = useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => readinessOf(api, { signal }),
    refetchInterval: 10_000,
  }).data
  const ready = readiness?.data
  return (
    <div className="start">
      {readiness?.success === false && (
        <p className="start-note" role="status">
          Some features do not work at the moment. {readiness.message}
        </p>
      )}
      {ready !== undefined && ready.pending > 0 && (
        <p className="start-note" role="status">
          {formatCount(ready.pending)} changes are being indexed and are not searchable yet
          {ready.waiting_for && `: ${ready.waiting_for}`}.
        </p>
      )}
      <RecentQueries onSelect={onSelect} />
      <section aria-labelledby="how">
        <h2 id="how">Search tips</h2>
        <ul className="start-operators">
          {OPERATORS.map(([query, meaning]) => (
            <li key={query}>
              <button type="button" onClick={() => onSelect(query)}>
                <code>{query}</code>
              </button>
              <span className="dimmed">{meaning}</span>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="keys">
        <h2 id="keys">Keyboard shortcuts</h2>
        <KeyList className="start-keys" keys={searchKeys()} />
        {sources !== undefined && sources.length > 0 && (
          <>
            <h2>Sources</h2>
            <p className="dimmed small start-sources">{sources.map(sourceLabel).join(' · ')}</p>
          </>
        )}
      </section>
    </div>
  )
}
