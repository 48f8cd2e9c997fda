// DATA_DIR/record.json identifies the record of this folder and how much of it has certainly reached the disk. It lies
// next to the database, so that an emptied, removed, replaced or truncated record is not mistaken for a new one.
import { rmSync, statSync } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode } from '../../domain/values/node-error.ts'
import { recordFileHead } from './record-file-head.ts'
import { syncFolder } from './sync-folder.ts'

export const RECORD_KINDS = ['sqlite', 'postgres'] as const

const RecordLoss = z.object({
  /** When the loss was detected, in epoch milliseconds. */
  at: z.int(),
  /** `incomplete`: a part of this record is missing. `replaced`: this is a different record. */
  what: z.enum(['incomplete', 'replaced']),
  reason: z.string().max(1_000),
})

const RecordFile = z.object({
  changes: z.int().nonnegative(),
  commits: z.int().nonnegative(),
  format: z.literal(1),
  /** Null when the loss of the last record was accepted and no new one has begun. */
  id: z.string().nullable(),
  kind: z.enum(RECORD_KINDS),
  /** Losses that nobody has accepted yet. */
  lost: z.array(RecordLoss).max(10),
})

export type RecordLoss = z.infer<typeof RecordLoss>
/** Its counters are a lower bound of what the record held. */
export type RecordFile = Omit<z.infer<typeof RecordFile>, 'format'>

export const recordFilePath = (dataDir: string): string => join(dataDir, 'record.json')

/** Undefined when there is no file; null when it is unreadable. */
export async function readRecordFile(dataDir: string): Promise<RecordFile | null | undefined> {
  let text: string
  try {
    text = await readFile(recordFilePath(dataDir), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const { format: _, ...known } = RecordFile.parse(JSON.parse(text))
    return known
  } catch {
    return null
  }
}

/** The file is on disk when this resolves; until then the old one stays. */
export async function writeRecordFile(
  dataDir: string,
  { changes, commits, id, kind, lost }: RecordFile,
): Promise<void> {
  const path = recordFilePath(dataDir)
  const tail = JSON.stringify({ format: 1, id, kind, lost }).slice(1)
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(`${recordFileHead({ changes, commits })},${tail}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  syncFolder(dataDir)
}

/** Call it before another record replaces the one that the file describes. */
export function removeRecordFile(dataDir: string): void {
  rmSync(recordFilePath(dataDir), { force: true })
  syncFolder(dataDir)
}

/**
 * Returns a file that proves that the folder had a record; null when it had none or its loss was accepted. A secret key
 * is created together with a record, and an index follows one.
 */
export async function findRecordTrace(dataDir: string): Promise<string | null> {
  if ((await readRecordFile(dataDir))?.id === null) return null
  return TRACES.find((it) => (statSync(join(dataDir, it), { throwIfNoEntry: false })?.size ?? 0) > 0) ?? null
}

const TRACES = ['record.json', 'secret-key', 'index/generations.json']
