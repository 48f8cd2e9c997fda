// The passages given to the model: numbered across all searches, without duplicates, within a token budget.
import type { Passage } from '../../domain/chat/passage.ts'
import { estimateTokens, truncateToTokens } from '../../domain/models/token-estimate.ts'
import { eachWord } from '../../text/words.ts'

export interface NumberedPassage {
  number: number
  passage: Passage
}

export interface AddedPassages {
  added: NumberedPassage[]
  /** Numbers of passages that were given before, or whose text duplicates one of those. */
  repeated: number[]
  /** How many did not fit. */
  omitted: number
}

export interface PassageStore {
  add(passages: readonly Passage[], tokens: number): AddedPassages
  passages(): ReadonlyMap<number, Passage>
  /** For a model that was given nothing yet: passages can be added again, with new numbers. */
  restart(): void
}

/** The title, source and date around each passage. */
const HEADER_TOKENS = 80
/** A shorter fragment of a passage is not useful. */
const MIN_PASSAGE_TOKENS = 100
/** Two texts that share this portion of their shingles are duplicates. */
const MIN_SHARED_SHINGLES = 0.9

export function createPassageStore(): PassageStore {
  const numbered = new Map<number, Passage>()
  const given: (NumberedPassage & { print: ReadonlySet<string> })[] = []
  const findDuplicate = (passage: Passage, print: ReadonlySet<string>): number | undefined =>
    given.find((it) => isContained(passage, it.passage) || isNearDuplicate(print, it.print))?.number

  return {
    restart() {
      given.length = 0
    },
    add(passages, tokens) {
      const delivery: AddedPassages = { added: [], repeated: [], omitted: 0 }
      let room = tokens
      for (const passage of passages) {
        const print = shingle(passage.text)
        const twin = findDuplicate(passage, print)
        if (twin !== undefined) {
          if (!delivery.repeated.includes(twin)) delivery.repeated.push(twin)
          continue
        }
        const text = truncateToTokens(passage.text, room - HEADER_TOKENS)
        if (text !== passage.text && estimateTokens(text) < MIN_PASSAGE_TOKENS) {
          delivery.omitted++
          continue
        }
        room -= estimateTokens(text) + HEADER_TOKENS
        const added: NumberedPassage = { number: numbered.size + 1, passage: { ...passage, text } }
        numbered.set(added.number, added.passage)
        given.push({ ...added, print })
        delivery.added.push(added)
      }
      return delivery
    },
    passages: () => numbered,
  }
}

const isContained = (one: Passage, other: Passage): boolean =>
  one.document.document_id === other.document.document_id &&
  one.chunk_inds[0] >= other.chunk_inds[0] &&
  one.chunk_inds[1] <= other.chunk_inds[1] &&
  other.text.includes(one.text)

const SHINGLE_WORDS = 4

/** Overlapping word n-grams: two copies of a text share nearly all of them. */
function shingle(text: string): ReadonlySet<string> {
  const words: string[] = []
  eachWord(text, (start, end) => words.push(text.slice(start, end).toLowerCase()))
  if (words.length < SHINGLE_WORDS) return new Set([words.join(' ')])
  return new Set(words.slice(SHINGLE_WORDS - 1).map((_, at) => words.slice(at, at + SHINGLE_WORDS).join(' ')))
}

function isNearDuplicate(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [fewer, more] = one.size <= other.size ? [one, other] : [other, one]
  let shared = 0
  for (const it of fewer) if (more.has(it)) shared++
  return shared >= MIN_SHARED_SHINGLES * fewer.size && fewer.size >= MIN_SHARED_SHINGLES * more.size
}
