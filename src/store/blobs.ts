import type { Readable } from 'node:stream'

export interface Blob {
  /** The content's own name: the same bytes have the same. */
  name: string
  size: number
}

/** Bytes that are on the disk, but not in their place yet, or not any more. */
export interface ReceivedBlob extends Blob {
  /** Puts them in their place, durably. */
  keep(): Promise<void>
  /** Gives them up. After `keep` it does nothing. */
  discard(): Promise<void>
}

/**
 * A row and its bytes come and go together: the row is written between `receive` and `keep`, or deleted between
 * `release` and `discard`, and after a crash `unfinished` tells for which bytes a look at the rows must decide.
 */
export interface Blobs {
  /** Resolves when the bytes are on the disk. A stream that breaks leaves nothing behind. */
  receive(bytes: AsyncIterable<Buffer>): Promise<ReceivedBlob>
  /** What a process before this one neither kept nor discarded. */
  unfinished(): Promise<ReceivedBlob[]>
  /** Rejects with FILE_NOT_FOUND when there is no such blob. */
  get(name: string): Promise<Readable>
  /** Takes the bytes out of their place; undefined when they are not there. `get` does not find them any more. */
  release(name: string): Promise<ReceivedBlob | undefined>
  /** No other such action of this process runs beside this one: two files of one content share their bytes. */
  exclusively<T>(action: () => Promise<T>): Promise<T>
  /** Every blob that was whole when it was asked for, in no order; what is put meanwhile may be among them or not. */
  list(): AsyncIterable<Blob>
}
