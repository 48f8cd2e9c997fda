// The vectors of an index. Each row stores the content hash of the text that its vector was computed from. Passages
// find their rows by that hash when the index is opened, and a row that belongs to another text is detected.
import { type LiveSegment, NO_SLOT, type SlotAssignment } from '../segment/live-segment.ts'
import { ContentHashTable } from './content-hash-table.ts'
import { claimSlots } from './slot-assignments.ts'
import { createFloatReader, FloatRow, openVectorFiles, tryRead, type VectorFiles } from './vector-files.ts'
import { type VectorImage, VectorRows, vectorRowBytes } from './vector-rows.ts'

export interface VectorSettings {
  /** Vectors of another model are dropped. */
  model: string
  image: VectorImage
}

/** About this many bytes are read or written before a step ends. */
const BATCH_BYTES = 4 << 20

export class VectorStore {
  readonly #image: VectorImage
  readonly #files: VectorFiles
  readonly #rows: VectorRows
  readonly #floatRow: FloatRow
  /** Slots from here on have never been used. */
  #usedRows = 0
  #freeSlots: number[] = []
  /** Slots that index views may still use. */
  #retired: number[] = []
  /** Slots that nothing uses, but whose rows are not wiped yet. */
  #staleSlots: number[] = []
  /** Slots whose current rows are not in the file yet. */
  #unsavedSlots: number[] = []
  /** Rows of an index that was lost. Passages with the same text take them when they are indexed again. */
  #orphans: ContentHashTable | undefined
  /** The losses found when the store was opened, one sentence each. */
  readonly dropReasons: string[] = []

  constructor(dir: string, { model, image }: VectorSettings) {
    this.#image = image
    this.#rows = new VectorRows(image)
    this.#floatRow = new FloatRow(image.dimension)
    this.#files = openVectorFiles(dir, model, image.dimension)
    if (this.#files.dropReason !== undefined) this.dropReasons.push(this.#files.dropReason)
  }

  /**
   * Gives passages the slots that they had when the index was last open. Other slots are reused, unless the index is
   * new: then they are kept for passages to come.
   */
  claim(segments: readonly LiveSegment[], isNewIndex: boolean): SlotAssignment[] {
    const found = this.#load()
    const assignments = claimSlots(segments, found)
    if (isNewIndex && found.size > 0) this.#orphans = found
    else this.#dropTrailingRows(assignments, found)
    return assignments
  }

  get hasOrphans(): boolean {
    return this.#orphans !== undefined
  }

  /** Returns the slot of a lost passage with this text, or NO_SLOT. */
  takeOrphan(hashHigh: number, hashLow: number): number {
    return this.#orphans?.take(hashHigh, hashLow) ?? NO_SLOT
  }

  /** Call this when no more lost passages are expected. */
  dropOrphans(): void {
    this.#staleSlots = this.#staleSlots.concat(this.#orphans?.remaining() ?? [])
    this.#orphans = undefined
  }

  /** Returns the slot of the new vector. Throws and changes nothing if there is no room. */
  add(vector: Float32Array, hashHigh: number, hashLow: number): number {
    const slot = this.#freeSlots.at(-1) ?? this.#usedRows
    this.#rows.write(slot, vector, hashHigh, hashLow)
    this.#floatRow.set(vector, hashHigh, hashLow)
    this.#files.floats.write(slot, this.#floatRow.bytes)
    if (this.#freeSlots.pop() === undefined) this.#usedRows++
    this.#unsavedSlots.push(slot)
    return slot
  }

  /** Index views may still use these slots, and the index on disk may still contain their passages. */
  retire(slots: readonly number[]): void {
    for (const slot of slots) this.#retired.push(slot)
  }

  takeRetired(): number[] {
    return this.#retired.splice(0)
  }

  /** Nothing uses these slots any more, and no passage on disk has them. */
  free(slots: readonly number[]): void {
    for (const slot of slots) this.#staleSlots.push(slot)
  }

  get isSaved(): boolean {
    return this.#unsavedSlots.length === 0 && this.#staleSlots.length === 0
  }

  /**
   * Writes the vectors to disk. A row is written only after its floats are on disk. If the disk fails, the next call
   * tries again.
   */
  *save(failpoint: (name: string) => void): Generator<void> {
    const stale = this.#staleSlots.splice(0)
    const unsaved = this.#unsavedSlots.splice(0)
    try {
      for (const run of this.#consecutiveRuns(stale)) {
        this.#wipe(run)
        yield
      }
      if (unsaved.length === 0 && stale.length === 0) return
      this.#files.floats.sync()
      failpoint('floats-synced')
      for (const { slot, count } of this.#consecutiveRuns(unsaved)) {
        this.#files.rows.write(slot, this.#rows.bytes(slot, count))
        yield
      }
      failpoint('rows-written')
      this.#files.rows.sync()
      failpoint('rows-synced')
    } catch (error) {
      this.#staleSlots = this.#staleSlots.concat(stale)
      this.#unsavedSlots = this.#unsavedSlots.concat(unsaved)
      throw error
    }
    this.#freeSlots = this.#freeSlots.concat(stale)
  }

  /** Returns true if the floats of the row are intact. */
  hasFloats(slot: number): boolean {
    const reader = createFloatReader(this.#files.floats, this.#image.dimension)
    return reader.read(slot, this.#rows.hashHigh(slot), this.#rows.hashLow(slot)) !== undefined
  }

  close(): void {
    this.#files.rows.close()
    this.#files.floats.close()
  }

  /** Reads the rows into memory and leaves out damaged ones. */
  #load(): ContentHashTable {
    const { rows, floats } = this.#files
    // Floats are written first, so a crash can leave more floats than rows, but never fewer.
    const lost = Math.max(0, rows.count() - floats.count())
    if (lost > 0) this.dropReasons.push(`${lost} vectors have no floats`)
    this.#truncate(Math.min(rows.count(), floats.count(), this.#image.capacity))
    this.#rows.reserve(this.#usedRows)
    const table = new ContentHashTable(this.#usedRows)
    const piece = Math.ceil(BATCH_BYTES / vectorRowBytes(this.#image.dimension))
    let damaged = 0
    for (let from = 0; from < this.#usedRows; from += piece) {
      const until = Math.min(from + piece, this.#usedRows)
      const bytes = this.#rows.bytes(from, until - from)
      if (!tryRead(rows, from, bytes)) bytes.fill(0xff)
      for (let slot = from; slot < until; slot++) damaged += this.#classifyRow(slot, table)
    }
    // The lowest slots are reused first.
    this.#freeSlots.reverse()
    if (damaged > 0) this.dropReasons.push(`${damaged} of ${this.#usedRows} vectors are damaged`)
    return table
  }

  /** Returns 1 if the row is damaged. */
  #classifyRow(slot: number, table: ContentHashTable): 0 | 1 {
    const high = this.#rows.hashHigh(slot)
    const low = this.#rows.hashLow(slot)
    if (high === 0 && low === 0) {
      this.#freeSlots.push(slot)
      return 0
    }
    if (this.#rows.isIntact(slot)) {
      table.add(high, low, slot)
      return 0
    }
    this.#staleSlots.push(slot)
    return 1
  }

  /** Rows after the last one in use are truncated and need not be wiped. */
  #dropTrailingRows(assignments: readonly SlotAssignment[], found: ContentHashTable): void {
    let used = 0
    for (const { slots } of assignments) for (const slot of slots) used = Math.max(used, slot + 1)
    this.#truncate(used)
    this.#freeSlots = this.#freeSlots.filter((slot) => slot < used)
    this.#staleSlots = this.#staleSlots.concat(found.remaining()).filter((slot) => slot < used)
  }

  #truncate(used: number): void {
    this.#usedRows = used
    this.#files.rows.truncate(used)
    this.#files.floats.truncate(used)
  }

  /** Groups adjacent slots into runs that are written at once. */
  *#consecutiveRuns(slots: readonly number[]): Generator<{ slot: number; count: number }> {
    const most = Math.ceil(BATCH_BYTES / vectorRowBytes(this.#image.dimension) / 4)
    let run: { slot: number; count: number } | undefined
    for (const slot of Uint32Array.from(new Set(slots)).sort()) {
      if (run !== undefined && slot === run.slot + run.count && run.count < most) {
        run.count++
        continue
      }
      if (run !== undefined) yield run
      run = { slot, count: 1 }
    }
    if (run !== undefined) yield run
  }

  /** Rows are wiped because a vector reveals much of its text to anyone who has the model. */
  #wipe({ slot, count }: { slot: number; count: number }): void {
    const row = this.#rows.bytes(slot, count).fill(0)
    this.#files.rows.write(slot, row)
    this.#files.floats.write(slot, Buffer.alloc(this.#floatRow.bytes.length * count))
  }
}
