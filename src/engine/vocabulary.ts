// Which whole words do the terms of a segment stand for? "reports" and "reporting" for the term "report".
import { bitSet, hasBit, setBit } from './bits.ts'
import { type Dictionary, DictionaryCursor, DictionaryWriter } from './dictionary.ts'
import type { GroupWord } from './group.ts'
import { GrowingWords } from './growing.ts'
import { bytesOfText, compareBytes } from './key-text.ts'
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

  add(word: Uint8Array, term: number): void {
    this.#words.add(word)
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

/** The words of new groups, whose terms are numbered as they came. */
export class WordCollector {
  readonly #ids: ReadonlyMap<string, number>
  readonly #seen = new Set<GroupWord>()
  readonly #words = new Map<string, Set<number>>()
  readonly #plain = new Set<number>()

  constructor(ids: ReadonlyMap<string, number>) {
    this.#ids = ids
  }

  add(words: Iterable<GroupWord>): void {
    for (const it of words) {
      if (this.#seen.has(it)) continue
      this.#seen.add(it)
      for (const term of it.terms) this.#addTerm(it.word, term)
    }
  }

  #addTerm(word: string, term: string): void {
    const id = this.#ids.get(term)
    if (id === undefined) throw new RangeError(`no entry holds the term ${term} of the word ${word}`)
    if (term === word) {
      this.#plain.add(id)
      return
    }
    const ids = this.#words.get(word) ?? new Set()
    this.#words.set(word, ids.add(id))
  }

  finish(writer: VocabularyWriter, ordinalOfId: Uint32Array): void {
    const sorted = [...this.#words].map(([word, ids]) => ({ bytes: bytesOfText(word), ids }))
    sorted.sort((a, b) => compareBytes(a.bytes, b.bytes))
    for (const { bytes, ids } of sorted) {
      for (const term of [...ids].map((id) => ordinalOfId[id]!).sort((a, b) => a - b)) writer.add(bytes, term)
    }
    for (const id of this.#plain) writer.addPlain(ordinalOfId[id]!)
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
  for (let word = leastOf(cursors, open); word !== undefined; word = leastOf(cursors, open)) {
    const name = Buffer.from(word)
    const terms = new Set<number>()
    for (const [at, cursor] of cursors.entries()) {
      for (; open[at] && compareBytes(cursor.bytes(), name) === 0; open[at] = cursor.next()) {
        const term = sources[at]!.newTerms[sources[at]!.vocabulary.terms[cursor.ordinal]!]!
        if (term !== gone) terms.add(term)
      }
    }
    for (const term of [...terms].sort((a, b) => a - b)) writer.add(name, term)
    if (++work % STEP === 0) yield
  }
}

function leastOf(cursors: readonly DictionaryCursor[], open: readonly boolean[]): Buffer | undefined {
  let least: Buffer | undefined
  for (const [at, cursor] of cursors.entries()) {
    if (open[at] && (least === undefined || compareBytes(cursor.bytes(), least) < 0)) least = cursor.bytes()
  }
  return least
}
