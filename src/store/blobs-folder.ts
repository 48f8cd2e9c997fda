// Blobs as files of a folder, named by their content. On their way in and out they lie in `incoming`.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../domain/errors.ts'
import type { Blob, Blobs, ReceivedBlob } from './blobs.ts'

export async function openBlobsFolder(folder: string): Promise<Blobs> {
  const incoming = join(folder, 'incoming')
  await mkdir(incoming, { recursive: true })
  // Without the name of its content it was never whole: its sender got no answer.
  for (const file of await readdir(incoming)) if (!RECEIVED.test(file)) await rm(join(incoming, file))
  const left = await readdir(incoming)
  const placeOf = (name: string) => join(folder, pathOf(name))
  const waiting = (blob: Blob, path: string): ReceivedBlob => ({
    ...blob,
    keep: () => place(path, placeOf(blob.name)).catch(translate),
    discard: () => rm(path, { force: true }),
  })
  return {
    ...readBlobsFolder(folder),
    async receive(bytes) {
      const path = join(incoming, randomUUID())
      try {
        const blob = await write(path, bytes)
        const named = waitingPath(incoming, blob.name)
        await place(path, named)
        return waiting(blob, named)
      } catch (error) {
        await rm(path, { force: true })
        return translate(error)
      }
    },
    async unfinished() {
      const paths = left.map((it) => join(incoming, it))
      return Promise.all(
        paths.map(async (path) => waiting({ name: nameIn(path), size: (await stat(path)).size }, path)),
      )
    },
    async release(name) {
      const path = waitingPath(incoming, name)
      try {
        const { size } = await stat(placeOf(name))
        await place(placeOf(name), path)
        return waiting({ name, size }, path)
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
    exclusively: oneAfterTheOther(),
  }
}

/** For whoever only reads beside a program that runs: leaves alone what that one is receiving. */
export const readBlobsFolder = (folder: string): Pick<Blobs, 'get' | 'list'> => ({
  async get(name) {
    const file = await open(join(folder, pathOf(name))).catch((error: unknown) => {
      throw isMissing(error) ? new AppError('FILE_NOT_FOUND', {}, { cause: error }) : error
    })
    return createReadStream('', { fd: file })
  },
  async *list() {
    for (const part of await namesIn(folder)) {
      if (!/^[0-9a-f]{2}$/.test(part)) continue
      for (const name of await namesIn(join(folder, part)))
        yield { name, size: (await stat(join(folder, part, name))).size }
    }
  },
})

const namesIn = async (folder: string): Promise<string[]> => (existsSync(folder) ? readdir(folder) : [])

const RECEIVED = /^([0-9a-f]{64})\.[\w-]+$/
const waitingPath = (incoming: string, name: string) => join(incoming, `${name}.${randomUUID()}`)
const nameIn = (path: string) => RECEIVED.exec(path.slice(dirname(path).length + 1))![1]!

const hasCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code
const isMissing = (error: unknown) => hasCode(error, 'ENOENT')

function translate(error: unknown): never {
  throw hasCode(error, 'ENOSPC') ? new AppError('STORE_FULL', {}, { cause: error }) : error
}

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

function oneAfterTheOther(): Blobs['exclusively'] {
  let last: Promise<unknown> = Promise.resolve()
  return (action) => {
    const turn = last.then(action, action)
    last = turn
    return turn
  }
}
