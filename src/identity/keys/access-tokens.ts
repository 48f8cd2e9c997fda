// Personal access tokens. A token has at most the rights of its owner and ends with the key that created it.
import { scrypt } from 'node:crypto'
import { AppError } from '../../domain/errors.ts'
import { type PatScope, PERSON_PREFIX, rightsOfPat, type Subject } from '../../domain/subject.ts'
import type { Database } from '../../store/database/database.ts'
import { findKid, listKidsOfPerson } from '../../store/identity/api-keys.ts'
import { keyOwnershipFinder, personWithGroupsFinder } from '../../store/identity/credential-owners.ts'
import {
  deletePat,
  insertPat,
  listPats,
  type NewestPage,
  patFinder,
  type StoredPat,
  touchPats,
} from '../../store/identity/personal-access-tokens.ts'
import { createLastUsedTracker } from '../last-used.ts'
import { generateKey, hashSecret, matchesSecret, parseKey } from './key-format.ts'
import { isExpired, OPERATOR, subjectOfApiKey, subjectOfPerson } from './key-subject.ts'

export interface PatRequest {
  name: string
  scopes: readonly PatScope[] | null
  expires_at: number | null
}

export interface AccessTokens {
  /**
   * The owner with the rights of the token; null if the token or the owner is unknown or expired. Always reads the
   * record.
   */
  authenticate(token: string): Promise<Subject | null>
  /** The only time that the token itself is available. */
  create(owner: Subject, request: PatRequest): Promise<{ token: string; stored: StoredPat }>
  /** A name under which records store the credential of the subject. It becomes invalid with that key or token. */
  getCredentialName(subject: Subject): Promise<string>
  /** The subject of such a name; null if the key or token is unknown or expired. */
  findSubjectByCredential(name: string): Promise<Subject | null>
  /** The tokens of the owner, newest first. */
  list(owner: Subject, page: NewestPage): Promise<StoredPat[]>
  /** PAT_NOT_FOUND if the token does not belong to the owner. */
  delete(owner: Subject, id: number): Promise<void>
  /** Stores when tokens were last used; called every minute. */
  flushLastUsed(): Promise<void>
}

export function openAccessTokens({
  db,
  adminApiKey,
  now,
}: {
  db: Database
  adminApiKey: string
  now: () => number
}): AccessTokens {
  const findPat = patFinder(db)
  const findOwner = keyOwnershipFinder(db)
  const findPerson = personWithGroupsFinder(db)
  const operatorKid = memoize(() => hashOperatorKey(adminApiKey))
  const lastUsed = createLastUsedTracker<number>((batch) => touchPats(db, batch))

  const ownerKidOf = async ({ api_key_id, person_id }: Subject): Promise<string> => {
    if (api_key_id === null) return person_id === null ? operatorKid() : PERSON_PREFIX + person_id
    const kid = await findKid(db, api_key_id)
    if (kid === undefined) throw new AppError('UNAUTHENTICATED') // Deleted since this request came in.
    return kid
  }
  const ownerKidsOf = async (owner: Subject) => [await ownerKidOf(owner), ...(await kidsOfPersonsKeys(db, owner))]
  const resolveOwner = async (owner_kid: string): Promise<Subject | null> => {
    if (owner_kid.startsWith(OPERATOR_PREFIX)) return owner_kid === (await operatorKid()) ? OPERATOR : null
    if (owner_kid.startsWith(PERSON_PREFIX)) {
      const found = await findPerson(owner_kid.slice(PERSON_PREFIX.length))
      return found === undefined ? null : subjectOfPerson(found)
    }
    const owner = await findOwner(owner_kid)
    return owner === undefined || isExpired(owner.key, now()) ? null : subjectOfApiKey(owner)
  }
  const subjectOfPat = async (stored: StoredPat): Promise<Subject | null> => {
    const owner = isExpired(stored, now()) ? null : await resolveOwner(stored.owner_kid)
    if (owner === null) return null
    lastUsed.recordUse(stored.id, now())
    const scopes = parseScopes(stored)
    const credential = { kind: 'pat', kid: stored.kid } as const
    return { ...owner, rights: rightsOfPat(owner.rights, scopes), scopes: scopes ?? owner.scopes, credential }
  }

  return {
    async authenticate(token) {
      const parsed = parseKey(token)
      if (parsed?.kind !== 'pat') return null
      const stored = await findPat(parsed.kid)
      if (stored === undefined || !matchesSecret(parsed.secret, stored.secret_hash)) return null
      return subjectOfPat(stored)
    },
    async getCredentialName({ credential: { kind, kid } }) {
      // A call token cannot create lasting credentials.
      if (kind === 'call_token') throw new AppError('TOKEN_REFUSED')
      if (kid === null) return operatorKid()
      if (kind === 'person') return PERSON_PREFIX + kid
      return kind === 'pat' ? PAT_PREFIX + kid : kid
    },
    async findSubjectByCredential(name) {
      if (!name.startsWith(PAT_PREFIX)) return resolveOwner(name)
      const stored = await findPat(name.slice(PAT_PREFIX.length))
      return stored === undefined ? null : subjectOfPat(stored)
    },
    async create(owner, { name, scopes, expires_at }) {
      const { key, kid, secret, display } = generateKey('pat')
      const stored = await insertPat(db, {
        kid,
        secret_hash: hashSecret(secret),
        display,
        name,
        scopes: scopes === null ? null : JSON.stringify(scopes),
        owner_kid: await ownerKidOf(owner),
        created_at: now(),
        expires_at,
      })
      return { token: key, stored }
    },
    list: async (owner, page) => listPats(db, await ownerKidsOf(owner), page),
    delete: async (owner, id) => deletePat(db, await ownerKidsOf(owner), id),
    flushLastUsed: () => lastUsed.flush(),
  }
}

/** A person who has signed in also owns the tokens that their keys created. */
const kidsOfPersonsKeys = async (db: Database, { api_key_id, person_id }: Subject): Promise<string[]> =>
  api_key_id === null && person_id !== null ? listKidsOfPerson(db, person_id) : []

/** Written by `create` from validated values. */
export const parseScopes = (stored: StoredPat): PatScope[] | null =>
  stored.scopes === null ? null : JSON.parse(stored.scopes)

/** The `kid` of a stored key never contains a colon. */
const PAT_PREFIX = 'pat:'
const OPERATOR_PREFIX = 'operator:'

/** A new operator key makes a new owner. The key may be guessable, so only a slow hash of it is stored. */
const hashOperatorKey = (adminApiKey: string): Promise<string> =>
  new Promise((resolve, reject) =>
    scrypt(adminApiKey, 'pharos operator', 16, (error, hash) => {
      if (error === null) resolve(OPERATOR_PREFIX + hash.toString('base64url'))
      else reject(error)
    }),
  )

function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
