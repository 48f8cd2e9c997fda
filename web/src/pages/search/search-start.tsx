// The empty search page: service status, recent searches, search tips and sources.
import { useQuery } from '@tanstack/react-query'
import { readinessOf } from '../../../../src/client/readiness.ts'
import { api } from '../../api.ts'
import { keyTexts } from '../../parts/key-help.ts'
import { KeyList } from '../../parts/key-list.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { LoadingSkeleton } from '../../parts/states.tsx'
import { sourceLabel } from '../../parts/text.tsx'
import { useReadableSources } from '../../parts/use-readable-sources.ts'
import { textsOf } from '../../text/texts.ts'
import { FirstSteps } from '../welcome/first-steps.tsx'
import { NewestDocuments, SuggestedSearches, useStartLists } from './start-lists.tsx'
import { RecentQueries, suggestQuery } from './suggestions.tsx'

function operators() {
  const t = textsOf('search.start.operators')
  return [
    [t('phrase_example'), t('phrase')],
    [t('exclude_example'), t('exclude')],
    ['source:web', t('source')],
    ['author:ann', t('author')],
    [t('title_example'), t('title')],
    ['after:2026-01-01', t('after')],
  ] as const
}

export function SearchStart({ onSelect }: { onSelect: (query: string) => void }) {
  const t = textsOf('search.start')
  const sources = useReadableSources()
  const readiness = useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => readinessOf(api, { signal }),
    refetchInterval: 10_000,
  }).data
  const ready = readiness?.data
  const { isFetched, suggested, newest } = useStartLists()
  const recent = useQuery({ ...suggestQuery(''), staleTime: 0 })
  // All parts appear at once, so that none pushes another one down. A part that cannot be loaded is left out.
  if (!isFetched || !recent.isFetched) return <LoadingSkeleton lines={6} />
  return (
    <div className="start">
      {readiness?.success === false && (
        <p className="start-note" role="status">
          {t('degraded', { message: readiness.message ?? '' })}
        </p>
      )}
      {ready !== undefined && ready.pending > 0 && (
        <p className="start-note" role="status">
          {ready.waiting_for
            ? t('stalled', { count: ready.pending, reason: ready.waiting_for })
            : t('indexing', { count: ready.pending })}
        </p>
      )}
      <FirstSteps />
      <RecentQueries onSelect={onSelect} />
      <SuggestedSearches queries={suggested} onSelect={onSelect} />
      <NewestDocuments documents={newest} />
      <section aria-labelledby="how">
        <h2 id="how">{t('tips')}</h2>
        <ul className="start-operators">
          {operators().map(([query, meaning]) => (
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
        <h2 id="keys">{t('keys')}</h2>
        <KeyList className="start-keys" keys={[...keyTexts('search'), ...keyTexts('everywhere')]} />
        {sources.length > 0 && (
          <>
            <h2>{t('sources')}</h2>
            <ul className="start-sources">
              {sources.map((it) => (
                <li key={it}>
                  <button type="button" onClick={() => onSelect(`source:${it} `)}>
                    <SourceIcon source={it} size={22} /> {sourceLabel(it)}
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    </div>
  )
}
