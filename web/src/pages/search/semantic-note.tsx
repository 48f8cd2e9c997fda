import { useQuery } from '@tanstack/react-query'
import { getReadiness } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { durationText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

const POLL_MS = 30_000

/** Explains why the order of results still changes: embeddings are computed after keyword indexing. */
export function SemanticNote() {
  const t = textsOf('search.semantic')
  const { data } = useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => getReadiness(api, { signal }),
    refetchInterval: POLL_MS,
  })
  const embedding = data?.data.embedding
  if (embedding === undefined || embedding.model === null || embedding.pending === 0) return null
  const { total, pending, remaining_s } = embedding
  // Rounded down: 100 % means that nothing is missing.
  const share = Math.floor(((total - pending) / total) * 100) / 100
  return (
    <p className="search-note dimmed small" role="note">
      {remaining_s === null ? t('ready', { share }) : t('left', { share, duration: durationText(remaining_s) })}
    </p>
  )
}
