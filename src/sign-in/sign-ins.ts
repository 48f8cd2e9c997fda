// Turns an identity that a protocol has verified into a session, or into the verdict of a test.
import { type AuditedAction, SYSTEM_ACTOR } from '../domain/audit.ts'
import type { Logger } from '../domain/logger.ts'
import type { SignInPurpose } from '../domain/sign-in/provider.ts'
import {
  SignInError,
  type SignInFailure,
  type SignInVerdict,
  type VerifiedIdentity,
} from '../domain/sign-in/verified-identity.ts'
import type { AuditLog } from '../identity/audit-log.ts'
import type { OpenSession, SessionClient, Sessions } from '../identity/sessions.ts'
import type { Database } from '../store/database/database.ts'
import { deleteExpiredAssertions, insertProviderSession } from '../store/identity/providers/provider-sessions.ts'
import { deleteOldVerdicts, setVerdict } from '../store/identity/providers/sign-in-providers.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import { type Provisioned, type ProvisioningProvider, provision, sourceOf } from './provision.ts'

const VERDICT_MS = 3_600_000

export interface SignInRequest {
  provider: ProvisioningProvider
  identity: VerifiedIdentity
  client: SessionClient
  requestId: string
  /** The provider's name of its session, if it has one. */
  sid: string | null
  /** Kept, sealed, if a logout at the provider needs it. */
  id_token: string | null
}

export interface SignIns {
  /**
   * Finds or creates the person, sets groups and role, opens a session, and records all of it in the audit. SIGN_IN_REFUSED.
   */
  complete(request: SignInRequest): Promise<OpenSession>
  /** Stores what `complete` would do, as the verdict of a test. Nothing else changes. */
  test(provider: ProvisioningProvider, identity: VerifiedIdentity): Promise<SignInVerdict>
  /**
   * Records a failure: in the audit for a sign-in, as the verdict for a test. `detail` is for administrators. Returns the
   * failure, of which a page may tell.
   */
  fail(failed: FailedSignIn): Promise<SignInFailure>
  /** Deletes what has expired; called every minute. */
  maintain(): Promise<void>
}

export interface FailedSignIn {
  provider: Pick<ProvisioningProvider, 'id' | 'slug'>
  purpose: SignInPurpose
  requestId: string
  error: SignInError
  detail: string | null
}

interface SignInsDeps {
  db: Database
  secrets: SecretBox
  sessions: Pick<Sessions, 'openForPerson'>
  audit: Pick<AuditLog, 'record' | 'recordRefusal'>
  logger: Logger
  now: () => number
}

export function openSignIns({ db, secrets, sessions, audit, logger, now }: SignInsDeps): SignIns {
  return {
    async complete({ provider, identity, client, requestId, sid, id_token }) {
      const result = await db.transaction().execute((trx) => provision(trx, sourceOf(provider), identity, now()))
      for (const action of result.changes) await audit.record(systemAct(action, result.pseudonym, requestId))
      if (result.kept_admin) logger.warn({ provider: provider.slug }, 'role of the last administrator kept')
      const session = await sessions.openForPerson(result.person.id, provider.type, client)
      const { subject } = identity
      await insertProviderSession({ db, secrets }, session.id, { provider_id: provider.id, subject, sid, id_token })
      const act = systemAct('session.create', provider.slug, requestId)
      await audit.record({ ...act, actor_id: result.person.id, email: result.person.email })
      return session
    },
    async test(provider, identity) {
      const verdict = await tryProvision(db, provider, identity, now())
      await setVerdict(db, provider.id, verdict, now())
      return verdict
    },
    async fail({ provider, purpose, requestId, error, detail }) {
      const { failure } = error
      logger.warn({ provider: provider.slug, purpose, failure, detail, request_id: requestId }, 'sign-in refused')
      if (purpose === 'test') {
        await setVerdict(db, provider.id, { failure, detail, identity: null, claims: {}, result: null }, now())
        return failure
      }
      const act = systemAct('session.create', provider.slug, requestId)
      await audit.recordRefusal({ ...act, outcome: 'refused', error_code: error.code, fields: [failure] })
      return failure
    },
    async maintain() {
      await deleteExpiredAssertions(db, now())
      await deleteOldVerdicts(db, now() - VERDICT_MS)
    },
  }
}

const MAX_CLAIMS = 65_536

const limitClaims = (claims: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  JSON.stringify(claims).length > MAX_CLAIMS ? {} : { ...claims }

/** Ends a transaction without its changes. */
class Undo extends Error {
  readonly result: Provisioned
  constructor(result: Provisioned) {
    super('The changes of a test are undone.')
    this.result = result
  }
}

/** Runs the real rules, and undoes their changes. */
async function tryProvision(
  db: Database,
  provider: ProvisioningProvider,
  identity: VerifiedIdentity,
  now: number,
): Promise<SignInVerdict> {
  const { claims, ...about } = identity
  const seen = { identity: about, claims: limitClaims(claims), detail: null }
  try {
    return await db.transaction().execute(async (trx) => {
      throw new Undo(await provision(trx, sourceOf(provider), identity, now))
    })
  } catch (error) {
    if (error instanceof SignInError) return { ...seen, failure: error.failure, result: null }
    if (!(error instanceof Undo)) throw error
    const { pseudonym: _, changes: __, ...result } = error.result
    return { ...seen, failure: null, result }
  }
}

const systemAct = (action: string, object_id: string, request_id: string): AuditedAction => ({
  actor_id: SYSTEM_ACTOR,
  api_key_id: null,
  email: null,
  action,
  object_id,
  outcome: 'success',
  error_code: null,
  fields: [],
  request_id,
})
