import type { Readable } from 'node:stream'

/** Offsets of the first and of the last byte. */
export interface ByteRange {
  start: number
  end: number
}

export interface Blob {
  /** Hash of the content: equal bytes have equal names. */
  name: string
  size: number
}

/** Bytes that are on disk but not yet, or no longer, in their final place. */
export interface ReceivedBlob extends Blob {
  /** Moves the bytes to their final place, durably. */
  keep(): Promise<void>
  /** Discards the bytes. Does nothing after `keep`. */
  discard(): Promise<void>
}

/**
 * A row and its bytes are written and deleted together. The row is written between `receive` and `keep`, or deleted
 * between `release` and `discard`. After a crash, `unfinished` lists the bytes for which the rows must decide.
 */
export interface Blobs {
  /** Resolves when the bytes are on disk. A broken stream leaves nothing behind. */
  receive(bytes: AsyncIterable<Uint8Array>): Promise<ReceivedBlob>
  /** Lists what an earlier process neither kept nor discarded. */
  unfinished(): Promise<ReceivedBlob[]>
  /** Rejects with FILE_NOT_FOUND when there is no such blob. `range`: only these bytes; both ends belong to it. */
  get(name: string, range?: ByteRange): Promise<Readable>
  /** Takes the bytes out of their place, so `get` no longer finds them. Returns undefined when they do not exist. */
  release(name: string): Promise<ReceivedBlob | undefined>
  /** Runs the action while no other such action of this process runs: files with equal content share their bytes. */
  exclusively<T>(action: () => Promise<T>): Promise<T>
  /**
   * Yields every blob that was complete at the time of the call, in no particular order. Blobs stored meanwhile may be
   * missing.
   */
  list(): AsyncIterable<Blob>
}
