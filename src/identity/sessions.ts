// A browser that signed in with a key: it may what the key may at the moment, and its session ends with the key.
import { randomBytes } from 'node:crypto'
import { DAY_MS } from '../domain/date-time.ts'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import type { Database } from '../store/database.ts'
import { deleteOldSessions, deleteSession, insertSession, sessionFinder, touchSessions } from '../store/sessions.ts'
import { hashSecret } from './key-format.ts'
import type { Keys } from './keys.ts'
import { lastUsed } from './last-used.ts'
import type { Tokens } from './tokens.ts'

/** However often it is used. */
export const SESSION_MS = 30 * DAY_MS
const IDLE_MS = 7 * DAY_MS

export interface Sessions {
  /** Who signed in, or null when the session or its key has ended. Looks both up each time. */
  authenticate(token: string): Promise<Subject | null>
  /** The only moment at which the token itself can be seen. A key that is none is UNAUTHENTICATED. */
  open(key: string): Promise<{ token: string; subject: Subject }>
  /** It is dead when this resolves; one that has ended before is fine. */
  close(token: string): Promise<void>
  /** Writes down when sessions were last used, and takes away the old ones; called every minute. */
  keep(): Promise<void>
}

interface Needs {
  db: Database
  keys: Pick<Keys, 'authenticate'>
  tokens: Pick<Tokens, 'authenticate' | 'nameOf' | 'subjectNamed'>
  now: () => number
}

export function openSessions({ db, keys, tokens, now }: Needs): Sessions {
  const findSession = sessionFinder(db)
  const used = lastUsed((batch) => touchSessions(db, batch))
  return {
    async authenticate(token) {
      const stored = await findSession(hashSecret(token))
      if (stored === undefined) return null
      if (now() - stored.created_at >= SESSION_MS || now() - stored.last_used_at >= IDLE_MS) return null
      const subject = await tokens.subjectNamed(stored.owner_kid)
      if (subject !== null) used.note(stored.id, now())
      return subject
    },
    async open(key) {
      const subject = (await keys.authenticate(key)) ?? (await tokens.authenticate(key))
      if (subject === null) throw new AppError('UNAUTHENTICATED')
      const token = randomBytes(32).toString('base64url')
      const at = now()
      const session = { token_hash: hashSecret(token), owner_kid: await tokens.nameOf(key, subject) }
      await insertSession(db, { ...session, created_at: at, last_used_at: at })
      return { token, subject }
    },
    close: (token) => deleteSession(db, hashSecret(token)),
    async keep() {
      await used.flush()
      await deleteOldSessions(db, { createdBefore: now() - SESSION_MS, usedBefore: now() - IDLE_MS })
    },
  }
}
