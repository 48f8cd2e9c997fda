// The common last stage of building a segment, either from new groups or from older segments.
import type { Language } from '../../text/language.ts'
import { DictionaryWriter } from '../codec/dictionary.ts'
import { GrowableBytes, GrowableUint32s } from '../codec/growable-buffer.ts'
import { LabelSetsWriter } from '../codec/label-sets.ts'
import type { Sections, SegmentMeta } from '../codec/layout.ts'
import { PostingsWriter } from '../codec/postings-writer.ts'
import { StoredTextWriter } from '../codec/stored-text.ts'
import { fnv1aHash } from '../codec/text-encoding.ts'
import { VocabularyWriter } from '../codec/vocabulary.ts'

export interface SegmentAssemblerOptions {
  b: number
  /** The average passage length of the index so far, or 0 if it is empty. */
  averageLength: number
  dimensions: readonly string[]
  writeStored: (bytes: Uint8Array) => void
}

/**
 * Must be filled in this order: groups with their passages, stored text, `stored.finish`, terms with postings,
 * vocabulary, `finish`.
 */
export class SegmentAssembler {
  readonly #options: SegmentAssemblerOptions
  readonly #keys = new GrowableBytes()
  readonly #keyStarts = new GrowableUint32s()
  readonly #keyHashes = new GrowableUint32s()
  readonly #groupStarts = new GrowableUint32s()
  readonly #groupOfPassage = new GrowableUint32s()
  readonly #times: number[] = []
  readonly #languages = new Map<Language, number>()
  readonly #languageOfGroup = new GrowableBytes()
  readonly #lengths = new GrowableUint32s()
  readonly #contentHashes = new GrowableUint32s()
  readonly #terms = new DictionaryWriter()
  readonly #dimensions: { name: string; writer: LabelSetsWriter }[]
  /** One per dimension, in the order of the dimensions. */
  readonly labelSets: LabelSetsWriter[]
  readonly stored: StoredTextWriter
  readonly vocabulary = new VocabularyWriter()
  readonly forwardStarts = new GrowableUint32s()
  #totalLength = 0
  #maxLength = 0
  #postings: PostingsWriter | undefined

  constructor(options: SegmentAssemblerOptions) {
    this.#options = options
    this.#dimensions = options.dimensions.map((name) => ({ name, writer: new LabelSetsWriter() }))
    this.labelSets = this.#dimensions.map((it) => it.writer)
    this.stored = new StoredTextWriter(options.writeStored)
  }

  /** The caller adds the group's labels to `labelSets`. */
  startGroup(key: Uint8Array, time: number, language: Language): void {
    this.#keyStarts.push(this.#keys.length)
    this.#keys.append(key)
    this.#keyHashes.push(fnv1aHash(key))
    this.#groupStarts.push(this.#lengths.length)
    this.#times.push(time)
    const code = this.#languages.get(language) ?? this.#languages.size
    this.#languages.set(language, code)
    this.#languageOfGroup.appendVarint(code)
  }

  /** The caller adds the passage's text to `stored`. */
  addPassage(length: number, hashHigh: number, hashLow: number): void {
    this.#lengths.push(length)
    this.#groupOfPassage.push(this.#times.length - 1)
    this.#contentHashes.push(hashHigh)
    this.#contentHashes.push(hashLow)
    this.#totalLength += length
    if (length > this.#maxLength) this.#maxLength = length
  }

  get passages(): number {
    return this.#lengths.length
  }

  /**
   * Terms come in ascending byte order. After each term the caller writes its postings to the writer that `postings`
   * returns.
   */
  addTerm(term: Uint8Array | string): number {
    return typeof term === 'string' ? this.#terms.addText(term) : this.#terms.add(term)
  }

  postings(): PostingsWriter {
    const parameters = { b: this.#options.b, referenceLength: this.#referenceLength() }
    this.#postings ??= new PostingsWriter(parameters, {
      lengths: this.#lengths.view(),
      groups: this.#groupOfPassage.view(),
    })
    return this.#postings
  }

  #referenceLength(): number {
    return this.#options.averageLength || Math.max(1, this.#totalLength / this.passages || 1)
  }

  finish(): { meta: SegmentMeta; sections: Sections } {
    const labelSets = this.#dimensions.map(({ name, writer }) => ({ name, ...writer.finish() }))
    const groups = this.#times.length
    const lengthBytes = this.#maxLength < 65_536 ? 2 : 4
    const lengths = this.#lengths.view()
    const meta: SegmentMeta = {
      entries: this.passages,
      groups,
      terms: this.#terms.size,
      words: this.vocabulary.size,
      totalLength: this.#totalLength,
      b: this.#options.b,
      referenceLength: this.#referenceLength(),
      lengthBytes,
      languages: [...this.#languages.keys()],
      dimensions: labelSets.map(({ name, setCount, labels }) => ({ name, setCount, labels: labels.size })),
    }
    const sections: Sections = [
      ...this.#termSections(),
      ...this.vocabulary.sections(this.#terms.size),
      ...this.#groupSections(),
      ['marks', this.#contentHashes.view()],
      ['lengths', lengthBytes === 2 ? new Uint16Array(lengths) : lengths],
      ['stored.first', this.stored.firstPassages.view()],
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
      ['postings.words', postings.packed.view()],
      ['postings.size', postings.passageCounts.view()],
      ['postings.groups', postings.groupCounts.view()],
      ['postings.start', postings.starts.view()],
      ['blocks.last', postings.blockLast.view()],
      ['blocks.start', postings.blockStart.view()],
      ['blocks.bound', postings.bounds()],
    ]
  }

  #groupSections(): Sections {
    const groups = this.#times.length
    this.#keyStarts.push(this.#keys.length)
    this.#groupStarts.push(this.passages)
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
