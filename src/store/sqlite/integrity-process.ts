// A process that checks a database file. Unlike a thread, it can be killed in the middle.
import { setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'

export type IntegrityResult = { state: 'sound' } | { state: 'damaged' | 'failed'; reason: string }

const LOWEST_PRIORITY = 19
const MAX_REASON = 200
/** I/O error, malformed database, not a database. */
const DAMAGE_ERROR_CODES: ReadonlySet<number> = new Set([10, 11, 26])

setPriority(LOWEST_PRIORITY)
process.send?.(checkIntegrity(process.argv[2]!))

function checkIntegrity(path: string): IntegrityResult {
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    const [first] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
    const answer = first?.quick_check ?? 'no result'
    return answer === 'ok' ? { state: 'sound' } : { state: 'damaged', reason: lastLine(answer) }
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    return { state: DAMAGE_ERROR_CODES.has((errcode ?? 0) & 0xff) ? 'damaged' : 'failed', reason: message }
  }
}

/** The preceding lines name the database. */
function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)!.slice(0, MAX_REASON)
}
