// Stores blobs as files named by their hash. Incoming and outgoing blobs lie in `incoming`.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import { errorCode } from '../../domain/values/node-error.ts'
import { createMutex } from '../../flow/mutex.ts'
import type { Blob, Blobs, ReceivedBlob } from './blobs.ts'

export async function openBlobsFolder(folder: string): Promise<Blobs> {
  const incoming = join(folder, 'incoming')
  await mkdir(incoming, { recursive: true })
  // A file without a hash in its name is incomplete, and its sender got no answer.
  for (const file of await readdir(incoming)) if (!RECEIVED_NAME.test(file)) await rm(join(incoming, file))
  const leftovers = await readdir(incoming)
  const finalPath = (name: string) => join(folder, relativeBlobPath(name))
  const receivedBlob = (blob: Blob, path: string): ReceivedBlob => ({
    ...blob,
    keep: () => moveDurably(path, finalPath(blob.name)).catch(throwTranslated),
    discard: () => rm(path, { force: true }),
  })
  return {
    ...readBlobsFolder(folder),
    async receive(bytes) {
      const path = join(incoming, randomUUID())
      try {
        const blob = await writeNewFile(path, bytes)
        const named = incomingPath(incoming, blob.name)
        await moveDurably(path, named)
        return receivedBlob(blob, named)
      } catch (error) {
        await rm(path, { force: true })
        return throwTranslated(error)
      }
    },
    async unfinished() {
      return Promise.all(
        leftovers.map(async (it) => {
          const path = join(incoming, it)
          return receivedBlob({ name: it.slice(0, HASH_LENGTH), size: (await stat(path)).size }, path)
        }),
      )
    },
    async release(name) {
      const path = incomingPath(incoming, name)
      try {
        const { size } = await stat(finalPath(name))
        await moveDurably(finalPath(name), path)
        return receivedBlob({ name, size }, path)
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
    exclusively: createMutex(),
  }
}

/** For readers while the program runs: it does not touch blobs that the program is receiving. */
export const readBlobsFolder = (folder: string): Pick<Blobs, 'get' | 'list'> => ({
  async get(name, range) {
    const file = await open(join(folder, relativeBlobPath(name))).catch((error: unknown) => {
      throw isMissing(error) ? new AppError('FILE_NOT_FOUND', {}, { cause: error }) : error
    })
    return createReadStream('', { fd: file, ...range })
  },
  async *list() {
    for (const part of await listNames(folder)) {
      if (!/^[0-9a-f]{2}$/.test(part)) continue
      for (const name of await listNames(join(folder, part)))
        yield { name, size: (await stat(join(folder, part, name))).size }
    }
  },
})

const listNames = async (folder: string): Promise<string[]> => (existsSync(folder) ? readdir(folder) : [])

const RECEIVED_NAME = /^[0-9a-f]{64}\.[\w-]+$/
const HASH_LENGTH = 64
const incomingPath = (incoming: string, name: string) => join(incoming, `${name}.${randomUUID()}`)

const isMissing = (error: unknown) => errorCode(error) === 'ENOENT'

function throwTranslated(error: unknown): never {
  throw errorCode(error) === 'ENOSPC' ? new AppError('STORE_FULL', {}, { cause: error }) : error
}

const relativeBlobPath = (name: string) => {
  if (!/^[0-9a-f]{64}$/.test(name)) throw new Error('not a blob name')
  return join(name.slice(0, 2), name)
}

async function writeNewFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<Blob> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600)
  let size = 0
  try {
    for await (const piece of bytes) {
      hash.update(piece)
      size += piece.length
      await file.write(piece)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { name: hash.digest('hex'), size }
}

async function moveDurably(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await rename(from, to)
  const folder = await open(dirname(to))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
