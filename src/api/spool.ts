// What was said and is not taken yet: a little in memory, the rest in a file without a name. So a client may write all
// it has before it reads a word, and the memory it costs stays the same.
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface SpoolSettings {
  dir: string
  maxMemoryBytes: number
  maxFileBytes: number
}

export interface Spool {
  /** Resolves when more may be written: at once, unless even the file is full. One at a time. */
  write(text: string): Promise<void>
  /** Nothing more will be written. */
  end(): void
  /** Everything in its order. Ends after `end`; at `close` even before that. */
  pieces(): AsyncGenerator<Buffer>
  /** Whoever waits goes on; the file is gone. */
  close(): Promise<void>
}

const PIECE_BYTES = 65_536

export function openSpool({ dir, maxMemoryBytes, maxFileBytes }: SpoolSettings): Spool {
  const turn = turnstile()
  let memory: Buffer[] = []
  let memoryBytes = 0
  let file: FileHandle | undefined
  let readAt = 0
  let writtenAt = 0
  let isEnded = false
  let isClosed = false

  const spill = async (bytes: Buffer) => {
    while (readAt < writtenAt && writtenAt + bytes.length > maxFileBytes && !isClosed) await turn.next()
    if (isClosed) return
    file ??= await openNameless(dir)
    if (isClosed) return file.close()
    if (readAt === writtenAt && writtenAt > 0) {
      await file.truncate(0)
      readAt = 0
      writtenAt = 0
    }
    await file.appendFile(bytes)
    writtenAt += bytes.length
  }
  const readFile = async (): Promise<Buffer> => {
    const bytes = Buffer.allocUnsafe(Math.min(PIECE_BYTES, writtenAt - readAt))
    const { bytesRead } = await file!.read(bytes, 0, bytes.length, readAt)
    readAt += bytesRead
    return bytes.subarray(0, bytesRead)
  }
  const readMemory = (): Buffer => {
    const bytes = Buffer.concat(memory)
    memory = []
    memoryBytes = 0
    return bytes
  }
  return {
    async write(text) {
      const bytes = Buffer.from(text)
      // Memory holds what comes before the file, so it is filled only while the file holds nothing.
      if (readAt === writtenAt && memoryBytes < maxMemoryBytes) {
        memory.push(bytes)
        memoryBytes += bytes.length
      } else await spill(bytes)
      turn.pass()
    },
    end() {
      isEnded = true
      turn.pass()
    },
    async *pieces() {
      while (!isClosed) {
        const isWaiting = memoryBytes === 0 && readAt === writtenAt
        if (isWaiting && isEnded) return
        if (isWaiting) await turn.next()
        else {
          yield memoryBytes > 0 ? readMemory() : await readFile()
          turn.pass()
        }
      }
    },
    async close() {
      isClosed = true
      turn.pass()
      await file?.close()
      file = undefined
    },
  }
}

/** It has no name any more before the first byte is in it, so nothing is left behind, whatever happens. */
async function openNameless(dir: string): Promise<FileHandle> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, randomUUID())
  const file = await open(path, 'ax+', 0o600)
  await rm(path)
  return file
}

/** `next` resolves at the next `pass`. */
function turnstile(): { next(): Promise<void>; pass(): void } {
  let waiting: (() => void)[] = []
  return {
    next: () => new Promise((resolve) => waiting.push(resolve)),
    pass() {
      const passing = waiting
      waiting = []
      for (const resolve of passing) resolve()
    },
  }
}
