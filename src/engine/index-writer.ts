// Takes batches, keeps them in memory, and now and then brings them to disk. One thread owns it.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Batch, type BuiltBatch, buildBatch } from './build-segment.ts'
import { GrowingBytes } from './growing.ts'
import { checkBasis, removeOthers } from './index-folder.ts'
import { IndexView, joined, NOTHING, type ViewChange } from './index-view.ts'
import { bytesOfText } from './key-text.ts'
import { lay, type SegmentImage } from './layout.ts'
import type { Deletion, LiveSegment, Placement } from './live-segment.ts'
import { type Manifest, packBits, readManifest, setBitsOf, writeManifest } from './manifest.ts'
import { chooseMerge, type MergePolicy } from './merge-policy.ts'
import { GONE, type Merged, mergeSegments } from './merge-segments.ts'
import { carryOver, type EntryVector, placementsAfter } from './placements.ts'
import { statisticsOf } from './search.ts'
import { groupsOfKey } from './segment.ts'
import { FORMAT, readSegment, SegmentFileWriter } from './segment-file.ts'
import { dropDamaged, takeVectors } from './vector-changes.ts'
import { removeVectorFiles } from './vector-files.ts'
import { type VectorSettings, VectorStore } from './vector-store.ts'

export interface IndexWriterOptions {
  dir: string
  b: number
  dimensions: readonly string[]
  /** Entries in memory at which a flush is due. */
  memoryEntries: number
  policy: MergePolicy
  /** What the positions count in: an index of another record is not ours. Left out where there is only one. */
  record?: string
  /** Told of what merges write, flushes left out. */
  onMergeWrite?: (bytes: number) => void
  /** Without it the index holds no vectors, and those it had are removed. */
  vectors?: VectorSettings
  /** For tests: told each step that a crash may come before or after. */
  failpoint: (name: string) => void
}

export interface Flushed {
  change: ViewChange
  left: number[]
  fault?: unknown
}

/** Small segments in memory are merged early, because each costs every search some microseconds; large ones wait for the flush. */
const MEMORY_POLICY: MergePolicy = { fanIn: 6, floor: 32, maxEntries: 2_048 }

export class IndexWriter {
  readonly #options: IndexWriterOptions
  readonly #view = new IndexView()
  #nextId: number
  #position: number
  #flushedPosition: number
  /** Whether something changed that the manifest does not know. */
  #isDirty = false
  #flushing: ReadonlySet<number> = new Set()
  /** Files that the next manifest no longer names. */
  #replaced: string[] = []
  #obsolete: string[] = []
  readonly vectors: VectorStore | undefined
  /** Why vectors that were there are not any more, each reason a sentence. */
  readonly vectorLosses: readonly string[]
  #opening: ViewChange
  /** There was nothing in the folder. */
  readonly isNew: boolean

  /** Throws `DamageError` when what is there cannot be trusted; then `clearIndex` and open again. */
  constructor(options: IndexWriterOptions) {
    this.#options = options
    mkdirSync(options.dir, { recursive: true })
    const manifest = readManifest(options.dir)
    if (manifest !== undefined) checkBasis(manifest, options)
    this.isNew = manifest === undefined
    this.#nextId = manifest?.nextId ?? 1
    this.#position = manifest?.position ?? 0
    this.#flushedPosition = this.#position
    const segments = manifest?.segments ?? []
    removeOthers(options.dir, new Set(segments.map((it) => it.file)))
    const add = segments.map(({ id, file }) => readSegment(id, join(options.dir, file)))
    this.#view.apply({ ...NOTHING, add })
    const deletions = segments.map(({ id, deleted }) => this.#view.get(id).deletionOf([...setBitsOf(deleted)]))
    this.#view.apply({ ...NOTHING, deletions })
    this.vectors = options.vectors && new VectorStore(options.dir, options.vectors)
    const placements = this.vectors?.claim(this.#view.segments, manifest === undefined) ?? []
    this.#view.apply({ ...NOTHING, placements })
    this.vectorLosses = this.vectors?.losses ?? withoutVectors(options.dir)
    this.#opening = { ...NOTHING, add, deletions, placements }
  }

  /** What makes an empty view equal to this index as it was opened. Once: it keeps the segments of then in memory. */
  takeOpening(): ViewChange {
    const opening = this.#opening
    this.#opening = NOTHING
    return opening
  }

  get position(): number {
    return this.#position
  }

  get flushedPosition(): number {
    return this.#flushedPosition
  }

  get needsFlush(): boolean {
    return this.#isDirty || this.vectors?.isSaved === false
  }

  get segments(): readonly LiveSegment[] {
    return this.#view.segments
  }

  get memoryEntries(): number {
    return this.#inMemory().reduce((sum, it) => sum + it.segment.meta.entries, 0)
  }

  apply(batch: Batch): ViewChange {
    return this.take(buildBatch(batch, this.#basis()))
  }

  /** The change that lets a view see the batch. */
  take({ image, keys, position }: BuiltBatch): ViewChange {
    const deletions = this.#deletionsOf(keys)
    const add = image === null ? [] : [{ ...image, id: this.#nextId++ }]
    const placements = this.#carryOver(add, deletions)
    const change = { ...NOTHING, add, deletions, placements }
    this.#view.apply(change)
    this.#position = position
    this.#isDirty = true
    return joined(change, this.#compactMemory())
  }

  /** Gives entries their vectors. Throws, and takes none, when there is no room for all. */
  setVectors(vectors: readonly EntryVector[]): ViewChange {
    if (this.vectors === undefined) throw new RangeError('the index holds no vectors')
    return this.#placed(takeVectors(this.vectors, this.#view.segments, vectors))
  }

  /** What a reader found damaged is looked at again. */
  dropDamaged(slots: readonly number[]): ViewChange {
    return this.#placed(this.vectors === undefined ? [] : dropDamaged(this.vectors, this.#view.segments, slots))
  }

  /**
   * Brings everything that was applied before the first step to disk. A fault before the change leaves all as it was;
   * one after it comes with the change, and the next flush tries again. `left` are rows of vectors, to be released once
   * the views have taken the change.
   */
  *flush(): Generator<void, Flushed> {
    try {
      if (this.vectors !== undefined) yield* this.vectors.save(this.#options.failpoint)
    } catch (fault) {
      return { change: NOTHING, left: [], fault }
    }
    return yield* this.#flushText()
  }

  /** No step after the change: what comes in between two steps may build on it, and views have not taken it yet. */
  *#flushText(): Generator<void, Flushed> {
    const sources = this.#inMemory()
    const manifest = this.#manifest()
    const replaced = this.#replaced.splice(0)
    const left = this.vectors?.takeLeft() ?? []
    this.#isDirty = false
    let change = NOTHING
    try {
      this.#options.failpoint('flush-started')
      if (sources.length > 0) change = yield* this.#flushMemory(sources)
      for (const { id, path } of change.add) manifest.segments.push({ id, file: fileOf(path!), deleted: '' })
      manifest.nextId = this.#nextId
      writeManifest(this.#options.dir, manifest, this.#options.failpoint)
      this.#options.failpoint('flush-done')
    } catch (fault) {
      this.#isDirty = true
      this.#replaced.push(...replaced)
      this.vectors?.leave(left)
      return { change, left: [], fault }
    }
    this.#flushedPosition = manifest.position
    this.#obsolete.push(...replaced)
    return { change, left }
  }

  /**
   * One merge of segments on disk, if one is due. The files it replaces stay until a flush has written a manifest
   * without them, so no flush may start and end between the last step and taking the change.
   */
  *merge(): Generator<void, ViewChange | undefined> {
    const onDisk = this.#onDisk()
    const chosen = chooseMerge(onDisk.map(weighed), this.#options.policy)
    if (chosen.length === 0) return undefined
    const sources = chosen.map((id) => this.#view.get(id))
    this.#options.failpoint('merge-started')
    const change = yield* this.#mergeToDisk(sources, 'merge')
    this.#replaced.push(...sources.map((it) => it.segment.image.path!))
    this.#isDirty = true
    this.#options.failpoint('merge-done')
    return change
  }

  /** Removes files that nothing names any longer; views must have taken the changes that left them. */
  removeObsolete(): void {
    for (const path of this.#obsolete) rmSync(path, { force: true })
    this.#obsolete = []
  }

  /** Names of the segment files in use. */
  files(): string[] {
    return this.#onDisk().map((it) => fileOf(it.segment.image.path!))
  }

  close(): void {
    this.#view.close()
    this.vectors?.close()
  }

  *#flushMemory(sources: readonly LiveSegment[]): Generator<void, ViewChange> {
    this.#flushing = new Set(sources.map((it) => it.segment.id))
    try {
      return yield* this.#mergeToDisk(sources, 'flush')
    } finally {
      this.#flushing = new Set()
    }
  }

  #placed(placements: Placement[]): ViewChange {
    const change = { ...NOTHING, placements }
    this.#view.apply(change)
    this.#isDirty ||= placements.length > 0
    return change
  }

  /** A text that stays keeps its vector. */
  #carryOver([image]: readonly SegmentImage[], deletions: readonly Deletion[]): Placement[] {
    const store = this.vectors
    if (store === undefined) return []
    const gone = deletions.map((deletion) => ({ live: this.#view.get(deletion.segment), deletion }))
    const { placements, left } = carryOver(gone, image, (high, low) => store.takeOrphan(high, low))
    store.leave(left)
    return placements
  }

  #averageLength(): number {
    return statisticsOf(this.#view.segments).averageLength || 0
  }

  #inMemory(): LiveSegment[] {
    return this.#view.segments.filter((it) => it.segment.image.path === null)
  }

  #onDisk(): LiveSegment[] {
    return this.#view.segments.filter((it) => it.segment.image.path !== null)
  }

  #deletionsOf(keys: readonly string[]): Deletion[] {
    const names = [...new Set(keys)].map(bytesOfText)
    return this.#view.segments
      .map((live) => live.deletionOf(names.flatMap((name) => [...groupsOfKey(live.segment, name)])))
      .filter((it) => it.groups.length > 0)
  }

  #compactMemory(): ViewChange {
    const free = this.#inMemory().filter((it) => !this.#flushing.has(it.segment.id))
    const chosen = chooseMerge(free.map(weighed), MEMORY_POLICY)
    if (chosen.length === 0) return NOTHING
    const stored = new GrowingBytes()
    const forward = new GrowingBytes()
    const options = {
      ...this.#basis(),
      writeStored: (bytes: Uint8Array) => stored.append(bytes),
      writeForward: (bytes: Uint8Array) => forward.append(bytes),
    }
    const sources = chosen.map((id) => this.#view.get(id))
    const { meta, sections, newGroups } = finished(mergeSegments(options, sources))
    const laid = lay([...sections, ['stored', stored.view()], ['forward', forward.view()]])
    const disk = { stored: laid.sections.stored!, forward: laid.sections.forward! }
    const image: SegmentImage = { id: this.#nextId++, meta, ...laid, disk, path: null }
    const change = {
      add: meta.groups === 0 ? [] : [image],
      remove: chosen,
      deletions: [],
      placements: meta.groups === 0 ? [] : placementsAfter(sources, newGroups, image),
    }
    this.#view.apply(change)
    return change
  }

  *#mergeToDisk(sources: readonly LiveSegment[], what: 'flush' | 'merge'): Generator<void, ViewChange> {
    const { dir, failpoint, onMergeWrite } = this.#options
    const id = this.#nextId++
    const path = join(dir, `${String(id).padStart(8, '0')}.seg`)
    const file = new SegmentFileWriter(path, what === 'merge' ? onMergeWrite : undefined)
    try {
      const merged = yield* mergeSegments(
        {
          ...this.#basis(),
          writeStored: (bytes) => file.append('stored', bytes),
          writeForward: (bytes) => file.append('forward', bytes),
        },
        sources,
      )
      failpoint(`${what}-merged`)
      const image = yield* file.finish(id, merged.meta, merged.sections)
      failpoint(`${what}-synced`)
      return this.#replace(sources, merged, image)
    } catch (error) {
      file.abandon()
      throw error
    }
  }

  /** What was deleted from the sources during the merge is deleted from the result. */
  #replace(sources: readonly LiveSegment[], merged: Merged, image: SegmentImage): ViewChange {
    const remove = sources.map((it) => it.segment.id)
    if (merged.meta.groups === 0) return this.#leaveOut(remove, image.path!)
    const add = { ...NOTHING, add: [image], placements: placementsAfter(sources, merged.newGroups, image) }
    this.#view.apply(add)
    const gone = sources.flatMap((live, at) => deletedSince(live, merged.newGroups[at]!))
    const rest = {
      ...NOTHING,
      remove,
      deletions: [this.#view.get(image.id).deletionOf(gone)],
    }
    this.#view.apply(rest)
    return joined(add, rest)
  }

  /** Nothing in the sources was live. */
  #leaveOut(remove: number[], path: string): ViewChange {
    rmSync(path)
    const change = { ...NOTHING, remove }
    this.#view.apply(change)
    return change
  }

  #basis() {
    return { b: this.#options.b, dimensions: this.#options.dimensions, averageLength: this.#averageLength() }
  }

  /** The index as it is now, except for what is in memory. */
  #manifest(): Manifest {
    const { b, dimensions, record = '' } = this.#options
    const segments = this.#onDisk().map(({ segment, deleted }) => ({
      id: segment.id,
      file: fileOf(segment.image.path!),
      deleted: packBits(deleted),
    }))
    return { format: FORMAT, b, dimensions, nextId: this.#nextId, record, position: this.#position, segments }
  }
}

const weighed = ({ segment, liveEntries }: LiveSegment) => ({
  id: segment.id,
  liveEntries,
  entries: segment.meta.entries,
})

function deletedSince(live: LiveSegment, newGroups: Uint32Array): number[] {
  const gone: number[] = []
  for (const [group, newGroup] of newGroups.entries()) {
    if (newGroup !== GONE && live.isDeleted(group)) gone.push(newGroup)
  }
  return gone
}

/** Runs all steps at once. */
export function finished<T>(steps: Generator<void, T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

const fileOf = (path: string): string => path.slice(path.length - '00000000.seg'.length)

/** Why there are none any more, if there were some. */
const withoutVectors = (dir: string): string[] =>
  removeVectorFiles(dir) ? ['the index is to hold no vectors, and held some'] : []
