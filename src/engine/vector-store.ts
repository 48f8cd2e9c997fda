// The vectors that an index owns. A row carries the mark of what its vector was made of, so that nothing else has to say
// whose it is: entries find their rows by it when the index opens, and a row of something else is noticed.
import type { LiveSegment, Placement } from './live-segment.ts'
import { MarkTable } from './marks.ts'
import { claimRows } from './placements.ts'
import { FloatRow, floatReader, isRead, openVectorFiles, type VectorFiles } from './vector-files.ts'
import { NO_SLOT, strideOf, type VectorImage, VectorRows } from './vector-rows.ts'

export interface VectorSettings {
  /** Vectors of another model are left behind. */
  model: string
  image: VectorImage
}

/** About so many bytes are read or written between two pauses. */
const PIECE_BYTES = 4 << 20

export class VectorStore {
  readonly #image: VectorImage
  readonly #files: VectorFiles
  readonly #rows: VectorRows
  readonly #floatRow: FloatRow
  /** Rows from here on were never used. */
  #used = 0
  #free: number[] = []
  /** Rows that views may still use. */
  #left: number[] = []
  /** Rows that nobody uses, with something in them. */
  #stale: number[] = []
  /** Rows that the file does not have yet as they are. */
  #unsaved: number[] = []
  /** Rows of an index that was lost: its entries take them when they come back. */
  #orphans: MarkTable | undefined
  /** What was lost when the store was opened. */
  readonly losses: string[] = []

  constructor(dir: string, { model, image }: VectorSettings) {
    this.#image = image
    this.#rows = new VectorRows(image)
    this.#floatRow = new FloatRow(image.dimension)
    this.#files = openVectorFiles(dir, model, image.dimension)
    if (this.#files.loss !== undefined) this.losses.push(this.#files.loss)
  }

  /**
   * Gives the entries the rows that they had when the index was open the last time. What they leave is used again,
   * unless the index begins anew: then it is kept for entries to come.
   */
  claim(segments: readonly LiveSegment[], isAnew: boolean): Placement[] {
    const found = this.#load()
    const placements = claimRows(segments, found)
    if (isAnew && found.size > 0) this.#orphans = found
    else this.#shrink(placements, found)
    return placements
  }

  get hasOrphans(): boolean {
    return this.#orphans !== undefined
  }

  /** The row of an entry that the index lost, or NO_SLOT. */
  takeOrphan(markHigh: number, markLow: number): number {
    return this.#orphans?.take(markHigh, markLow) ?? NO_SLOT
  }

  /** What has not come back by now will not. */
  dropOrphans(): void {
    this.#stale = this.#stale.concat(this.#orphans?.rest() ?? [])
    this.#orphans = undefined
  }

  /** The row that has the vector from now on. Throws, and changes nothing, when there is no room. */
  add(vector: Float32Array, markHigh: number, markLow: number): number {
    const slot = this.#free.at(-1) ?? this.#used
    this.#rows.write(slot, vector, markHigh, markLow)
    this.#floatRow.set(vector, markHigh, markLow)
    this.#files.floats.write(slot, this.#floatRow.bytes)
    if (this.#free.pop() === undefined) this.#used++
    this.#unsaved.push(slot)
    return slot
  }

  /** Views may still use these rows, and the index on disk may still hold their entries. */
  leave(slots: readonly number[]): void {
    for (const slot of slots) this.#left.push(slot)
  }

  takeLeft(): number[] {
    return this.#left.splice(0)
  }

  /** Nobody uses these rows any more, and no entry on disk has them. */
  release(slots: readonly number[]): void {
    for (const slot of slots) this.#stale.push(slot)
  }

  get isSaved(): boolean {
    return this.#unsaved.length === 0 && this.#stale.length === 0
  }

  /**
   * Brings the vectors to disk. A row is written only when its floats have reached the disk. Where the disk fails, what
   * was not saved is left for the next call.
   */
  *save(failpoint: (name: string) => void): Generator<void> {
    const stale = this.#stale.splice(0)
    const unsaved = this.#unsaved.splice(0)
    try {
      for (const run of this.#runsOf(stale)) {
        this.#wipe(run)
        yield
      }
      if (unsaved.length === 0 && stale.length === 0) return
      this.#files.floats.sync()
      failpoint('floats-synced')
      for (const { slot, count } of this.#runsOf(unsaved)) {
        this.#files.rows.write(slot, this.#rows.bytes(slot, count))
        yield
      }
      failpoint('rows-written')
      this.#files.rows.sync()
      failpoint('rows-synced')
    } catch (error) {
      this.#stale = this.#stale.concat(stale)
      this.#unsaved = this.#unsaved.concat(unsaved)
      throw error
    }
    this.#free = this.#free.concat(stale)
  }

  /** Whether the floats of the row are there. */
  hasFloats(slot: number): boolean {
    const reader = floatReader(this.#files.floats, this.#image.dimension)
    return reader.read(slot, this.#rows.markHigh(slot), this.#rows.markLow(slot)) !== undefined
  }

  close(): void {
    this.#files.rows.close()
    this.#files.floats.close()
  }

  /** Reads the rows into memory; those that are not as they were written are left out. */
  #load(): MarkTable {
    const { rows, floats } = this.#files
    // Floats come first, so a crash may leave more of them than rows, and never fewer.
    const lost = Math.max(0, rows.count() - floats.count())
    if (lost > 0) this.losses.push(`${lost} vectors have lost their floats`)
    this.#cut(Math.min(rows.count(), floats.count(), this.#image.capacity))
    this.#rows.reserve(this.#used)
    const table = new MarkTable(this.#used)
    const piece = Math.ceil(PIECE_BYTES / strideOf(this.#image.dimension))
    let damaged = 0
    for (let from = 0; from < this.#used; from += piece) {
      const until = Math.min(from + piece, this.#used)
      const bytes = this.#rows.bytes(from, until - from)
      if (!isRead(rows, from, bytes)) bytes.fill(0xff)
      for (let slot = from; slot < until; slot++) damaged += this.#sort(slot, table)
    }
    // The lowest are taken first.
    this.#free.reverse()
    if (damaged > 0) this.losses.push(`${damaged} of ${this.#used} vectors are damaged`)
    return table
  }

  /** Gives 1 when the row is damaged. */
  #sort(slot: number, table: MarkTable): 0 | 1 {
    const high = this.#rows.markHigh(slot)
    const low = this.#rows.markLow(slot)
    if (high === 0 && low === 0) {
      this.#free.push(slot)
      return 0
    }
    if (this.#rows.isWhole(slot)) {
      table.add(high, low, slot)
      return 0
    }
    this.#stale.push(slot)
    return 1
  }

  /** Rows after the last that is used need not be wiped. */
  #shrink(placements: readonly Placement[], found: MarkTable): void {
    let used = 0
    for (const { slots } of placements) for (const slot of slots) used = Math.max(used, slot + 1)
    this.#cut(used)
    this.#free = this.#free.filter((slot) => slot < used)
    this.#stale = this.#stale.concat(found.rest()).filter((slot) => slot < used)
  }

  #cut(used: number): void {
    this.#used = used
    this.#files.rows.truncate(used)
    this.#files.floats.truncate(used)
  }

  /** Neighbouring rows, as many as are written in one go. */
  *#runsOf(slots: readonly number[]): Generator<{ slot: number; count: number }> {
    const most = Math.ceil(PIECE_BYTES / strideOf(this.#image.dimension) / 4)
    const sorted = Uint32Array.from(slots).sort()
    for (let at = 0; at < sorted.length; ) {
      const slot = sorted[at]!
      let count = 1
      for (at++; at < sorted.length && sorted[at]! <= slot + count && count < most; at++) {
        if (sorted[at] === slot + count) count++
      }
      yield { slot, count }
    }
  }

  /** A vector gives its text away to who knows the model, so nothing of it stays. */
  #wipe({ slot, count }: { slot: number; count: number }): void {
    const row = this.#rows.bytes(slot, count).fill(0)
    this.#files.rows.write(slot, row)
    this.#files.floats.write(slot, Buffer.alloc(this.#floatRow.bytes.length * count))
  }
}
