// Buffers output that the client has not read yet: a little in memory, the rest in an unlinked file. A client may write
// its whole input before it reads, at constant memory.
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface SpoolSettings {
  dir: string
  maxMemoryBytes: number
  maxFileBytes: number
}

export interface Spool {
  /** Resolves when more may be written: at once, unless the file is full. Calls must not overlap. */
  write(text: string): Promise<void>
  /** Marks the end of the output. */
  end(): void
  /** The output in order. Ends after `end`, or early at `close`. */
  chunks(): AsyncGenerator<Buffer>
  /** Resumes waiting calls and releases the file. */
  close(): Promise<void>
}

const CHUNK_BYTES = 65_536

export function openSpool({ dir, maxMemoryBytes, maxFileBytes }: SpoolSettings): Spool {
  const stateChange = createCondition()
  let memory: Buffer[] = []
  let memoryBytes = 0
  let file: FileHandle | undefined
  let readAt = 0
  let writtenAt = 0
  let isEnded = false
  let isClosed = false

  const spill = async (bytes: Buffer) => {
    while (readAt < writtenAt && writtenAt + bytes.length > maxFileBytes && !isClosed) await stateChange.wait()
    if (isClosed) return
    file ??= await openUnlinkedFile(dir)
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
    const bytes = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, writtenAt - readAt))
    // The file is open, because bytes are left to read.
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
      // Bytes in memory precede those in the file, so memory is filled only while the file is empty.
      if (readAt === writtenAt && memoryBytes < maxMemoryBytes) {
        memory.push(bytes)
        memoryBytes += bytes.length
      } else await spill(bytes)
      stateChange.notifyAll()
    },
    end() {
      isEnded = true
      stateChange.notifyAll()
    },
    async *chunks() {
      while (!isClosed) {
        const isWaiting = memoryBytes === 0 && readAt === writtenAt
        if (isWaiting && isEnded) return
        if (isWaiting) await stateChange.wait()
        else {
          yield memoryBytes > 0 ? readMemory() : await readFile()
          stateChange.notifyAll()
        }
      }
    },
    async close() {
      isClosed = true
      stateChange.notifyAll()
      await file?.close()
      file = undefined
    },
  }
}

/** The file is unlinked before the first write, so a crash leaves nothing behind. */
async function openUnlinkedFile(dir: string): Promise<FileHandle> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, randomUUID())
  const file = await open(path, 'ax+', 0o600)
  await rm(path)
  return file
}

/** A condition variable: `wait` resolves at the next `notifyAll`. */
function createCondition(): { wait(): Promise<void>; notifyAll(): void } {
  let waiters: (() => void)[] = []
  return {
    wait: () => new Promise((resolve) => waiters.push(resolve)),
    notifyAll() {
      const resumed = waiters
      waiters = []
      for (const resolve of resumed) resolve()
    },
  }
}
