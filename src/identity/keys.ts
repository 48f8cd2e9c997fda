import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { type Role, rightsOf, type Scope, type Subject } from '../domain/subject.ts'
import { apiKeyFinder, insertApiKey, type StoredApiKey, touchApiKeys } from '../store/api-keys.ts'
import type { Database } from '../store/database.ts'
import { hashSecret, newKey, parseKey } from './key-format.ts'

export interface ApiKeyRequest {
  name: string | null
  role: Role
  scopes: readonly Scope[] | null
  expires_at: number | null
  user_email: string | null
  user_group_ids: readonly string[]
}

export interface Keys {
  /** Who the key stands for, or null when it is unknown, expired or misspelt. Looks it up anew each time. */
  authenticate(token: string): Promise<Subject | null>
  /** The only moment at which the key itself can be seen. */
  create(request: ApiKeyRequest): Promise<{ key: string; stored: Omit<StoredApiKey, 'last_used_at'> }>
  /** Writes down when keys were last used; called every minute. */
  flushLastUsed(): Promise<void>
}

const OPERATOR_ID = '00000000-0000-4000-8000-000000000000'

/** The operator's own key: whoever can set the environment owns the installation. */
const OPERATOR: Subject = {
  api_key_id: null,
  user_id: OPERATOR_ID,
  email: null,
  groups: [],
  role: 'admin',
  rights: rightsOf('admin', null),
  scopes: null,
}

export function openKeys({ db, adminApiKey, now }: { db: Database; adminApiKey: string; now: () => number }): Keys {
  const findApiKey = apiKeyFinder(db)
  const operatorHash = sha256(adminApiKey)
  let used = new Map<number, number>()

  const authenticate = async (token: string): Promise<Subject | null> => {
    if (timingSafeEqual(sha256(token), operatorHash)) return OPERATOR
    const parsed = parseKey(token)
    const stored = parsed === undefined ? undefined : await findApiKey(parsed.kid)
    if (parsed === undefined || stored === undefined) return null
    if (!timingSafeEqual(Buffer.from(stored.secret_hash), Buffer.from(hashSecret(parsed.secret)))) return null
    if (stored.expires_at !== null && stored.expires_at <= now()) return null
    used.set(stored.id, now())
    return subjectOf(stored)
  }

  return {
    authenticate,
    async create(request) {
      const { key, kid, secret } = newKey()
      const row = {
        kid,
        secret_hash: hashSecret(secret),
        display: `pharos_${kid}_********${key.slice(-4)}`,
        name: request.name,
        role: request.role,
        scopes: request.scopes === null ? null : JSON.stringify(request.scopes),
        user_id: randomUUID(),
        user_email: request.user_email,
        user_group_ids: JSON.stringify(request.user_group_ids),
        created_at: now(),
        expires_at: request.expires_at,
      }
      return { key, stored: { ...row, id: await insertApiKey(db, row) } }
    },
    async flushLastUsed() {
      const batch = used
      used = new Map()
      if (batch.size > 0) await touchApiKeys(db, batch)
    },
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

function subjectOf(stored: StoredApiKey): Subject {
  // The columns were written by `create` above, from checked values.
  const role = stored.role as Role
  const scopes = stored.scopes === null ? null : (JSON.parse(stored.scopes) as Scope[])
  return {
    api_key_id: stored.id,
    user_id: stored.user_id,
    email: stored.user_email,
    groups: JSON.parse(stored.user_group_ids),
    role,
    rights: rightsOf(role, scopes),
    scopes,
  }
}
