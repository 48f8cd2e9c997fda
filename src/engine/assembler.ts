// The common end of making a segment, whether from new groups or from older segments.
import { DictionaryWriter } from './dictionary.ts'
import { GrowingBytes, GrowingWords } from './growing.ts'
import { hashOf } from './key-text.ts'
import { LabelSetsWriter } from './label-sets.ts'
import type { Sections, SegmentMeta } from './layout.ts'
import { PostingsWriter } from './postings-writer.ts'
import { StoredTextWriter } from './stored-text.ts'
import { VocabularyWriter } from './vocabulary.ts'

export interface AssemblerOptions {
  b: number
  /** The average length of the index so far, 0 when it is empty. */
  averageLength: number
  dimensions: readonly string[]
  writeStored: (bytes: Uint8Array) => void
}

/** Filled in this order: groups with their entries, their texts, `stored.finish`, terms with postings, words, `finish`. */
export class Assembler {
  readonly #options: AssemblerOptions
  readonly #keys = new GrowingBytes()
  readonly #keyStarts = new GrowingWords()
  readonly #keyHashes = new GrowingWords()
  readonly #groupStarts = new GrowingWords()
  readonly #groupOfEntry = new GrowingWords()
  readonly #times: number[] = []
  readonly #languages = new Map<string, number>()
  readonly #languageOfGroup = new GrowingBytes()
  readonly #lengths = new GrowingWords()
  readonly #marks = new GrowingWords()
  readonly #terms = new DictionaryWriter()
  readonly labelSets: LabelSetsWriter[]
  readonly stored: StoredTextWriter
  readonly vocabulary = new VocabularyWriter()
  readonly forwardStarts = new GrowingWords()
  #totalLength = 0
  #maxLength = 0
  #postings: PostingsWriter | undefined

  constructor(options: AssemblerOptions) {
    this.#options = options
    this.labelSets = options.dimensions.map(() => new LabelSetsWriter())
    this.stored = new StoredTextWriter(options.writeStored)
  }

  /** The caller adds the group's labels to `labelSets`. */
  startGroup(key: Uint8Array, time: number, language: string): void {
    this.#keyStarts.push(this.#keys.length)
    this.#keys.append(key)
    this.#keyHashes.push(hashOf(key))
    this.#groupStarts.push(this.#lengths.length)
    this.#times.push(time)
    const code = this.#languages.get(language) ?? this.#languages.size
    this.#languages.set(language, code)
    this.#languageOfGroup.varint(code)
  }

  /** The caller adds the entry's text to `stored`. */
  addEntry(length: number, markHigh: number, markLow: number): void {
    this.#lengths.push(length)
    this.#groupOfEntry.push(this.#times.length - 1)
    this.#marks.push(markHigh)
    this.#marks.push(markLow)
    this.#totalLength += length
    if (length > this.#maxLength) this.#maxLength = length
  }

  get entries(): number {
    return this.#lengths.length
  }

  /** Terms come in ascending order of their bytes, each followed by its postings in the writer this gives. */
  addTerm(term: Uint8Array | string): number {
    return typeof term === 'string' ? this.#terms.addText(term) : this.#terms.add(term)
  }

  postings(): PostingsWriter {
    const basis = { b: this.#options.b, referenceLength: this.#referenceLength() }
    this.#postings ??= new PostingsWriter(basis, { lengths: this.#lengths.view(), groups: this.#groupOfEntry.view() })
    return this.#postings
  }

  #referenceLength(): number {
    return this.#options.averageLength || Math.max(1, this.#totalLength / this.entries || 1)
  }

  finish(): { meta: SegmentMeta; sections: Sections } {
    const labelSets = this.labelSets.map((it) => it.finish())
    const groups = this.#times.length
    const lengthBytes = this.#maxLength < 65_536 ? 2 : 4
    const lengths = this.#lengths.view()
    const meta: SegmentMeta = {
      entries: this.entries,
      groups,
      terms: this.#terms.size,
      words: this.vocabulary.size,
      totalLength: this.#totalLength,
      b: this.#options.b,
      referenceLength: this.#referenceLength(),
      lengthBytes,
      languages: [...this.#languages.keys()],
      dimensions: labelSets.map(({ setCount, labels }, at) => ({
        name: this.#options.dimensions[at]!,
        setCount,
        labels: labels.size,
      })),
    }
    const sections: Sections = [
      ...this.#termSections(),
      ...this.vocabulary.sections(this.#terms.size),
      ...this.#groupSections(),
      ['marks', this.#marks.view()],
      ['lengths', lengthBytes === 2 ? new Uint16Array(lengths) : lengths],
      ['stored.first', this.stored.firstEntries.view()],
      ['stored.crc', this.stored.crcs.view()],
      ['stored.start', new Float64Array(this.stored.starts)],
      ['forward.start', this.forwardStarts.view()],
    ]
    for (const [at, { labels, starts, members, sets }] of labelSets.entries()) {
      sections.push([`labels${at}.bytes`, labels.bytes], [`labels${at}.blocks`, labels.blocks])
      sections.push([`labels${at}.start`, starts], [`labels${at}.member`, members], [`labels${at}.set`, sets])
    }
    return { meta, sections }
  }

  #termSections(): Sections {
    const postings = this.postings()
    return [
      ['terms.bytes', this.#terms.bytes.view()],
      ['terms.blocks', this.#terms.blocks.view()],
      ['postings.words', postings.words.view()],
      ['postings.size', postings.sizes.view()],
      ['postings.groups', postings.groups.view()],
      ['postings.start', postings.starts.view()],
      ['blocks.last', postings.blockLast.view()],
      ['blocks.start', postings.blockStart.view()],
      ['blocks.bound', postings.bounds()],
    ]
  }

  #groupSections(): Sections {
    const groups = this.#times.length
    this.#keyStarts.push(this.#keys.length)
    this.#groupStarts.push(this.entries)
    const hashes = this.#keyHashes.view()
    const order = Uint32Array.from({ length: groups }, (_, group) => group)
    order.sort((a, b) => hashes[a]! - hashes[b]!)
    return [
      ['keys.bytes', this.#keys.view()],
      ['keys.start', this.#keyStarts.view()],
      ['keys.order', order],
      ['keys.hash', Uint32Array.from(order, (group) => hashes[group]!)],
      ['groups.start', this.#groupStarts.view()],
      ['groups.time', new Float64Array(this.#times)],
      ['groups.language', this.#languageOfGroup.view()],
    ]
  }
}
