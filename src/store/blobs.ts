import type { Readable } from 'node:stream'

export interface Blob {
  /** The content's own name: the same bytes have the same. */
  name: string
  size: number
}

export interface Blobs {
  /** Keeps the bytes. Resolves when they are on the disk; a stream that breaks leaves nothing behind. */
  put(bytes: AsyncIterable<Buffer>): Promise<Blob>
  /** Takes it away; one that is not there is fine. Whoever calls knows that nobody refers to it. */
  remove(name: string): Promise<void>
  /** Rejects when there is no such blob. */
  get(name: string): Promise<Readable>
}
