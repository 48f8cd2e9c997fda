// The packed form of candidates for messages between threads: copying hundreds of small objects would take longer than
// finding them.
import type { Language } from '../../../text/language.ts'
import { type PackedMatches, packMatches, unpackMatches } from '../../chunk-matches.ts'
import type { FoundCandidates, RankingCandidate } from '../../search-index.ts'

export interface PackedCandidates {
  /** Everything that is not a long list. */
  rest: Omit<FoundCandidates, 'candidates' | 'beyondDepth' | 'passages'>
  languages: Language[]
  ids: string[]
  /** `NUMBERS` for each candidate. */
  numbers: Float64Array<ArrayBuffer>
  beyond: { ids: string[]; scores: Float64Array<ArrayBuffer> }
  /** For each passage, the rank of its candidate and its `chunk_ind`. */
  passages: Float64Array<ArrayBuffer>
  matches: PackedMatches
}

/** The language, the time, both scores, and one or two chunks. NaN stands for null. */
const NUMBERS = 6

export function packCandidates({ candidates, beyondDepth, passages, ...rest }: FoundCandidates): PackedCandidates {
  const languages = [...new Set(candidates.map((it) => it.language))]
  const numbers = new Float64Array(candidates.length * NUMBERS)
  const ranks = new Map<string, number>()
  for (const [rank, it] of candidates.entries()) {
    ranks.set(it.document_id, rank)
    const [first, second] = it.passages
    const own = [languages.indexOf(it.language), it.updated_at, it.lexicalScore, it.semanticScore, first, second]
    numbers.set(
      own.map((number) => number ?? Number.NaN),
      rank * NUMBERS,
    )
  }
  return {
    rest,
    languages,
    ids: candidates.map((it) => it.document_id),
    numbers,
    beyond: {
      ids: beyondDepth.map((it) => it.document_id),
      scores: Float64Array.from(beyondDepth, (it) => it.score),
    },
    passages: Float64Array.from(passages.flatMap(({ id }) => [ranks.get(id.document_id) ?? -1, id.chunk_ind])),
    matches: packMatches(passages.map((it) => it.chunk)),
  }
}

export function unpackCandidates(packed: PackedCandidates): FoundCandidates {
  const { rest, ids, beyond, passages, matches } = packed
  const candidates = ids.map((document_id, rank) => unpackCandidate(packed, document_id, rank))
  const chunks = unpackMatches(matches)
  return {
    ...rest,
    candidates,
    beyondDepth: beyond.ids.map((document_id, at) => ({ document_id, score: beyond.scores[at] ?? 0 })),
    passages: chunks.flatMap((chunk, at) => {
      const candidate = candidates[passages[at * 2] ?? -1]
      if (candidate === undefined) return []
      const { document_id, language } = candidate
      return [{ id: { document_id, chunk_ind: passages[at * 2 + 1] ?? 0, language }, chunk }]
    }),
  }
}

function unpackCandidate(
  { languages, numbers }: PackedCandidates,
  document_id: string,
  rank: number,
): RankingCandidate {
  const at = rank * NUMBERS
  const numberAt = (offset: number): number | null => {
    const number = numbers[at + offset] ?? Number.NaN
    return Number.isNaN(number) ? null : number
  }
  const second = numberAt(5)
  const first = numberAt(4) ?? 0
  return {
    document_id,
    updated_at: numberAt(1),
    language: languages[numberAt(0) ?? 0] ?? 'en',
    passages: second === null ? [first] : [first, second],
    lexicalScore: numberAt(2),
    semanticScore: numberAt(3),
  }
}
