// Before anything is asked: what there is, and how to ask.
import { useQuery } from '@tanstack/react-query'
import { getHealthReady, getManageIndexedSources } from '../../../src/client/operations.ts'
import { api } from '../api.ts'
import { KeyList } from '../parts/key-list.tsx'
import { formatCount, sourceLabel } from '../parts/text.tsx'

const OPERATORS = [
  ['"annual leave"', 'these words, in this order'],
  ['holiday -carry', 'without a word'],
  ['source:web', 'from one source'],
  ['author:ann', 'by one person'],
  ['title:budget', 'in the title'],
  ['after:2026-01-01', 'newer than a day; after:7d for a week'],
] as const

export function Start({ onTry }: { onTry: (query: string) => void }) {
  const sources = useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => getManageIndexedSources(api, { signal }),
    staleTime: 60_000,
  }).data?.sources
  const ready = useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => getHealthReady(api, { signal }),
    refetchInterval: 10_000,
  }).data?.data
  return (
    <div className="start">
      {ready !== undefined && ready.pending > 0 && (
        <p className="start-note" role="status">
          {formatCount(ready.pending)} changes are not searchable yet{ready.waiting_for && `: ${ready.waiting_for}`}.
        </p>
      )}
      <section aria-labelledby="how">
        <h2 id="how">How to ask</h2>
        <ul className="start-operators">
          {OPERATORS.map(([query, meaning]) => (
            <li key={query}>
              <button type="button" onClick={() => onTry(query)}>
                <code>{query}</code>
              </button>
              <span className="dimmed">{meaning}</span>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <KeyList className="start-keys" keys={KEYS} />
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

const KEYS = [
  ['/', 'to the search box'],
  ['↓ ↑', 'through the results'],
  ['Enter', 'opens a result'],
  ['Esc', 'back to the box, then clears it'],
] as const
