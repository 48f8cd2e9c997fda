// A process that checks a database file. Unlike a thread, it can be killed in the middle.
import { setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { errorMessage } from '../../domain/values/node-error.ts'
import { resultCode } from './error-codes.ts'
import { runQuickCheck } from './quick-check.ts'

export type IntegrityResult = { state: 'sound' } | { state: 'damaged' | 'failed'; reason: string }

const LOWEST_PRIORITY = 19
const MAX_REASON = 200
/** I/O error, malformed database, not a database. */
const DAMAGE_ERROR_CODES: ReadonlySet<number> = new Set([10, 11, 26])

setPriority(LOWEST_PRIORITY)
for (const path of process.argv.slice(2)) process.send?.(checkIntegrity(path))

function checkIntegrity(path: string): IntegrityResult {
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    const [answer = 'no result'] = runQuickCheck(db)
    return answer === 'ok' ? { state: 'sound' } : { state: 'damaged', reason: lastLine(answer) }
  } catch (error) {
    const code = resultCode(error)
    const isDamage = code !== undefined && DAMAGE_ERROR_CODES.has(code & 0xff)
    return { state: isDamage ? 'damaged' : 'failed', reason: errorMessage(error) }
  }
}

/** The preceding lines name the database. */
function lastLine(text: string): string {
  const lines = text.trim()
  return lines.slice(lines.lastIndexOf('\n') + 1).slice(0, MAX_REASON)
}
