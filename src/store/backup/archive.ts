// Streams a gzipped tar archive in both directions and computes size and digest of each file on the way.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline as flow, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { createTarDecoder, createTarPacker } from 'modern-tar'
import { AppError } from '../../domain/errors.ts'
import { errorMessage } from '../../domain/values/node-error.ts'

export interface ArchivedFile {
  name: string
  bytes: number
  sha256: string
}

/** For text and numbers: a third smaller than level 1 and three times as fast as level 9. */
const GZIP_LEVEL = 4

export interface ArchiveWriter {
  /** `size` must equal the length of the content. */
  add(name: string, size: number, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ArchivedFile>
}

/** Resolves when the file is on disk. An existing file of that name is overwritten. */
export async function writeArchive(path: string, fill: (archive: ArchiveWriter) => Promise<void>): Promise<void> {
  const { readable, controller } = createTarPacker()
  const written = pipeline(
    Readable.fromWeb(readable),
    createGzip({ level: GZIP_LEVEL }),
    createWriteStream(path, { mode: 0o600, flush: true }),
  )
  const filled = fill({
    async add(name, size, content) {
      const hash = createHash('sha256')
      const writer = controller.add({ name, size, type: 'file', mode: 0o600 }).getWriter()
      for await (const piece of content) {
        hash.update(piece)
        await writer.write(piece)
      }
      await writer.close()
      return { name, bytes: size, sha256: hash.digest('hex') }
    },
  }).then(
    () => controller.finalize(),
    (error: unknown) => {
      controller.error(error)
      throw error
    },
  )
  // A disk error takes precedence over the errors that follow from it.
  const [disk, source] = await Promise.allSettled([written, filled])
  if (source.status === 'rejected' && disk.status === 'rejected')
    throw isSystemError(disk.reason) ? disk.reason : source.reason
  if (disk.status === 'rejected') throw disk.reason
  if (source.status === 'rejected') throw source.reason
}

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error

export interface ArchiveEntry {
  name: string
  /** Must be read to its end before the next entry is requested. */
  content: AsyncIterable<Uint8Array>
  /** Available once the content has been read. */
  digest(): ArchivedFile
}

/** Throws BACKUP_INVALID when the archive is damaged, truncated or not an archive. */
export async function* readArchive(path: string): AsyncIterable<ArchiveEntry> {
  const bytes = flow(createReadStream(path), createGunzip(), () => {})
  // `toWeb` would hide why a stream ended.
  const entries = ReadableStream.from<Uint8Array>(bytes).pipeThrough(createTarDecoder({ strict: true }))
  for await (const { header, body } of translateArchiveErrors(entries)) {
    const hash = createHash('sha256')
    let size = 0
    const content = async function* () {
      for await (const piece of translateArchiveErrors(body)) {
        hash.update(piece)
        size += piece.length
        yield piece
      }
    }
    yield {
      name: header.name,
      content: content(),
      digest: () => ({ name: header.name, bytes: size, sha256: hash.copy().digest('hex') }),
    }
  }
}

/** Turns all gzip and tar errors into BACKUP_INVALID; disk errors pass through unchanged. */
async function* translateArchiveErrors<T>(stream: ReadableStream<T>): AsyncIterable<T> {
  try {
    yield* stream
  } catch (error) {
    if (isSystemError(error)) throw error
    throw new AppError('BACKUP_INVALID', { reason: errorMessage(error) }, { cause: error })
  }
}

/** Throws BACKUP_INVALID after more than `maxBytes` bytes. */
export async function readEntryBytes({ name, content }: ArchiveEntry, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of content) {
    size += piece.length
    if (size > maxBytes) throw new AppError('BACKUP_INVALID', { reason: `${name} is larger than ${maxBytes} bytes` })
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
