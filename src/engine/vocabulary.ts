// Which whole words do the terms of a segment stand for? "reports" and "reporting" for the term "report".
import { bitSet, hasBit, setBit } from './bits.ts'
import { type Dictionary, DictionaryCursor, DictionaryWriter, leastOf } from './dictionary.ts'
import type { Word } from './group.ts'
import { GrowingWords } from './growing.ts'
import { inByteOrder } from './key-text.ts'
import type { Sections } from './layout.ts'

export interface Vocabulary {
  /** Words that are not written as their term; a word with several terms stands there as often. */
  words: Dictionary
  /** Per word, the ordinal of its term. */
  terms: Uint32Array
  /** Per term, whether it is a word too: "report" is, "manag" is not. */
  isWord: Uint32Array
}

/** Takes words in ascending order of their bytes, each with its terms in ascending order. */
export class VocabularyWriter {
  readonly #words = new DictionaryWriter()
  readonly #terms = new GrowingWords()
  readonly #plain = new GrowingWords()

  get size(): number {
    return this.#words.size
  }

  add(word: Uint8Array | string, term: number): void {
    if (typeof word === 'string') this.#words.addText(word)
    else this.#words.add(word)
    this.#terms.push(term)
  }

  /** The term is a word itself. */
  addPlain(term: number): void {
    this.#plain.push(term)
  }

  sections(terms: number): Sections {
    const isWord = bitSet(terms)
    for (const term of this.#plain.view()) setBit(isWord, term)
    return [
      ['words.bytes', this.#words.bytes.view()],
      ['words.blocks', this.#words.blocks.view()],
      ['words.term', this.#terms.view()],
      ['words.plain', isWord],
    ]
  }
}

/** The words of new groups. Terms that have no ordinal are passed over. */
export function addWords(
  writer: VocabularyWriter,
  words: readonly Word[],
  ordinalOf: (term: string) => number | undefined,
): void {
  const termsOf = new Map<string, number[]>()
  for (const { word, terms } of words) {
    for (const term of terms) {
      const ordinal = ordinalOf(term)
      if (ordinal === undefined) continue
      if (term === word) writer.addPlain(ordinal)
      else if (!termsOf.has(word)) termsOf.set(word, [ordinal])
      else termsOf.get(word)!.push(ordinal)
    }
  }
  for (const name of inByteOrder(termsOf.keys())) {
    for (const ordinal of new Set(termsOf.get(name)!.sort((a, b) => a - b))) writer.add(name, ordinal)
  }
}

interface Source {
  vocabulary: Vocabulary
  /** The new ordinal of each term, or `gone`. */
  newTerms: Uint32Array
}

/** Words between two pauses of a merge. */
const STEP = 20_000

/** Words of which a term is left. */
export function* mergeVocabularies(
  sources: readonly Source[],
  gone: number,
  writer: VocabularyWriter,
): Generator<void> {
  const plain = new Set<number>()
  for (const { vocabulary, newTerms } of sources) {
    for (const [term, newTerm] of newTerms.entries()) {
      if (newTerm !== gone && hasBit(vocabulary.isWord, term)) plain.add(newTerm)
    }
  }
  for (const term of plain) writer.addPlain(term)
  const cursors = sources.map((it) => new DictionaryCursor(it.vocabulary.words))
  const open = cursors.map((it) => it.next())
  let work = 0
  for (let least = leastOf(cursors, open); least !== undefined; least = leastOf(cursors, open)) {
    const name = Buffer.from(least.bytes())
    const terms = new Set<number>()
    for (const [at, cursor] of cursors.entries()) {
      for (; open[at] && cursor.compareTo(name) === 0; open[at] = cursor.next()) {
        const term = sources[at]!.newTerms[sources[at]!.vocabulary.terms[cursor.ordinal]!]!
        if (term !== gone) terms.add(term)
      }
    }
    for (const term of [...terms].sort((a, b) => a - b)) writer.add(name, term)
    if (++work % STEP === 0) yield
  }
}
