// Makes a backup as `pharos backup` does, in a process of its own: reading the record takes long, and no request waits.
// biome-ignore lint/style/noRestrictedImports: our own program, with the settings of the operator.
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import type { BackupFacts } from '../../store/backup/kept-backups.ts'

const MAIN = join(import.meta.dirname, '../../main.ts')

/** The part of the command's report that is kept. */
const BackupResult = z.object({
  version: z.string(),
  tables: z.record(z.string(), z.int()),
  blobs: z.int(),
  lost_blobs: z.array(z.string()),
})

/** Rejects with the command's own words, and with the reason of the signal. */
export async function writeBackupInProcess(path: string, signal: AbortSignal): Promise<BackupFacts> {
  signal.throwIfAborted()
  const child = spawn(process.execPath, [...process.execArgv, MAIN, 'backup', path, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', end)
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
    const ended = new Promise<void>((resolve, reject) => child.once('error', reject).once('close', () => resolve()))
    const [report, words] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    signal.throwIfAborted()
    if (report.trim() === '') throw new Error(words.trim() || `the backup process exited with ${child.exitCode}`)
    return toFacts(report)
  } finally {
    signal.removeEventListener('abort', end)
  }
}

function toFacts(report: string): BackupFacts {
  const { version, tables, blobs, lost_blobs } = BackupResult.parse(JSON.parse(report))
  return { version, documents: tables.document ?? 0, files: blobs, lost_files: lost_blobs.length }
}
