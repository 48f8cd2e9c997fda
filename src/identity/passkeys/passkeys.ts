// Passkeys: people sign in with the lock of their device (WebAuthn, https://www.w3.org/TR/webauthn-3/).
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { AppError } from '../../domain/errors.ts'
import { toSqlFlag } from '../../store/database/column-types.ts'
import type { Database } from '../../store/database/database.ts'
import type { StoredPerson } from '../../store/identity/people.ts'
import {
  deleteExpiredChallenges,
  deletePasskey,
  deletePasskeysOf,
  findPasskey,
  insertChallenge,
  insertPasskey,
  listPasskeys,
  type NewPasskey,
  recordPasskeyUse,
  type StoredPasskey,
  takeChallenge,
} from '../../store/identity/sign-in/passkeys.ts'
import { hashSecret } from '../keys/key-format.ts'
import { type PasskeySite, passkeySiteOf } from './passkey-site.ts'

/** Loaded when a passkey is first used, because it takes a tenth of a start. */
const webAuthn = () => import('@simplewebauthn/server')

const MAX_PASSKEYS = 20
const CHALLENGE_MS = 5 * 60_000

/** The address at which the browser has opened the service; null if it is not known. */
type ServiceUrl = string | null

/** As WebAuthn defines it in JSON. */
export interface PasskeyCreationOptions {
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  challenge: string
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  /** Milliseconds. */
  timeout: number
  /** The passkeys that the person has, so that a device does not create a second one. */
  excludeCredentials: { type: 'public-key'; id: string }[]
  authenticatorSelection: { residentKey: 'required'; requireResidentKey: true; userVerification: 'required' }
  attestation: 'none'
}

/** As WebAuthn defines it in JSON. */
export interface PasskeyRequestOptions {
  rpId: string
  challenge: string
  /** Milliseconds. */
  timeout: number
  userVerification: 'required'
}

/** Every method fails with PASSKEYS_UNAVAILABLE if browsers give no passkeys at this address. */
export interface Passkeys {
  list(personId: string): Promise<StoredPasskey[]>
  /** Options for the browser to create a passkey. */
  startRegistration(person: StoredPerson, serviceUrl: ServiceUrl): Promise<PasskeyCreationOptions>
  /** PASSKEY_REFUSED: the answer is not one to a challenge of this person. TOO_MANY_PASSKEYS. */
  register(
    personId: string,
    registration: { name: string; response: RegistrationResponseJSON },
    serviceUrl: ServiceUrl,
  ): Promise<StoredPasskey>
  startSignIn(serviceUrl: ServiceUrl): Promise<PasskeyRequestOptions>
  /** The id of the person whose passkey signed. PASSKEY_REFUSED says nothing about the reason. */
  signIn(response: AuthenticationResponseJSON, serviceUrl: ServiceUrl): Promise<string>
  /** PASSKEY_NOT_FOUND: the person has no such passkey. */
  remove(personId: string, id: number): Promise<void>
  /** Returns their number. */
  removeAll(personId: string): Promise<number>
  /** Deletes expired challenges; called every minute. */
  expire(): Promise<void>
}

interface PasskeysDeps {
  db: Database
  now: () => number
}

export function openPasskeys(deps: PasskeysDeps): Passkeys {
  const { db, now } = deps
  return {
    list: (personId) => listPasskeys(db, personId),
    ...openRegistration(deps),
    ...openSignIn(deps),
    async remove(personId, id) {
      if (!(await deletePasskey(db, personId, id))) throw new AppError('PASSKEY_NOT_FOUND', { id })
    },
    removeAll: (personId) => db.transaction().execute((trx) => deletePasskeysOf(trx, personId)),
    expire: () => deleteExpiredChallenges(db, now()),
  }
}

const openRegistration = (deps: PasskeysDeps): Pick<Passkeys, 'startRegistration' | 'register'> => ({
  async startRegistration({ id, email, name }, serviceUrl) {
    const { rpID } = siteOf(serviceUrl)
    const user = { userID: new TextEncoder().encode(id), userName: email, userDisplayName: name ?? email }
    const { generateRegistrationOptions } = await webAuthn()
    const made = await generateRegistrationOptions({ rpName: 'Pharos', rpID, ...user })
    await rememberChallenge(deps, made.challenge, id)
    const known = await listPasskeys(deps.db, id)
    return {
      rp: { id: rpID, name: made.rp.name },
      user: made.user,
      challenge: made.challenge,
      pubKeyCredParams: made.pubKeyCredParams,
      timeout: CHALLENGE_MS,
      excludeCredentials: known.map((it) => ({ type: 'public-key', id: it.credential_id })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    }
  },
  async register(personId, { name, response }, serviceUrl) {
    const { rpID, origin } = siteOf(serviceUrl)
    const { verifyRegistrationResponse } = await webAuthn()
    const { result, challenge } = await verify((expectedChallenge) =>
      verifyRegistrationResponse({
        ...{ response, expectedChallenge, expectedOrigin: origin, expectedRPID: rpID },
        requireUserVerification: true,
      }),
    )
    if (result.registrationInfo === undefined) throw new AppError('PASSKEY_REFUSED')
    await spendChallenge(deps, challenge, personId)
    const { credential, credentialBackedUp } = result.registrationInfo
    return storePasskey(deps.db, {
      person_id: personId,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: JSON.stringify(response.response.transports ?? []),
      name,
      is_backed_up: toSqlFlag(credentialBackedUp),
      time_created: deps.now(),
    })
  },
})

async function storePasskey(db: Database, passkey: NewPasskey): Promise<StoredPasskey> {
  const stored = await insertPasskey(db, passkey, MAX_PASSKEYS)
  if (stored !== undefined) return stored
  const isFull = (await listPasskeys(db, passkey.person_id)).length >= MAX_PASSKEYS
  throw isFull ? new AppError('TOO_MANY_PASSKEYS', { limit: MAX_PASSKEYS }) : new AppError('PASSKEY_REFUSED')
}

const openSignIn = (deps: PasskeysDeps): Pick<Passkeys, 'startSignIn' | 'signIn'> => ({
  async startSignIn(serviceUrl) {
    const { rpID } = siteOf(serviceUrl)
    const { generateAuthenticationOptions } = await webAuthn()
    const { challenge } = await generateAuthenticationOptions({ rpID })
    await rememberChallenge(deps, challenge, null)
    return { rpId: rpID, challenge, timeout: CHALLENGE_MS, userVerification: 'required' }
  },
  async signIn(response, serviceUrl) {
    const { rpID, origin } = siteOf(serviceUrl)
    const passkey = await findPasskey(deps.db, response.id)
    if (passkey === undefined) throw new AppError('PASSKEY_REFUSED')
    const { verifyAuthenticationResponse } = await webAuthn()
    const { result, challenge } = await verify((expectedChallenge) =>
      verifyAuthenticationResponse({
        ...{ response, expectedChallenge, expectedOrigin: origin, expectedRPID: rpID },
        requireUserVerification: true,
        credential: { ...describeCredential(passkey), ...keyOf(passkey) },
      }),
    )
    if (!result.verified || !isHandleOf(response, passkey)) throw new AppError('PASSKEY_REFUSED')
    await spendChallenge(deps, challenge, null)
    const { newCounter: counter } = result.authenticationInfo
    await recordPasskeyUse(deps.db, passkey.id, { counter, last_used_at: deps.now() })
    return passkey.person_id
  },
})

const rememberChallenge = ({ db, now }: PasskeysDeps, challenge: string, person_id: string | null): Promise<void> =>
  insertChallenge(db, { challenge_hash: hashSecret(challenge), person_id, expires_at: now() + CHALLENGE_MS })

/** PASSKEY_REFUSED: the challenge was used, has expired, or was never given to this person. */
async function spendChallenge({ db, now }: PasskeysDeps, challenge: string, personId: string | null): Promise<void> {
  const wasThere = await takeChallenge(db, { hash: hashSecret(challenge), personId }, now())
  if (!wasThere) throw new AppError('PASSKEY_REFUSED')
}

function siteOf(serviceUrl: ServiceUrl): PasskeySite {
  const site = passkeySiteOf(serviceUrl)
  if (site === null) throw new AppError('PASSKEYS_UNAVAILABLE')
  return site
}

/** The transports are written by `register`. */
const describeCredential = ({ credential_id, transports }: StoredPasskey): { id: string; transports: string[] } => ({
  id: credential_id,
  transports: JSON.parse(transports),
})

const keyOf = ({ public_key, counter }: StoredPasskey) => ({
  publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')),
  counter,
})

/** The authenticator returns the id of the person under which it keeps the passkey. */
const isHandleOf = ({ response: { userHandle } }: AuthenticationResponseJSON, { person_id }: StoredPasskey): boolean =>
  userHandle === undefined || Buffer.from(userHandle, 'base64url').toString() === person_id

/**
 * The library throws when a check fails or the answer is malformed. It gives the challenge that was signed to the caller,
 * who looks for it in the record: an error of the database is not one of the passkey.
 */
async function verify<T>(
  run: (expectedChallenge: (challenge: string) => boolean) => Promise<T>,
): Promise<{ result: T; challenge: string }> {
  let signed = ''
  try {
    const result = await run((challenge) => {
      signed = challenge
      return true
    })
    return { result, challenge: signed }
  } catch (error) {
    throw new AppError('PASSKEY_REFUSED', {}, { cause: error })
  }
}
