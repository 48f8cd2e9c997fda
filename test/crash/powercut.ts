// Simulates power cuts: records the syncs of a run and rebuilds the disk at any instant.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Client } from '../http.ts'
import type { Random } from '../random.ts'
import { launch, type Server, settled } from '../server.ts'
import { findBrokenPromises } from './checker.ts'
import { type Attempt, historyUntil } from './history.ts'
import { runWorkload } from './workload.ts'

export type Mutant = 'no-wal-sync' | 'no-sync'

/** Disk operations in order; `at` is in milliseconds of `monotonicNow`. */
export type DiskRecord =
  | { kind: 'sync'; path: string; at: number; size: number; parts: Parts }
  | { kind: 'create' | 'unlink' | 'failed-sync'; path: string; at: number }
  | { kind: 'rename'; path: string; to: string; at: number }

type Parts = { offset: number; bytes: Buffer }[]

export interface RecordedRun {
  records: DiskRecord[]
  history: Attempt[]
  folder: string
}

/** The database file in the data folder. */
export const DATABASE = 'pharos.db'

/** Unsynced writes that a cut may leave on the disk. */
export interface PowerCut {
  /** Number of records that had happened. */
  after: number
  /** Some blocks of the next sync had already reached the disk. */
  torn?: Random
  /** Files that were created but never synced exist and are empty. */
  emptyFiles?: boolean
}

export async function compileShim(t: TestContext): Promise<string> {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'powercut.so')
  const source = join(import.meta.dirname, 'powercut.c')
  await promisify(execFile)('gcc', ['-O2', '-shared', '-fPIC', '-o', path, source, '-ldl', '-pthread'])
  return path
}

export const temporaryFolder = async () => realpath(await mkdtemp(join(tmpdir(), 'pharos-powercut-')))

/** Starts a program whose disk operations are recorded. */
export async function launchRecorded(shim: string, folder: string, env: Record<string, string> = {}): Promise<Server> {
  const dataDir = join(folder, 'data')
  await mkdir(dataDir, { recursive: true })
  const recorder = { LD_PRELOAD: shim, POWERCUT_ROOT: dataDir, POWERCUT_LOG: join(folder, 'disk.log') }
  return launch({ dataDir, env: { ...recorder, ...env } })
}

export async function recordRun(shim: string, attempts: number, random: Random, mutant?: Mutant): Promise<RecordedRun> {
  const folder = await temporaryFolder()
  const server = await launchRecorded(shim, folder, mutant === undefined ? {} : { POWERCUT_MODE: mutant })
  const history: Attempt[] = []
  await fillLog(server)
  await runWorkload({ api: server.api, history, random, attempts })
  await settled(server)
  await server.kill()
  return { records: readLog(join(folder, 'disk.log')), history, folder }
}

const BALLAST_BYTES = 400_000
const BALLAST_PIECE = 8_000
const MAX_PUSHES = 200

/**
 * SQLite runs a checkpoint when the log has this many pages. To have one during the run, the log is filled until it
 * happens, and again until shortly before the next.
 */
export async function fillLog({ api, dataDir }: Server): Promise<void> {
  const { size } = await stat(join(dataDir, DATABASE))
  let pushes = 0
  while (pushes < MAX_PUSHES && (await stat(join(dataDir, DATABASE))).size < size + BALLAST_BYTES) {
    await pushBallast(api, pushes++)
  }
  for (let again = 0; again < pushes - 2; again++) await pushBallast(api, pushes + again)
}

/** Metadata without text: much to write, nothing to find. */
async function pushBallast(api: Client, serial: number): Promise<void> {
  const keys = Array.from({ length: BALLAST_BYTES / BALLAST_PIECE }, (_, key) => `key${key}`)
  const metadata = Object.fromEntries(keys.map((key) => [key, `${serial % 10}`.repeat(BALLAST_PIECE)]))
  const document = { id: 'ballast', semantic_identifier: 'Ballast', sections: [], metadata }
  const { status, body } = await api('POST', '/service-api/ingestion', { document })
  if (status !== 200) throw new Error(`the ballast was refused: ${status} ${JSON.stringify(body)}`)
}

/** Starts the program on the disk after the cut and returns the broken promises. */
export async function findFaultsAfterCut(run: RecordedRun, cut: PowerCut): Promise<string[]> {
  const dataDir = await temporaryFolder()
  await writeDisk(rebuildDisk(run.records, cut), dataDir)
  const at = run.records[cut.after]?.at ?? Number.POSITIVE_INFINITY
  const history = historyUntil(run.history, at)
  try {
    const server = await launch({ dataDir })
    try {
      return await findBrokenPromises({ api: server.api, history, resend: 2 })
    } finally {
      await server.kill()
    }
  } catch (error) {
    return [`after the cut it does not start: ${(error as Error).message}`]
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A file under reconstruction; the buffer may be longer than the file. */
interface GrowingFile {
  buffer: Buffer
  size: number
}

export function rebuildDisk(
  records: readonly DiskRecord[],
  { after, torn, emptyFiles }: PowerCut,
): Map<string, Buffer> {
  const disk = new Map<string, GrowingFile>()
  for (const it of records.slice(0, after)) {
    if (it.kind === 'sync') applyWrite(disk, it.path, it.size, it.parts)
    if (it.kind === 'create' && emptyFiles) applyWrite(disk, it.path, 0, [])
    if (it.kind === 'unlink') disk.delete(it.path)
    const moved = it.kind === 'rename' ? disk.get(it.path) : undefined
    if (it.kind !== 'rename' || moved === undefined) continue
    disk.delete(it.path)
    disk.set(it.to, moved)
  }
  const next = records[after]
  if (torn !== undefined && next?.kind === 'sync') {
    const parts = next.parts.filter(() => torn() < 0.5)
    const ends = parts.map(({ offset, bytes }) => offset + bytes.length)
    applyWrite(disk, next.path, Math.max(disk.get(next.path)?.size ?? 0, ...ends), parts)
  }
  return new Map([...disk].map(([path, { buffer, size }]) => [path, buffer.subarray(0, size)]))
}

function applyWrite(disk: Map<string, GrowingFile>, path: string, size: number, parts: Parts): void {
  const old = disk.get(path) ?? { buffer: Buffer.alloc(0), size: 0 }
  const buffer = size <= old.buffer.length ? old.buffer : Buffer.concat([old.buffer], 2 * size)
  for (const { offset, bytes } of parts) bytes.copy(buffer, offset)
  // Truncated bytes do not reappear when the file grows again.
  if (size < old.size) buffer.fill(0, size)
  disk.set(path, { buffer, size })
}

export async function writeDisk(disk: ReadonlyMap<string, Buffer>, folder: string): Promise<void> {
  for (const [path, content] of disk) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content, { mode: 0o600 })
  }
}

const HEAD_BYTES = 24
const PART_BYTES = 16

/** The inverse of `record` and `note` in powercut.c. */
export function readLog(path: string): DiskRecord[] {
  const log = readFileSync(path)
  const records: DiskRecord[] = []
  for (let at = 0; at < log.length; ) {
    const head = log.subarray(at, at + HEAD_BYTES)
    const pathLength = head.readUInt16LE(2)
    const partCount = head.readUInt32LE(4)
    const time = Number(head.readBigUInt64LE(8)) / 1e6
    const size = Number(head.readBigUInt64LE(16))
    at += HEAD_BYTES
    const name = log.toString('utf8', at, at + pathLength)
    at += pathLength
    const parts: Parts = []
    for (let part = 0; part < partCount; part++) {
      const length = Number(log.readBigUInt64LE(at + 8))
      parts.push({
        offset: Number(log.readBigUInt64LE(at)),
        bytes: log.subarray(at + PART_BYTES, at + PART_BYTES + length),
      })
      at += PART_BYTES + length
    }
    records.push(recordOf(String.fromCharCode(head[0]!), name, { at: time, size, parts }))
  }
  return records
}

function recordOf(kind: string, path: string, facts: { at: number; size: number; parts: Parts }): DiskRecord {
  const { at, size, parts } = facts
  switch (kind) {
    case 's':
      return { kind: 'sync', path, at, size, parts }
    case 'c':
      return { kind: 'create', path, at }
    case 'u':
      return { kind: 'unlink', path, at }
    case 'f':
      return { kind: 'failed-sync', path, at }
    case 'r': {
      const [from = '', to = ''] = path.split('\0')
      return { kind: 'rename', path: from, to, at }
    }
    default:
      throw new Error(`unknown record ${kind} in the disk's log`)
  }
}
