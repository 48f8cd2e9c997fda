// What a model was given to rest its answer on: numbered over all searches, nothing twice, no more than it can read.
import type { Passage } from '../domain/passage.ts'
import { fitting, tokensIn } from '../domain/tokens.ts'
import { eachWord } from '../text/words.ts'

export interface Given {
  number: number
  passage: Passage
}

export interface Delivery {
  fresh: Given[]
  /** Numbers of those that had been given before, or say the same as one that was. */
  again: number[]
  /** How many found no room. */
  left: number
}

export interface Shelf {
  put(passages: readonly Passage[], tokens: number): Delivery
  given(): ReadonlyMap<number, Passage>
}

/** Around each passage stand its title, source and date. */
const HEAD_TOKENS = 80
/** A shorter piece of a passage says nothing. */
const LEAST_TOKENS = 100
/** So much of the shorter text stands in the other one. */
const SAME_TEXT = 0.9

export function createShelf(): Shelf {
  const given = new Map<number, Passage>()
  const prints = new Map<number, ReadonlySet<string>>()
  const twinOf = (passage: Passage, print: ReadonlySet<string>): number | undefined =>
    [...given].find(([number, it]) => isInside(passage, it) || isSame(print, prints.get(number)!))?.[0]

  return {
    put(passages, tokens) {
      const delivery: Delivery = { fresh: [], again: [], left: 0 }
      let room = tokens
      for (const passage of passages) {
        const print = printOf(passage.text)
        const twin = twinOf(passage, print)
        if (twin !== undefined) {
          if (!delivery.again.includes(twin)) delivery.again.push(twin)
          continue
        }
        const text = fitting(passage.text, room - HEAD_TOKENS)
        if (text !== passage.text && tokensIn(text) < LEAST_TOKENS) {
          delivery.left++
          continue
        }
        room -= tokensIn(text) + HEAD_TOKENS
        const number = given.size + 1
        given.set(number, { ...passage, text })
        prints.set(number, print)
        delivery.fresh.push({ number, passage: given.get(number)! })
      }
      return delivery
    },
    given: () => given,
  }
}

const isInside = (one: Passage, other: Passage): boolean =>
  one.document.document_id === other.document.document_id &&
  one.chunk_inds[0] >= other.chunk_inds[0] &&
  one.chunk_inds[1] <= other.chunk_inds[1] &&
  other.text.includes(one.text)

const RUN = 4

/** Runs of words: two copies of a text share nearly all of them. */
function printOf(text: string): ReadonlySet<string> {
  const words: string[] = []
  eachWord(text, (start, end) => words.push(text.slice(start, end).toLowerCase()))
  if (words.length < RUN) return new Set([words.join(' ')])
  return new Set(words.slice(RUN - 1).map((_, at) => words.slice(at, at + RUN).join(' ')))
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [fewer, more] = one.size <= other.size ? [one, other] : [other, one]
  let shared = 0
  for (const it of fewer) if (more.has(it)) shared++
  return shared >= SAME_TEXT * fewer.size && fewer.size >= SAME_TEXT * more.size
}
