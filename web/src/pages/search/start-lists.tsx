// The offers of the empty search page: searches of the company, and the newest documents.
import { useQuery } from '@tanstack/react-query'
import { listSuggestedSearches, searchDocuments } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { documentHref } from '../../parts/safe-link.ts'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { placeOf } from './place.ts'
import type { Hit } from './use-results.ts'

const FRESH_MS = 60_000
const MAX_NEWEST = 5
/** Only documents whose source tells when they changed are new. */
const NEWEST = {
  query: 'after:30d',
  sort: 'date' as const,
  num_hits: 2 * MAX_NEWEST,
  record: false,
  fold_similar: true,
}

export function useStartLists() {
  const suggested = useQuery({
    queryKey: ['suggested-searches'],
    queryFn: ({ signal }) => listSuggestedSearches(api, { signal }),
    staleTime: FRESH_MS,
  })
  const newest = useQuery({
    queryKey: ['search', NEWEST],
    queryFn: ({ signal }) => searchDocuments(api, { body: NEWEST, signal }),
    staleTime: FRESH_MS,
  })
  const dated = newest.data?.results.filter((it) => it.doc_updated_at !== null) ?? []
  return {
    isFetched: suggested.isFetched && newest.isFetched,
    suggested: suggested.data?.queries ?? [],
    newest: dated.slice(0, MAX_NEWEST),
  }
}

export function SuggestedSearches({
  queries,
  onSelect,
}: {
  queries: readonly string[]
  onSelect: (q: string) => void
}) {
  if (queries.length === 0) return null
  return (
    <section aria-labelledby="suggested" className="start-wide">
      <h2 id="suggested">{textsOf('search.start')('suggested')}</h2>
      <ul className="start-recent">
        {queries.map((it) => (
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

export function NewestDocuments({ documents }: { documents: readonly Hit[] }) {
  if (documents.length === 0) return null
  return (
    <section aria-labelledby="newest" className="start-wide">
      <h2 id="newest">{textsOf('search.start')('newest')}</h2>
      <ul className="start-newest">
        {documents.map((it) => (
          <li key={it.document_id}>
            <SourceIcon source={it.source_type} size={28} />
            <span className="start-newest-title">
              <DocumentLink document={it} />
              <bdi className="dimmed small">{placeOf(it)}</bdi>
            </span>
            <span className="dimmed small">
              <Time at={it.doc_updated_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function DocumentLink({ document }: { document: Hit }) {
  const { title } = document
  const href = documentHref(document)
  if (href === undefined) return <bdi>{title}</bdi>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      <bdi>{title}</bdi>
    </a>
  )
}
