// Personal access tokens: keys that somebody makes for their own programs, with no more rights than their own, and that
// end with the key they were made with.
import { scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import { type PatScope, rightsOfPat, type Subject } from '../domain/subject.ts'
import { apiKeyFinder, findApiKey } from '../store/api-keys.ts'
import type { Database } from '../store/database.ts'
import { deletePat, insertPat, listPats, patFinder, type StoredPat, touchPats } from '../store/pats.ts'
import { hashSecret, isSecret, newKey, parseKey } from './key-format.ts'
import { isExpired, OPERATOR, subjectOf } from './key-subject.ts'
import { lastUsed } from './last-used.ts'

export interface PatRequest {
  name: string
  scopes: readonly PatScope[] | null
  expires_at: number | null
}

export interface Tokens {
  /** The owner as far as the token goes, or null when token or owner is unknown or expired. Looks both up each time. */
  authenticate(token: string): Promise<Subject | null>
  /** The only moment at which the token itself can be seen. */
  create(owner: Subject, request: PatRequest): Promise<{ token: string; stored: StoredPat }>
  /** Under which name what was made with this key remembers it: one that ends with the key. */
  nameOf(key: string, subject: Subject): Promise<string>
  /** Who stands behind such a name at this moment, or null when that key or token is unknown or expired. */
  subjectNamed(name: string): Promise<Subject | null>
  /** The owner's, in order of their ids. */
  list(owner: Subject, page: Page): Promise<StoredPat[]>
  /** One that is not the owner's is PAT_NOT_FOUND. */
  delete(owner: Subject, id: number): Promise<void>
  /** Writes down when tokens were last used; called every minute. */
  flushLastUsed(): Promise<void>
}

export function openTokens({ db, adminApiKey, now }: { db: Database; adminApiKey: string; now: () => number }): Tokens {
  const findPat = patFinder(db)
  const findOwner = apiKeyFinder(db)
  const operatorKid = once(() => kidOfOperator(adminApiKey))
  const used = lastUsed((batch) => touchPats(db, batch))

  const kidOf = async ({ api_key_id }: Subject): Promise<string> => {
    if (api_key_id === null) return operatorKid()
    const stored = await findApiKey(db, api_key_id)
    if (stored === undefined) throw new AppError('UNAUTHENTICATED') // Deleted since this request came in.
    return stored.kid
  }
  const ownerOf = async (owner_kid: string): Promise<Subject | null> => {
    if (owner_kid.startsWith(OPERATOR_KID)) return owner_kid === (await operatorKid()) ? OPERATOR : null
    const stored = await findOwner(owner_kid)
    return stored === undefined || isExpired(stored, now()) ? null : subjectOf(stored)
  }
  const subjectOfPat = async (stored: StoredPat): Promise<Subject | null> => {
    const owner = isExpired(stored, now()) ? null : await ownerOf(stored.owner_kid)
    if (owner === null) return null
    used.note(stored.id, now())
    const scopes = scopesOf(stored)
    return { ...owner, rights: rightsOfPat(owner.rights, scopes), scopes: scopes ?? owner.scopes }
  }

  return {
    async authenticate(token) {
      const parsed = parseKey(token)
      if (parsed?.kind !== 'pat') return null
      const stored = await findPat(parsed.kid)
      if (stored === undefined || !isSecret(parsed.secret, stored.secret_hash)) return null
      return subjectOfPat(stored)
    },
    async nameOf(key, subject) {
      const parsed = subject === OPERATOR ? undefined : parseKey(key)
      if (parsed === undefined) return operatorKid()
      return parsed.kind === 'pat' ? PAT_NAME + parsed.kid : parsed.kid
    },
    async subjectNamed(name) {
      if (!name.startsWith(PAT_NAME)) return ownerOf(name)
      const stored = await findPat(name.slice(PAT_NAME.length))
      return stored === undefined ? null : subjectOfPat(stored)
    },
    async create(owner, { name, scopes, expires_at }) {
      const { key, kid, secret, display } = newKey('pat')
      const stored = await insertPat(db, {
        kid,
        secret_hash: hashSecret(secret),
        display,
        name,
        scopes: scopes === null ? null : JSON.stringify(scopes),
        owner_kid: await kidOf(owner),
        created_at: now(),
        expires_at,
      })
      return { token: key, stored }
    },
    list: async (owner, page) => listPats(db, await kidOf(owner), page),
    delete: async (owner, id) => deletePat(db, await kidOf(owner), id),
    flushLastUsed: () => used.flush(),
  }
}

/** The column was written by `create` above, from checked values. */
export const scopesOf = (stored: StoredPat): PatScope[] | null =>
  stored.scopes === null ? null : JSON.parse(stored.scopes)

/** No `kid` of a stored key has a colon. */
const PAT_NAME = 'pat:'
const OPERATOR_KID = 'operator:'

/** Another operator's key is another owner. It may be a word that can be guessed, so what is stored of it is slow. */
const kidOfOperator = async (adminApiKey: string): Promise<string> =>
  OPERATOR_KID + ((await promisify(scrypt)(adminApiKey, 'pharos operator', 16)) as Buffer).toString('base64url')

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
