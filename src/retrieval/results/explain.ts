// Explains the rank of a result: reasons for everyone, numbers for administrators.
import type { RankedDocument, ScorePart, ScorePartName } from '../ranking/fuse.ts'

export const RANK_REASONS = [
  'sorted_by_date',
  'behind_best_words',
  'most_words',
  'many_words',
  'some_words',
  'no_words',
  'meaning_very_close',
  'meaning_close',
  'meaning_somewhat_close',
  'meaning_from_words',
  'meaning_not_ready',
  'words_near',
  'like_title',
  'linked_so',
  'no_content',
  'chosen_often',
  'opened_often',
  'linked_often',
  'new',
  'time_matters',
  'old',
  'raised',
  'lowered',
  'pinned',
] as const
export type RankReason = (typeof RANK_REASONS)[number]

export interface Explanation {
  /** The strongest first. */
  reasons: RankReason[]
  /** The reasons as sentences. */
  words: string[]
  /** The exact addends of the score. */
  parts: ScorePart[]
}

export function explainRank(document: RankedDocument, by: 'words' | 'both' | 'date'): Explanation {
  const reasons = reasonsOf(document, by)
  return { reasons, words: reasons.map((it) => SENTENCES[it]), parts: by === 'date' ? [] : document.parts }
}

function reasonsOf(
  { parts, lexicalScore, semanticScore }: RankedDocument,
  by: 'words' | 'both' | 'date',
): RankReason[] {
  if (by === 'date') return ['sorted_by_date']
  if (parts.length === 0) return ['behind_best_words']
  const reasons = parts
    .filter((it) => it.value !== 0)
    .toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .map((it) => REASONS[it.name](it))
  if (by === 'both' && semanticScore === null) reasons.push('meaning_not_ready')
  if (lexicalScore === null) reasons.push('no_words')
  return reasons
}

const REASONS: Record<ScorePartName, (part: ScorePart) => RankReason> = {
  words: ({ from }) => wordShare(from ?? 0),
  meaning: ({ from }) => (from === null ? 'meaning_from_words' : closeness(from)),
  proximity: () => 'words_near',
  title: () => 'like_title',
  links: () => 'linked_so',
  kind: () => 'no_content',
  chosen: () => 'chosen_often',
  opened: () => 'opened_often',
  linked: () => 'linked_often',
  recency: ({ value }) => (value < 0 ? 'old' : 'new'),
  freshness: ({ from }) => ((from ?? 0) < NEW ? 'time_matters' : 'new'),
  boost: ({ value }) => (value < 0 ? 'lowered' : 'raised'),
  pin: () => 'pinned',
}

/** The newness of a document that is called new. */
const NEW = 0.5

const wordShare = (share: number): RankReason =>
  share >= 0.999 ? 'most_words' : share >= 0.5 ? 'many_words' : 'some_words'
const closeness = (similarity: number): RankReason =>
  similarity >= 0.6 ? 'meaning_very_close' : similarity >= 0.4 ? 'meaning_close' : 'meaning_somewhat_close'

const SENTENCES: Record<RankReason, string> = {
  sorted_by_date: 'It matches the query. Results are sorted by date.',
  behind_best_words: 'It contains words of the query, but ranks below the best keyword matches.',
  most_words: 'It contains words of the query, more of them than any other.',
  many_words: 'It contains words of the query, many of them.',
  some_words: 'It contains words of the query.',
  no_words: 'It contains none of the words of the query.',
  meaning_very_close: 'Its meaning is very close to the query.',
  meaning_close: 'Its meaning is close to the query.',
  meaning_somewhat_close: 'Its meaning is somewhat close to the query.',
  meaning_from_words: 'Its keyword score stands in for its semantic score.',
  meaning_not_ready: 'Ranked by keywords only: the semantic index is still being built.',
  words_near: 'Words of the query appear close together.',
  like_title: 'Its title is close to the query.',
  linked_so: 'Other pages link to it with the words of the query.',
  no_content: 'It is a list of links or a change log, which lowers its rank.',
  chosen_often: 'People chose it for this query.',
  opened_often: 'People open it often.',
  linked_often: 'Other pages of its site link to it.',
  new: 'It is new.',
  time_matters: 'Newer documents rank higher here.',
  old: 'It is old, which lowers its rank.',
  raised: 'An administrator raised its rank.',
  lowered: 'An administrator lowered its rank.',
  pinned: 'An administrator pinned it to this query.',
}
