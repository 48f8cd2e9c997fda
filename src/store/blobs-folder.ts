// Blobs as files of a folder, named by their content.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../domain/errors.ts'
import type { Blob, Blobs } from './blobs.ts'

export async function openBlobsFolder(folder: string): Promise<Blobs> {
  const incoming = join(folder, 'incoming')
  await mkdir(incoming, { recursive: true })
  // What lies here was never finished: its sender got no answer.
  for (const file of await readdir(incoming)) await rm(join(incoming, file))
  return {
    async put(bytes) {
      const path = join(incoming, randomUUID())
      try {
        const blob = await write(path, bytes)
        await place(path, join(folder, pathOf(blob.name)))
        return blob
      } catch (error) {
        await rm(path, { force: true })
        throw isDiskFull(error) ? new AppError('STORE_FULL', {}, { cause: error }) : error
      }
    },
    remove: (name) => rm(join(folder, pathOf(name)), { force: true }),
    async get(name) {
      const file = await open(join(folder, pathOf(name)))
      return createReadStream('', { fd: file })
    },
  }
}

const isDiskFull = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOSPC'

const pathOf = (name: string) => {
  if (!/^[0-9a-f]{64}$/.test(name)) throw new Error('not the name of a blob')
  return join(name.slice(0, 2), name)
}

async function write(path: string, bytes: AsyncIterable<Buffer>): Promise<Blob> {
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

async function place(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await rename(from, to)
  const folder = await open(dirname(to))
  await folder.sync()
  await folder.close()
}
