import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Role, Scope, Subject } from '../../domain/subject.ts'
import type { Database } from '../../store/database/database.ts'
import { insertApiKey, replaceApiKeySecret, type StoredApiKey, touchApiKeys } from '../../store/identity/api-keys.ts'
import {
  findKeyOwnershipByUserId,
  keyOwnershipFinder,
  personWithGroupsFinder,
} from '../../store/identity/credential-owners.ts'
import { createLastUsedTracker } from '../last-used.ts'
import { type GeneratedKey, generateKey, hashSecret, matchesSecret, parseKey } from './key-format.ts'
import { isExpired, OPERATOR, subjectOfApiKey, subjectOfPerson } from './key-subject.ts'

export interface ApiKeyRequest {
  name: string | null
  role: Role
  scopes: readonly Scope[] | null
  expires_at: number | null
  user_email: string | null
  /** Null for the groups of the person. */
  user_group_ids: readonly string[] | null
  daily_token_limit: number | null
}

export interface ApiKeys {
  /** The subject of the key; null if the key is unknown, expired or misspelt, or its person suspended. Always reads the record. */
  authenticate(token: string): Promise<Subject | null>
  /** The person or key with this `user_id`; null if it is deleted, expired or suspended. */
  findSubject(userId: string): Promise<Subject | null>
  /** The only time that the key itself is available; so is `regenerate`. */
  create(request: ApiKeyRequest): Promise<{ key: string; stored: StoredApiKey }>
  /** Replaces the secret of a key. The old secret and the tokens created with it are invalid when this resolves. */
  regenerate(id: number): Promise<{ key: string; stored: StoredApiKey }>
  /** Stores when keys were last used; called every minute. */
  flushLastUsed(): Promise<void>
}

export function openApiKeys({
  db,
  adminApiKey,
  now,
}: {
  db: Database
  adminApiKey: string
  now: () => number
}): ApiKeys {
  const findOwner = keyOwnershipFinder(db)
  const findPerson = personWithGroupsFinder(db)
  const operatorHash = sha256(adminApiKey)
  const lastUsed = createLastUsedTracker<number>((batch) => touchApiKeys(db, batch))
  return {
    async authenticate(token) {
      if (timingSafeEqual(sha256(token), operatorHash)) return OPERATOR
      const parsed = parseKey(token)
      if (parsed?.kind !== 'api_key') return null
      const owner = await findOwner(parsed.kid)
      if (owner === undefined || !matchesSecret(parsed.secret, owner.key.secret_hash)) return null
      if (isExpired(owner.key, now())) return null
      const subject = subjectOfApiKey(owner)
      if (subject !== null) lastUsed.recordUse(owner.key.id, now())
      return subject
    },
    async findSubject(userId) {
      if (userId === OPERATOR.user_id) return OPERATOR
      const person = await findPerson(userId)
      if (person !== undefined) return subjectOfPerson(person)
      const owner = await findKeyOwnershipByUserId(db, userId)
      return owner === undefined || isExpired(owner.key, now()) ? null : subjectOfApiKey(owner)
    },
    async create(request) {
      const generated = generateKey('api_key')
      const stored = await insertApiKey(db, {
        ...secretColumns(generated),
        name: request.name,
        role: request.role,
        scopes: request.scopes === null ? null : JSON.stringify(request.scopes),
        user_id: randomUUID(),
        user_email: request.user_email,
        user_group_ids: request.user_group_ids,
        created_at: now(),
        expires_at: request.expires_at,
        daily_token_limit: request.daily_token_limit,
      })
      return { key: generated.key, stored }
    },
    async regenerate(id) {
      const generated = generateKey('api_key')
      const stored = await replaceApiKeySecret(db, id, secretColumns(generated))
      lastUsed.forget(id)
      return { key: generated.key, stored }
    },
    flushLastUsed: () => lastUsed.flush(),
  }
}

const secretColumns = ({ kid, secret, display }: GeneratedKey) => ({ kid, secret_hash: hashSecret(secret), display })

const sha256 = (text: string) => createHash('sha256').update(text).digest()
