import { useQuery } from '@tanstack/react-query'
import { getReadiness } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { durationText } from '../../parts/text.tsx'

const POLL_MS = 30_000

/** Explains why the order of results still changes: embeddings are computed after keyword indexing. */
export function SemanticNote() {
  const { data } = useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => getReadiness(api, { signal }),
    refetchInterval: POLL_MS,
  })
  const embedding = data?.data.embedding
  if (embedding === undefined || embedding.model === null || embedding.pending === 0) return null
  const { total, pending, remaining_s } = embedding
  const percent = Math.floor(((total - pending) / total) * 100)
  return (
    <p className="search-note dimmed small" role="note">
      Semantic search is {percent} % ready{remaining_s !== null && `, about ${durationText(remaining_s)} left`}.
    </p>
  )
}
