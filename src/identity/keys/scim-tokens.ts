// The token with which a directory calls /scim/v2, and nothing else.
import { AppError } from '../../domain/errors.ts'
import type { Right, Subject } from '../../domain/subject.ts'
import type { Database } from '../../store/database/database.ts'
import {
  findActiveScimToken,
  replaceScimToken,
  revokeScimTokens,
  type StoredScimToken,
  touchScimTokens,
} from '../../store/identity/scim/tokens.ts'
import { createLastUsedTracker } from '../last-used.ts'
import { createAttemptLimiter } from '../passwords/attempt-limiter.ts'
import { generateKey, hashSecret, matchesSecret, parseKey } from './key-format.ts'

export interface ScimTokens {
  /** The directory; null if the text is not the valid token. */
  authenticate(token: string): Promise<Subject | null>
  /** Counts a wrong credential from this address. TOO_MANY_ATTEMPTS: there were too many. */
  refuse(address: string): void
  /** The only time that the token itself is available. The token before it is invalid when this resolves. */
  create(name: string): Promise<{ token: string; stored: StoredScimToken }>
  /** Undefined if there is none. */
  find(): Promise<StoredScimToken | undefined>
  /** SCIM_NO_TOKEN: there is none. */
  revoke(): Promise<void>
  flushLastUsed(): Promise<void>
}

export function openScimTokens({ db, now }: { db: Database; now: () => number }): ScimTokens {
  const lastUsed = createLastUsedTracker<number>((batch) => touchScimTokens(db, batch))
  const attempts = createAttemptLimiter({ now })
  return {
    async authenticate(token) {
      const parsed = parseKey(token)
      if (parsed?.kind !== 'scim') return null
      const stored = await findActiveScimToken(db)
      if (stored === undefined || stored.kid !== parsed.kid || !matchesSecret(parsed.secret, stored.secret_hash))
        return null
      lastUsed.recordUse(stored.id, now())
      return subjectOf(stored)
    },
    refuse(address) {
      // The account is the address too: a guesser must not make the directory wait, which comes from another one.
      attempts.check(address, address)
      attempts.recordFailure(address, address)
    },
    async create(name) {
      const { key, kid, secret, display } = generateKey('scim')
      const stored = await replaceScimToken(db, {
        ...{ kid, display, name },
        secret_hash: hashSecret(secret),
        created_at: now(),
      })
      return { token: key, stored }
    },
    async find() {
      await lastUsed.flush()
      return findActiveScimToken(db)
    },
    async revoke() {
      if (!(await revokeScimTokens(db))) throw new AppError('SCIM_NO_TOKEN')
    },
    flushLastUsed: () => lastUsed.flush(),
  }
}

const SCIM_RIGHTS: ReadonlySet<Right> = new Set<Right>(['scim'])

const subjectOf = ({ id, kid }: StoredScimToken): Subject => ({
  api_key_id: null,
  user_id: `scim-token-${id}`,
  person_id: null,
  usage_id: `scim-token-${id}`,
  email: null,
  groups: [],
  curated_groups: [],
  role: 'limited',
  rights: SCIM_RIGHTS,
  scopes: [],
  credential: { kind: 'scim', kid },
})
