import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Role, Scope, Subject } from '../domain/subject.ts'
import {
  apiKeyFinder,
  findApiKeyOf,
  insertApiKey,
  replaceApiKeySecret,
  type StoredApiKey,
  touchApiKeys,
} from '../store/api-keys.ts'
import type { Database } from '../store/database.ts'
import { hashSecret, isSecret, type NewKey, newKey, parseKey } from './key-format.ts'
import { isExpired, OPERATOR, subjectOf } from './key-subject.ts'
import { lastUsed } from './last-used.ts'

export interface ApiKeyRequest {
  name: string | null
  role: Role
  scopes: readonly Scope[] | null
  expires_at: number | null
  user_email: string | null
  user_group_ids: readonly string[]
  daily_token_limit: number | null
}

export interface Keys {
  /** Who the key stands for, or null when it is unknown, expired or misspelt. Looks it up anew each time. */
  authenticate(token: string): Promise<Subject | null>
  /** Who a key stands for by its `user_id`, or null when it is gone or expired. */
  find(userId: string): Promise<Subject | null>
  /** The only moment at which the key itself can be seen; so in `regenerate`. */
  create(request: ApiKeyRequest): Promise<{ key: string; stored: StoredApiKey }>
  /** A new secret for the same key. The old one is dead when this resolves, and so are the tokens made with it. */
  regenerate(id: number): Promise<{ key: string; stored: StoredApiKey }>
  /** Writes down when keys were last used; called every minute. */
  flushLastUsed(): Promise<void>
}

export function openKeys({ db, adminApiKey, now }: { db: Database; adminApiKey: string; now: () => number }): Keys {
  const findApiKey = apiKeyFinder(db)
  const operatorHash = sha256(adminApiKey)
  const used = lastUsed((batch) => touchApiKeys(db, batch))
  return {
    async authenticate(token) {
      if (timingSafeEqual(sha256(token), operatorHash)) return OPERATOR
      const parsed = parseKey(token)
      if (parsed?.kind !== 'api_key') return null
      const stored = await findApiKey(parsed.kid)
      if (stored === undefined || !isSecret(parsed.secret, stored.secret_hash)) return null
      if (isExpired(stored, now())) return null
      used.note(stored.id, now())
      return subjectOf(stored)
    },
    async find(userId) {
      if (userId === OPERATOR.user_id) return OPERATOR
      const stored = await findApiKeyOf(db, userId)
      return stored === undefined || isExpired(stored, now()) ? null : subjectOf(stored)
    },
    async create(request) {
      const made = newKey('api_key')
      const stored = await insertApiKey(db, {
        ...secretOf(made),
        name: request.name,
        role: request.role,
        scopes: request.scopes === null ? null : JSON.stringify(request.scopes),
        user_id: randomUUID(),
        user_email: request.user_email,
        user_group_ids: JSON.stringify(request.user_group_ids),
        created_at: now(),
        expires_at: request.expires_at,
        daily_token_limit: request.daily_token_limit,
      })
      return { key: made.key, stored }
    },
    async regenerate(id) {
      const made = newKey('api_key')
      const stored = await replaceApiKeySecret(db, id, secretOf(made))
      used.forget(id)
      return { key: made.key, stored }
    },
    flushLastUsed: () => used.flush(),
  }
}

const secretOf = ({ kid, secret, display }: NewKey) => ({ kid, secret_hash: hashSecret(secret), display })

const sha256 = (text: string) => createHash('sha256').update(text).digest()
