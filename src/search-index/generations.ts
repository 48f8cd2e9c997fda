import type { SearchIndex, VectorOptions } from './search-index.ts'

/** Why an index has to be rebuilt from position 0. */
export const REBUILD_REASONS = ['missing', 'damaged', 'other_record', 'other_version'] as const
export type RebuildReason = (typeof REBUILD_REASONS)[number]

/** A rebuilt index is incomplete until it has applied every change up to `until`. */
export interface PendingRebuild {
  reason: RebuildReason
  until: number
}

export interface Generation {
  generation: number
  index: SearchIndex
  /** The model of its vectors, or null if it has none. It never changes. */
  vectors: VectorOptions | null
}

export interface BuildingGeneration extends Generation {
  /** When the generation was created, in epoch milliseconds. */
  since: number
}

/** The embedding model in the settings. Its `dimension` is null until the model has answered. */
export interface ConfiguredModel {
  model: string
  dimension: number | null
}

export const isSameModel = (one: VectorOptions | null, other: VectorOptions | null): boolean =>
  one?.model === other?.model && one?.dimension === other?.dimension

/**
 * The index generation that serves searches, and at times a second one that is built from the record and then replaces
 * it.
 */
export interface Generations {
  /**
   * Always refers to the serving generation, even after another one was promoted. A call in progress is answered by the
   * generation with which it started.
   */
  readonly serving: SearchIndex

  /** The number of the serving generation. */
  servingNumber(): number

  /** The model of the vectors in the serving generation. */
  vectors(): VectorOptions | null

  /**
   * Lends the serving generation to work whose calls must all be answered by the same generation, for example a search
   * whose query vector was computed by its model. The generation is kept until the work has ended.
   */
  lease<T>(work: (serving: Generation) => Promise<T>): Promise<T>

  /** Set while the serving generation is incomplete. Survives a restart. */
  pendingRebuild(): PendingRebuild | null

  /** Marks the serving generation as complete. Durable when it resolves. */
  finishRebuild(): Promise<void>

  /** The generation that is being built, if any. It survives a restart with everything that it has on disk. */
  building(): BuildingGeneration | null

  /**
   * Creates an empty generation in addition to the serving one. No other generation may be in progress. Durable when it
   * resolves.
   */
  startBuilding(now: number, vectors: VectorOptions | null): Promise<BuildingGeneration>

  /** The model whose generation was dropped, or null if another generation was started or promoted since. */
  declinedModel(): string | null

  /**
   * Whether the terms in the serving generation were made by another version of the analysis, and no generation with the
   * terms of this version was dropped.
   */
  isOutdated(): boolean

  /** Writes the generation that is being built to disk, so that `promote` takes little time. */
  flushBuilding(): Promise<void>

  /**
   * Makes the finished generation serve from the next call on. Durable when it resolves. After a crash before that, the
   * old generation still serves and the new one is still being built. The old generation is removed when its calls in
   * progress have ended.
   */
  promote(): Promise<void>

  /**
   * Removes the generation that is being built. If its model differs from that of the serving generation, the model is
   * remembered as declined. Durable when it resolves; calls to the removed generation that are in progress fail.
   */
  dropBuilding(): Promise<void>

  /** The bytes that the serving generation occupies on disk. */
  diskBytes(): Promise<number>

  /** Stops everything. Changes that were applied but are not on disk yet may be lost, as with `SearchIndex.close`. */
  close(): Promise<void>
}
