// Browser sessions. A session has the current rights of its key and ends with the key.
import { randomBytes } from 'node:crypto'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import type { Database } from '../store/database/database.ts'
import {
  deleteExpiredSessions,
  deleteSession,
  insertSession,
  sessionFinder,
  touchSessions,
} from '../store/identity/sessions.ts'
import { DAY_MS } from '../wire/date-time.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { ApiKeys } from './api-keys.ts'
import { hashSecret } from './key-format.ts'
import { createLastUsedTracker } from './last-used.ts'

/** The maximum age, regardless of use. */
export const MAX_SESSION_MS = 30 * DAY_MS
const IDLE_TIMEOUT_MS = 7 * DAY_MS

export interface Sessions {
  /** The subject of the session; null if the session or its key has ended. Always reads the record. */
  authenticate(token: string): Promise<Subject | null>
  /** The only time that the token itself is available. An invalid key is UNAUTHENTICATED. */
  signIn(key: string): Promise<{ token: string; subject: Subject }>
  /** The session has ended when this resolves. Ending it again is not an error. */
  signOut(token: string): Promise<void>
  /** Stores when sessions were last used and deletes old ones; called every minute. */
  maintain(): Promise<void>
}

interface SessionsDeps {
  db: Database
  keys: Pick<ApiKeys, 'authenticate'>
  tokens: Pick<AccessTokens, 'authenticate' | 'getCredentialName' | 'findSubjectByCredential'>
  now: () => number
}

export function openSessions({ db, keys, tokens, now }: SessionsDeps): Sessions {
  const findSession = sessionFinder(db)
  const lastUsed = createLastUsedTracker((batch) => touchSessions(db, batch))
  return {
    async authenticate(token) {
      const stored = await findSession(hashSecret(token))
      if (stored === undefined) return null
      if (now() - stored.created_at >= MAX_SESSION_MS || now() - stored.last_used_at >= IDLE_TIMEOUT_MS) return null
      const subject = await tokens.findSubjectByCredential(stored.owner_kid)
      if (subject !== null) lastUsed.recordUse(stored.id, now())
      return subject
    },
    async signIn(key) {
      const subject = (await keys.authenticate(key)) ?? (await tokens.authenticate(key))
      if (subject === null) throw new AppError('UNAUTHENTICATED')
      const token = randomBytes(32).toString('base64url')
      const at = now()
      const session = { token_hash: hashSecret(token), owner_kid: await tokens.getCredentialName(subject) }
      await insertSession(db, { ...session, created_at: at, last_used_at: at })
      return { token, subject }
    },
    signOut: (token) => deleteSession(db, hashSecret(token)),
    async maintain() {
      await lastUsed.flush()
      await deleteExpiredSessions(db, { createdBefore: now() - MAX_SESSION_MS, usedBefore: now() - IDLE_TIMEOUT_MS })
    },
  }
}
