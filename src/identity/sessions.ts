// Browser sessions. A session has the current rights of its key or person and ends with the key.
import { randomBytes } from 'node:crypto'
import { AppError } from '../domain/errors.ts'
import type { SessionMethod } from '../domain/sign-in/session-method.ts'
import { PERSON_PREFIX, type Subject } from '../domain/subject.ts'
import type { Database } from '../store/database/database.ts'
import { listKidsOfPerson } from '../store/identity/api-keys.ts'
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionOf,
  deleteSessionsOf,
  insertSession,
  listSessions,
  replaceSessionToken,
  type StoredSession,
  sessionFinder,
  touchSessions,
} from '../store/identity/sessions.ts'
import { touchPeople } from '../store/identity/sign-in/person-passwords.ts'
import type { AccessTokens } from './keys/access-tokens.ts'
import type { ApiKeys } from './keys/api-keys.ts'
import { hashSecret } from './keys/key-format.ts'
import { createLastUsedTracker } from './last-used.ts'

/** See `SESSION_MAX_HOURS` and `SESSION_IDLE_HOURS`. They hold for sessions that were opened before, too. */
export interface SessionLifetimes {
  maxMs: number
  /** At most `maxMs`. */
  idleMs: number
}

/** Where a session is opened. Its owner sees it. */
export interface SessionClient {
  address: string
  userAgent: string | null
}

export interface OpenSession {
  id: number
  token: string
  /** The time until the session ends, however often it is used. */
  maxAgeMs: number
  subject: Subject
}

export interface Sessions {
  /** The subject of the session; null if the session or its key has ended. Always reads the record. */
  authenticate(token: string): Promise<Subject | null>
  /** The only time that the token itself is available. An invalid key is UNAUTHENTICATED. */
  signIn(key: string, client: SessionClient): Promise<OpenSession>
  /** Opens a session of a person who has proved who they are. UNAUTHENTICATED: the person is suspended or deleted. */
  openForPerson(personId: string, method: SessionMethod, client: SessionClient): Promise<OpenSession>
  /** Undefined if it has ended. */
  findId(token: string): Promise<number | undefined>
  /** Gives the session a new token; the old one is invalid when this resolves. UNAUTHENTICATED: the session has ended. */
  rotate(token: string): Promise<Pick<OpenSession, 'token' | 'maxAgeMs'>>
  /** The session has ended when this resolves. Ending it again is not an error. */
  signOut(token: string): Promise<void>
  /** The newest sessions of the person, with those of their keys; for a key that acts for nobody, its own. */
  list(owner: Subject): Promise<StoredSession[]>
  listOfPerson(personId: string): Promise<StoredSession[]>
  /** BROWSER_SESSION_NOT_FOUND: the owner has no such session. */
  end(owner: Subject, id: number): Promise<void>
  /** BROWSER_SESSION_NOT_FOUND: the person has no such session. */
  endOfPerson(personId: string, id: number): Promise<void>
  /** Ends all sessions of the owner except the one with this token. Returns their number. */
  endOthers(owner: Subject, token: string | undefined): Promise<number>
  endAllOfPerson(personId: string): Promise<number>
  isCurrent(session: StoredSession, token: string | undefined): boolean
  /** The time of the sign-in; null if the session has ended. */
  openedAt(token: string): Promise<number | null>
  /** Stores when sessions were last used and deletes old ones; called every minute. */
  maintain(): Promise<void>
}

interface SessionsDeps {
  db: Database
  keys: Pick<ApiKeys, 'authenticate'>
  tokens: Pick<AccessTokens, 'authenticate' | 'getCredentialName' | 'findSubjectByCredential'>
  lifetimes: SessionLifetimes
  now: () => number
}

export function openSessions({ db, keys, tokens, lifetimes, now }: SessionsDeps): Sessions {
  const { maxMs, idleMs } = lifetimes
  const findSession = sessionFinder(db)
  const lastUsed = createLastUsedTracker<number>((batch) => touchSessions(db, batch))
  const lastSeen = createLastUsedTracker<string>((batch) => touchPeople(db, batch))
  const open = async (subject: Subject, method: SessionMethod, client: SessionClient): Promise<OpenSession> => {
    const token = createToken()
    const at = now()
    const owner_kid = await tokens.getCredentialName(subject)
    const { address, userAgent: user_agent } = client
    const times = { created_at: at, last_used_at: at }
    const session = { token_hash: hashSecret(token), owner_kid, method, address, user_agent, ...times }
    const id = await insertSession(db, session)
    if (subject.person_id !== null) lastSeen.recordUse(subject.person_id, at)
    return { id, token, maxAgeMs: maxMs, subject }
  }
  const ownersOf = async (owner: Subject): Promise<string[]> =>
    owner.person_id === null ? [await tokens.getCredentialName(owner)] : ownersOfPerson(db, owner.person_id)
  return {
    async authenticate(token) {
      const stored = await findSession(hashSecret(token))
      if (stored === undefined) return null
      if (now() - stored.created_at >= maxMs || now() - stored.last_used_at >= idleMs) return null
      const subject = await tokens.findSubjectByCredential(stored.owner_kid)
      if (subject === null) return null
      lastUsed.recordUse(stored.id, now())
      if (subject.person_id !== null) lastSeen.recordUse(subject.person_id, now())
      return subject
    },
    async signIn(key, client) {
      const subject = (await keys.authenticate(key)) ?? (await tokens.authenticate(key))
      if (subject === null) throw new AppError('UNAUTHENTICATED')
      return open(subject, 'key', client)
    },
    async openForPerson(personId, method, client) {
      const subject = await tokens.findSubjectByCredential(PERSON_PREFIX + personId)
      if (subject === null) throw new AppError('UNAUTHENTICATED')
      return open(subject, method, client)
    },
    findId: async (token) => (await findSession(hashSecret(token)))?.id,
    async rotate(before) {
      const token = createToken()
      const createdAt = await replaceSessionToken(db, hashSecret(before), hashSecret(token))
      if (createdAt === undefined) throw new AppError('UNAUTHENTICATED')
      return { token, maxAgeMs: Math.max(createdAt + maxMs - now(), 0) }
    },
    signOut: (token) => deleteSession(db, hashSecret(token)),
    async list(owner) {
      await lastUsed.flush()
      return listSessions(db, await ownersOf(owner))
    },
    async listOfPerson(personId) {
      await lastUsed.flush()
      return listSessions(db, await ownersOfPerson(db, personId))
    },
    ...createEndings(db, ownersOf),
    isCurrent: ({ token_hash }, token) => token !== undefined && hashSecret(token) === token_hash,
    openedAt: async (token) => (await findSession(hashSecret(token)))?.created_at ?? null,
    async maintain() {
      await lastUsed.flush()
      await lastSeen.flush()
      await deleteExpiredSessions(db, { createdBefore: now() - maxMs, usedBefore: now() - idleMs })
    },
  }
}

const createEndings = (
  db: Database,
  ownersOf: (owner: Subject) => Promise<string[]>,
): Pick<Sessions, 'end' | 'endOfPerson' | 'endOthers' | 'endAllOfPerson'> => ({
  async end(owner, id) {
    if (!(await deleteSessionOf(db, await ownersOf(owner), id))) throw new AppError('BROWSER_SESSION_NOT_FOUND')
  },
  async endOfPerson(personId, id) {
    if (!(await deleteSessionOf(db, await ownersOfPerson(db, personId), id)))
      throw new AppError('BROWSER_SESSION_NOT_FOUND')
  },
  endOthers: async (owner, token) =>
    deleteSessionsOf(db, await ownersOf(owner), token === undefined ? '' : hashSecret(token)),
  endAllOfPerson: async (personId) => deleteSessionsOf(db, await ownersOfPerson(db, personId), ''),
})

const createToken = () => randomBytes(32).toString('base64url')

const ownersOfPerson = async (db: Database, personId: string): Promise<string[]> => [
  PERSON_PREFIX + personId,
  ...(await listKidsOfPerson(db, personId)),
]
