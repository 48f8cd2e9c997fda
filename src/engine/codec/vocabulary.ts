// The words that the terms of a segment stand for, for example "reports" and "reporting" for the term "report".

import { createBitSet, hasBit, setBit } from './bits.ts'
import { type Dictionary, DictionaryCursor, DictionaryWriter, smallestCursor } from './dictionary.ts'
import { GrowableUint32s } from './growable-buffer.ts'
import type { Sections } from './layout.ts'
import { sortByBytes } from './text-encoding.ts'

/** A word and the terms that stand for it. */
export interface VocabularyWord {
  word: string
  terms: readonly string[]
}

export interface Vocabulary {
  /** Words that differ from their term. A word with several terms occurs once for each of them. */
  words: Dictionary
  /** Per word, the ordinal of its term. */
  terms: Uint32Array
  /** One bit per term, set if the term is a word itself: "report" is one, "manag" is not. */
  isWord: Uint32Array
}

/** Takes words in ascending byte order, each with its terms in ascending order. */
export class VocabularyWriter {
  readonly #words = new DictionaryWriter()
  readonly #terms = new GrowableUint32s()
  readonly #termsThatAreWords = new GrowableUint32s()

  get size(): number {
    return this.#words.size
  }

  add(word: Uint8Array | string, term: number): void {
    if (typeof word === 'string') this.#words.addText(word)
    else this.#words.add(word)
    this.#terms.push(term)
  }

  /** Marks a term that is a word itself. */
  addWordThatIsTerm(term: number): void {
    this.#termsThatAreWords.push(term)
  }

  sections(terms: number): Sections {
    const isWord = createBitSet(terms)
    for (const term of this.#termsThatAreWords.view()) setBit(isWord, term)
    return [
      ['words.bytes', this.#words.bytes.view()],
      ['words.blocks', this.#words.blocks.view()],
      ['words.term', this.#terms.view()],
      ['words.plain', isWord],
    ]
  }
}

/** Adds the words of new groups. Terms without an ordinal are skipped. */
export function addVocabulary(
  writer: VocabularyWriter,
  words: readonly VocabularyWord[],
  ordinalOf: (term: string) => number | undefined,
): void {
  const termsOf = new Map<string, Set<number>>()
  for (const { word, terms } of words) {
    for (const term of terms) {
      const ordinal = ordinalOf(term)
      if (ordinal === undefined) continue
      if (term === word) writer.addWordThatIsTerm(ordinal)
      else termsOf.set(word, (termsOf.get(word) ?? new Set()).add(ordinal))
    }
  }
  for (const name of sortByBytes(termsOf.keys())) {
    for (const ordinal of [...(termsOf.get(name) ?? [])].sort((a, b) => a - b)) writer.add(name, ordinal)
  }
}

interface VocabularySource {
  vocabulary: Vocabulary
  /** The new ordinal of each term, or `gone`. */
  newTerms: Uint32Array
}

/** The number of words that a merge processes before it yields. */
const STEP = 20_000

/** Merges the words that still have a term. */
export function* mergeVocabularies(
  sources: readonly VocabularySource[],
  gone: number,
  writer: VocabularyWriter,
): Generator<void> {
  const plain = new Set<number>()
  for (const { vocabulary, newTerms } of sources) {
    for (const [term, newTerm] of newTerms.entries()) {
      if (newTerm !== gone && hasBit(vocabulary.isWord, term)) plain.add(newTerm)
    }
  }
  for (const term of plain) writer.addWordThatIsTerm(term)
  const inputs = sources.map(({ vocabulary, newTerms }) => {
    const cursor = new DictionaryCursor(vocabulary.words)
    return { termsOfWords: vocabulary.terms, newTerms, cursor, isOpen: cursor.next() }
  })
  let work = 0
  for (let least = smallestCursor(inputs); least !== undefined; least = smallestCursor(inputs)) {
    const name = Buffer.from(least.bytes())
    const terms = new Set<number>()
    for (const input of inputs) {
      const { cursor, termsOfWords, newTerms } = input
      for (; input.isOpen && cursor.compareTo(name) === 0; input.isOpen = cursor.next()) {
        const term = newTerms[termsOfWords[cursor.ordinal]!]!
        if (term !== gone) terms.add(term)
      }
    }
    for (const term of [...terms].sort((a, b) => a - b)) writer.add(name, term)
    if (++work % STEP === 0) yield
  }
}
