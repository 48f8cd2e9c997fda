import type { SearchIndex } from './search-index.ts'

/** Why an index begins anew at position 0. */
export type BeginningReason = 'missing' | 'damaged' | 'other_record' | 'other_version'

/** An index that began anew is not whole until it has every change up to `until`. */
export interface Refill {
  reason: BeginningReason
  until: number
}

export interface Building {
  generation: number
  /** When it was begun, in epoch milliseconds. */
  since: number
  index: SearchIndex
}

/** One index that serves, and at times a second one beside it that is made from the record and then takes its place. */
export interface Generations {
  /**
   * Always the generation that serves, also after another one has taken over: calls that are under way are answered by
   * the one that they began with.
   */
  readonly serving: SearchIndex

  /** The number of the one that serves. */
  current(): number

  /** Set while the one that serves is not whole; it survives a restart. */
  refill(): Refill | null

  /** The one that serves is whole. Durable when it resolves. */
  endRefill(): Promise<void>

  /** The one that is being made; it survives a restart, with what it had on disk. */
  building(): Building | null

  /** Begins an empty one beside the one that serves; there must be none yet. Durable when it resolves. */
  build(now: number): Promise<Building>

  /** Brings the one that is being made to disk, so that `promote` takes little time. */
  settle(): Promise<void>

  /**
   * The one that was made takes over, from the next call on. Durable when it resolves: a crash before leaves the old
   * one serving and the new one being made. The old one is removed when the calls under way are done.
   */
  promote(): Promise<void>

  /** Takes away the one that is being made. Durable when it resolves; calls to it that are under way fail. */
  drop(): Promise<void>

  /** Ends all; what was applied and is not yet on disk may be lost, as with `SearchIndex.close`. */
  close(): Promise<void>
}
