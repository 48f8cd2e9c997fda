// Applies batches, keeps them in memory, and writes them to disk from time to time. It is owned by one thread.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { GrowableBytes } from '../codec/growable-buffer.ts'
import { layOutInMemory, type SegmentImage, type StoredSegmentImage } from '../codec/layout.ts'
import { encodeText } from '../codec/text-encoding.ts'
import { collectionStatistics } from '../query/text-search.ts'
import { type BuiltBatch, buildBatch, type EngineBatch } from '../segment/build-segment.ts'
import { combineChanges, IndexView, NO_CHANGE, type ViewChange } from '../segment/index-view.ts'
import type { Deletion, LiveSegment, SlotAssignment } from '../segment/live-segment.ts'
import { groupsDeletedSince, type MergeResult, mergeSegments } from '../segment/merge-segments.ts'
import { findGroupsByKey } from '../segment/segment.ts'
import { FORMAT, readSegment, SegmentFileWriter } from '../segment/segment-file.ts'
import { assignmentsAfterMerge, type PassageVector, reuseVectors } from '../vectors/slot-assignments.ts'
import { addVectors, dropDamaged } from '../vectors/vector-changes.ts'
import { removeVectorFiles } from '../vectors/vector-files.ts'
import { type VectorSettings, VectorStore } from '../vectors/vector-store.ts'
import { checkIndexSettings, removeUnlistedSegments } from './index-folder.ts'
import { type Manifest, packBits, readManifest, unpackBits, writeManifest } from './manifest.ts'
import { chooseMerge, createMergeCandidate, type MergePolicy } from './merge-policy.ts'

export interface IndexWriterOptions {
  dir: string
  b: number
  dimensions: readonly string[]
  /** A flush is due when this many passages are in memory. */
  memoryPassages: number
  policy: MergePolicy
  /**
   * Identifies the record that the positions refer to; an index of another record is rejected. Absent if there is only
   * one.
   */
  record?: string
  /** Called with the number of bytes that a merge writes. Flushes are not counted. */
  onMergeWrite?: (bytes: number) => void
  /** Without it, the index holds no vectors, and vectors that it had are removed. */
  vectors?: VectorSettings
  /** For tests: called at each step before or after which a crash may happen. */
  failpoint: (name: string) => void
}

export interface FlushResult {
  change: ViewChange
  retiredSlots: number[]
  error?: unknown
}

/** A merge to disk: its change, and the segments that it wrote. */
interface StoredMerge {
  change: ViewChange
  images: StoredSegmentImage[]
}

/**
 * Small segments in memory are merged early because each of them costs every search some microseconds. Large ones wait
 * for the flush.
 */
const MEMORY_POLICY: MergePolicy = { fanIn: 6, floor: 32, maxPassages: 2_048 }

export class IndexWriter {
  readonly #options: IndexWriterOptions
  readonly #view = new IndexView()
  #nextId: number
  #position: number
  #flushedPosition: number
  /** True if something changed since the last manifest. */
  #isDirty = false
  #flushing: ReadonlySet<number> = new Set()
  /** Files that the next manifest no longer names. */
  #replaced: string[] = []
  #obsolete: string[] = []
  readonly vectors: VectorStore | undefined
  /** Why existing vectors were dropped, one sentence each. */
  readonly vectorDropReasons: readonly string[]
  #initialChange: ViewChange
  /** True if the folder was empty. */
  readonly isNew: boolean

  /**
   * Throws `CorruptIndexError` if the files cannot be trusted. The caller then removes them with `removeIndexFiles` and
   * opens the index again.
   */
  constructor(options: IndexWriterOptions) {
    this.#options = options
    mkdirSync(options.dir, { recursive: true })
    const manifest = readManifest(options.dir)
    if (manifest !== undefined) checkIndexSettings(manifest, options)
    this.isNew = manifest === undefined
    this.#nextId = manifest?.nextId ?? 1
    this.#position = manifest?.position ?? 0
    this.#flushedPosition = this.#position
    const segments = manifest?.segments ?? []
    removeUnlistedSegments(options.dir, new Set(segments.map((it) => it.file)))
    const add = segments.map(({ id, file }) => readSegment(id, join(options.dir, file)))
    this.#view.apply({ ...NO_CHANGE, add })
    const deletions = segments.map(({ id, deleted }) => this.#view.get(id).createDeletion([...unpackBits(deleted)]))
    this.#view.apply({ ...NO_CHANGE, deletions })
    this.vectors = options.vectors && new VectorStore(options.dir, options.vectors)
    const slotAssignments = this.vectors?.claim(this.#view.segments, manifest === undefined) ?? []
    this.#view.apply({ ...NO_CHANGE, slotAssignments })
    this.vectorDropReasons = this.vectors?.dropReasons ?? dropVectors(options.dir)
    this.#initialChange = { ...NO_CHANGE, add, deletions, slotAssignments }
  }

  /**
   * Returns the change that turns an empty view into this index as it was opened. Call it once: the writer holds these
   * segments until then.
   */
  takeInitialChange(): ViewChange {
    const initialChange = this.#initialChange
    this.#initialChange = NO_CHANGE
    return initialChange
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

  get memoryPassages(): number {
    return this.#inMemory().reduce((sum, it) => sum + it.segment.meta.entries, 0)
  }

  apply(batch: EngineBatch): ViewChange {
    return this.applyBuilt(buildBatch(batch, this.#segmentOptions()))
  }

  /** Returns the change that makes the batch visible in a view. */
  applyBuilt({ image, keys, position }: BuiltBatch): ViewChange {
    const deletions = this.#createDeletions(keys)
    const add = image === null ? [] : [{ ...image, id: this.#nextId++ }]
    const slotAssignments = this.#reuseVectors(add, deletions)
    const change = { ...NO_CHANGE, add, deletions, slotAssignments }
    this.#view.apply(change)
    this.#position = position
    this.#isDirty = true
    return combineChanges(change, this.#compactMemory())
  }

  /** Sets the vectors of passages. Throws and sets none if there is no room for all of them. */
  setVectors(vectors: readonly PassageVector[]): ViewChange {
    if (this.vectors === undefined) throw new RangeError('the index has no vectors')
    return this.#applyAssignments(addVectors(this.vectors, this.#view.segments, vectors))
  }

  /** Checks the slots that a reader reported as damaged and drops those that are. */
  dropDamaged(slots: readonly number[]): ViewChange {
    return this.#applyAssignments(
      this.vectors === undefined ? [] : dropDamaged(this.vectors, this.#view.segments, slots),
    )
  }

  /**
   * Writes everything that was applied before the first step to disk. If an error occurs before the change is complete,
   * nothing has changed. If it occurs later, it is returned with the change, and the next flush tries again.
   * `retiredSlots` must be freed once the views have applied the change.
   */
  *flush(): Generator<void, FlushResult> {
    try {
      if (this.vectors !== undefined) yield* this.vectors.save(this.#options.failpoint)
    } catch (fault) {
      return { change: NO_CHANGE, retiredSlots: [], error: fault }
    }
    return yield* this.#flushText()
  }

  /**
   * There is no step after the change is complete: batches between two steps may build on it, and the views do not have
   * it yet.
   */
  *#flushText(): Generator<void, FlushResult> {
    const sources = this.#inMemory()
    const manifest = this.#manifest()
    const replaced = this.#replaced.splice(0)
    const retiredSlots = this.vectors?.takeRetired() ?? []
    this.#isDirty = false
    let change = NO_CHANGE
    try {
      this.#options.failpoint('flush-started')
      if (sources.length > 0) {
        const merged = yield* this.#flushMemory(sources)
        change = merged.change
        for (const { id, path } of merged.images)
          manifest.segments.push({ id, file: segmentFileName(path), deleted: '' })
      }
      manifest.nextId = this.#nextId
      writeManifest(this.#options.dir, manifest, this.#options.failpoint)
      this.#options.failpoint('flush-done')
    } catch (fault) {
      this.#isDirty = true
      this.#replaced.push(...replaced)
      this.vectors?.retire(retiredSlots)
      return { change, retiredSlots: [], error: fault }
    }
    this.#flushedPosition = manifest.position
    this.#obsolete.push(...replaced)
    return { change, retiredSlots }
  }

  /**
   * Merges segments on disk if a merge is due. The replaced files are kept until a flush has written a manifest without
   * them, so no flush may start and end between the last step and the moment at which the views apply the change.
   */
  *merge(): Generator<void, ViewChange | undefined> {
    const onDisk = this.#onDisk()
    const chosen = chooseMerge(
      onDisk.map((it) => createMergeCandidate(it.live)),
      this.#options.policy,
    )
    if (chosen.length === 0) return undefined
    const sources = chosen.flatMap((id) => onDisk.filter((it) => it.live.segment.id === id))
    this.#options.failpoint('merge-started')
    const { change } = yield* this.#mergeToDisk(
      sources.map((it) => it.live),
      'merge',
    )
    this.#replaced.push(...sources.map((it) => it.path))
    this.#isDirty = true
    this.#options.failpoint('merge-done')
    return change
  }

  /** Removes files that nothing refers to. The views must have applied the changes that replaced them. */
  removeObsolete(): void {
    for (const path of this.#obsolete) rmSync(path, { force: true })
    this.#obsolete = []
  }

  /** The names of the segment files in use. */
  files(): string[] {
    return this.#onDisk().map((it) => segmentFileName(it.path))
  }

  close(): void {
    this.#view.close()
    this.vectors?.close()
  }

  *#flushMemory(sources: readonly LiveSegment[]): Generator<void, StoredMerge> {
    this.#flushing = new Set(sources.map((it) => it.segment.id))
    try {
      return yield* this.#mergeToDisk(sources, 'flush')
    } finally {
      this.#flushing = new Set()
    }
  }

  #applyAssignments(slotAssignments: SlotAssignment[]): ViewChange {
    const change = { ...NO_CHANGE, slotAssignments }
    this.#view.apply(change)
    this.#isDirty ||= slotAssignments.length > 0
    return change
  }

  /** A passage whose text stays the same keeps its vector. */
  #reuseVectors([image]: readonly SegmentImage[], deletions: readonly Deletion[]): SlotAssignment[] {
    const store = this.vectors
    if (store === undefined) return []
    const gone = deletions.map((deletion) => ({ live: this.#view.get(deletion.segment), deletion }))
    const { assignments, freed } = reuseVectors(gone, image, (high, low) => store.takeOrphan(high, low))
    store.retire(freed)
    return assignments
  }

  #averageLength(): number {
    return collectionStatistics(this.#view.segments).averageLength || 0
  }

  #inMemory(): LiveSegment[] {
    return this.#view.segments.filter((it) => it.segment.image.path === null)
  }

  #onDisk(): { live: LiveSegment; path: string }[] {
    return this.#view.segments.flatMap((live) => {
      const { path } = live.segment.image
      return path === null ? [] : [{ live, path }]
    })
  }

  #createDeletions(keys: readonly string[]): Deletion[] {
    const names = [...new Set(keys)].map(encodeText)
    return this.#view.segments
      .map((live) => live.createDeletion(names.flatMap((name) => [...findGroupsByKey(live.segment, name)])))
      .filter((it) => it.groups.length > 0)
  }

  #compactMemory(): ViewChange {
    const free = this.#inMemory().filter((it) => !this.#flushing.has(it.segment.id))
    const chosen = chooseMerge(free.map(createMergeCandidate), MEMORY_POLICY)
    if (chosen.length === 0) return NO_CHANGE
    const stored = new GrowableBytes()
    const forward = new GrowableBytes()
    const options = {
      ...this.#segmentOptions(),
      writeStored: (bytes: Uint8Array) => stored.append(bytes),
      writeForward: (bytes: Uint8Array) => forward.append(bytes),
    }
    const sources = chosen.map((id) => this.#view.get(id))
    const { meta, sections, renumbered } = runToEnd(mergeSegments(options, sources))
    const laidOut = layOutInMemory(sections, { stored: stored.view(), forward: forward.view() })
    const image: SegmentImage = { id: this.#nextId++, meta, ...laidOut }
    const change = {
      add: meta.groups === 0 ? [] : [image],
      remove: chosen,
      deletions: [],
      slotAssignments: meta.groups === 0 ? [] : assignmentsAfterMerge(renumbered, image),
    }
    this.#view.apply(change)
    return change
  }

  *#mergeToDisk(sources: readonly LiveSegment[], what: 'flush' | 'merge'): Generator<void, StoredMerge> {
    const { dir, failpoint, onMergeWrite } = this.#options
    const id = this.#nextId++
    const path = join(dir, `${String(id).padStart(8, '0')}.seg`)
    const file = new SegmentFileWriter(path, what === 'merge' ? onMergeWrite : undefined)
    try {
      const merged = yield* mergeSegments(
        {
          ...this.#segmentOptions(),
          writeStored: (bytes) => file.append('stored', bytes),
          writeForward: (bytes) => file.append('forward', bytes),
        },
        sources,
      )
      failpoint(`${what}-merged`)
      const image = yield* file.finish(id, merged.meta, merged.sections)
      failpoint(`${what}-synced`)
      return this.#replace(merged, image)
    } catch (error) {
      file.abandon()
      throw error
    }
  }

  /** Deletions in the sources during the merge are repeated in the result. */
  #replace({ meta, renumbered }: MergeResult, image: StoredSegmentImage): StoredMerge {
    const remove = renumbered.map((it) => it.live.segment.id)
    if (meta.groups === 0) return { change: this.#discardEmptyMerge(remove, image.path), images: [] }
    const add = { ...NO_CHANGE, add: [image], slotAssignments: assignmentsAfterMerge(renumbered, image) }
    this.#view.apply(add)
    const deleted = renumbered.flatMap(groupsDeletedSince)
    const rest = {
      ...NO_CHANGE,
      remove,
      deletions: [this.#view.get(image.id).createDeletion(deleted)],
    }
    this.#view.apply(rest)
    return { change: combineChanges(add, rest), images: [image] }
  }

  /** All groups of the sources were deleted. */
  #discardEmptyMerge(remove: number[], path: string): ViewChange {
    rmSync(path)
    const change = { ...NO_CHANGE, remove }
    this.#view.apply(change)
    return change
  }

  #segmentOptions() {
    return { b: this.#options.b, dimensions: this.#options.dimensions, averageLength: this.#averageLength() }
  }

  /** The current state of the index, except for the segments in memory. */
  #manifest(): Manifest {
    const { b, dimensions, record = '' } = this.#options
    const segments = this.#onDisk().map(({ live, path }) => ({
      id: live.segment.id,
      file: segmentFileName(path),
      deleted: packBits(live.deleted),
    }))
    return { format: FORMAT, b, dimensions, nextId: this.#nextId, record, position: this.#position, segments }
  }
}

/** Runs all steps without a pause. */
export function runToEnd<T>(steps: Generator<void, T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

const segmentFileName = (path: string): string => path.slice(path.length - '00000000.seg'.length)

/** Returns the reason why vectors were dropped, if there were any. */
const dropVectors = (dir: string): string[] =>
  removeVectorFiles(dir) ? ['the index is configured without vectors but had some'] : []
