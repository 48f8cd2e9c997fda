import type { SearchIndex, VectorOptions } from './search-index.ts'

/** Why an index begins anew at position 0. */
export type BeginningReason = 'missing' | 'damaged' | 'other_record' | 'other_version'

/** An index that began anew is not whole until it has every change up to `until`. */
export interface Refill {
  reason: BeginningReason
  until: number
}

export interface Generation {
  generation: number
  index: SearchIndex
  /** Whose vectors it holds; null: none. It stays so for its life. */
  vectors: VectorOptions | null
}

export interface Building extends Generation {
  /** When it was begun, in epoch milliseconds. */
  since: number
}

/** The model that the settings name. While its `dimension` is not known, it cannot be asked. */
export interface WantedModel {
  model: string
  dimension: number | null
}

export const isSameModel = (one: VectorOptions | null, other: VectorOptions | null): boolean =>
  one?.model === other?.model && one?.dimension === other?.dimension

/** One index that serves, and at times a second one beside it that is made from the record and then takes its place. */
export interface Generations {
  /**
   * Always the generation that serves, also after another one has taken over: calls that are under way are answered by
   * the one that they began with.
   */
  readonly serving: SearchIndex

  /** The number of the one that serves. */
  current(): number

  /** Whose vectors the one that serves holds. */
  vectors(): VectorOptions | null

  /**
   * The one that serves now, for work of several calls that must be answered by the same one, such as a search whose
   * vector was made by its model: it stays until the work has ended, also after another one has taken over.
   */
  lease<T>(work: (serving: Generation) => Promise<T>): Promise<T>

  /** Set while the one that serves is not whole; it survives a restart. */
  refill(): Refill | null

  /** The one that serves is whole. Durable when it resolves. */
  endRefill(): Promise<void>

  /** The one that is being made; it survives a restart, with what it had on disk. */
  building(): Building | null

  /** Begins an empty one beside the one that serves; there must be none yet. Durable when it resolves. */
  build(now: number, vectors: VectorOptions | null): Promise<Building>

  /** The model for which one was given up; null when another one was begun or has taken over since. */
  declined(): string | null

  /** Brings the one that is being made to disk, so that `promote` takes little time. */
  settle(): Promise<void>

  /**
   * The one that was made takes over, from the next call on. Durable when it resolves: a crash before leaves the old
   * one serving and the new one being made. The old one is removed when the calls under way are done.
   */
  promote(): Promise<void>

  /** Takes away the one that is being made, and remembers it if its model is not that of the one that serves. Durable when it resolves; calls to it that are under way fail. */
  drop(): Promise<void>

  /** Ends all; what was applied and is not yet on disk may be lost, as with `SearchIndex.close`. */
  close(): Promise<void>
}
