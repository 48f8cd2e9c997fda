// Passkeys: the caller adds and deletes them, and anybody signs in with one. The shapes of options and answers are those of
// WebAuthn: https://www.w3.org/TR/webauthn-3/#sctn-parseCreationOptionsFromJSON
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { findPerson } from '../../../store/identity/people.ts'
import type { StoredPasskey } from '../../../store/identity/sign-in/passkeys.ts'
import { nullish, wireArray, wireEnum, wireName, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { SessionResponse } from '../../admission/browser-context.ts'
import { route } from '../../route.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'
import { passwordField } from '../identity/accounts.ts'
import { auditRefusedSignIn, auditSignIn } from '../identity/audited-sign-in.ts'
import { UserInfo, userInfo } from '../operations/status.ts'
import { confirmIdentity, signedInPerson } from './confirm-identity.ts'

const BASE64URL = /^[\w-]*$/
const bytes = (max: number) => wireString({ max, pattern: BASE64URL })
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const

const answerFields = {
  id: bytes(2_000),
  rawId: bytes(2_000),
  type: wireEnum(['public-key']),
  authenticatorAttachment: nullish(wireString({ max: 100 })).describe('Has no effect.'),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}).describe('Has no effect.'),
}

const PasskeyCreation = z
  .object({
    ...answerFields,
    response: z.object({
      clientDataJSON: bytes(20_000),
      attestationObject: bytes(20_000),
      transports: nullish(wireArray(wireEnum(TRANSPORTS), { max: TRANSPORTS.length })),
      authenticatorData: nullish(bytes(20_000)).describe('Has no effect.'),
      publicKey: nullish(bytes(20_000)).describe('Has no effect.'),
      publicKeyAlgorithm: nullish(z.number()).describe('Has no effect.'),
    }),
  })
  .meta({ id: 'PasskeyCreation' })

const PasskeyAssertion = z
  .object({
    ...answerFields,
    response: z.object({
      clientDataJSON: bytes(20_000),
      authenticatorData: bytes(20_000),
      signature: bytes(4_000),
      userHandle: nullish(bytes(200)),
    }),
  })
  .meta({ id: 'PasskeyAssertion' })

const PasskeyCreationOptions = z
  .object({
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    challenge: z.string(),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
    timeout: z.int().describe('In milliseconds.'),
    excludeCredentials: z.array(z.object({ type: z.literal('public-key'), id: z.string() })),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    attestation: z.literal('none'),
  })
  .meta({ id: 'PasskeyCreationOptions' })

const PasskeyRequestOptions = z
  .object({
    rpId: z.string(),
    challenge: z.string(),
    timeout: z.int().describe('In milliseconds.'),
    userVerification: z.literal('required'),
  })
  .meta({ id: 'PasskeyRequestOptions' })

const PasskeySnapshot = z
  .object({
    id: z.int(),
    name: z.string(),
    is_backed_up: z.boolean().describe('Whether the passkey is synchronized between devices.'),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'PasskeySnapshot' })

const passkeySnapshot = (stored: StoredPasskey): z.infer<typeof PasskeySnapshot> => ({
  id: stored.id,
  name: stored.name,
  is_backed_up: stored.is_backed_up === 1,
  created_at: iso(stored.time_created),
  last_used_at: isoOrNull(stored.last_used_at),
})

/** A suspended person gets the same answer as a stranger. */
function hideSuspension(error: unknown): never {
  throw error instanceof AppError && error.code === 'UNAUTHENTICATED' ? new AppError('PASSKEY_REFUSED') : error
}

const shared = { tag: 'Sign-in', bodyLimitBytes: 131_072 } as const

export const passkeyRoutes = [
  route({
    ...shared,
    name: 'listPasskeys',
    method: 'GET',
    path: '/auth/passkeys',
    access: 'authenticated',
    summary: 'List your passkeys',
    reply: z.array(PasskeySnapshot),
    errors: ['SIGN_IN_NEEDED'],
    services: ['passkeys'],
    handle: async ({ subject, services: { passkeys } }) =>
      (await passkeys.list(signedInPerson(subject))).map(passkeySnapshot),
  }),
  route({
    ...shared,
    name: 'startPasskey',
    method: 'POST',
    path: '/auth/passkeys/options',
    access: 'authenticated',
    summary: 'Get what the browser needs to create a passkey',
    description: 'Needs the password, or a sign-in within the last 15 minutes.',
    body: z.object({ password: nullish(passwordField()) }).meta({ id: 'IdentityConfirmation' }),
    reply: PasskeyCreationOptions,
    errors: [
      'SIGN_IN_NEEDED',
      'LOGIN_BAD_CREDENTIALS',
      'TOO_MANY_ATTEMPTS',
      'SERVICE_UNAVAILABLE',
      'PASSKEYS_UNAVAILABLE',
    ],
    services: ['db', 'accounts', 'sessions', 'passkeys', 'now'],
    handle: async ({ subject, browser, body, services: { db, accounts, sessions, passkeys, now } }) => {
      const id = await confirmIdentity({ accounts, sessions }, { subject, browser, password: body.password }, now())
      const person = await findPerson(db, id)
      if (person === undefined) throw new AppError('UNAUTHENTICATED')
      return passkeys.startRegistration(person, browser.serviceUrl)
    },
  }),
  route({
    ...shared,
    name: 'createPasskey',
    method: 'POST',
    path: '/auth/passkeys',
    access: 'authenticated',
    summary: 'Add a passkey',
    audit: { action: 'passkey.create', object: (_, { id }) => id },
    body: z.object({ name: wireName(100), response: PasskeyCreation }).meta({ id: 'NewPasskey' }),
    reply: PasskeySnapshot,
    errors: ['SIGN_IN_NEEDED', 'PASSKEY_REFUSED', 'TOO_MANY_PASSKEYS', 'PASSKEYS_UNAVAILABLE'],
    services: ['passkeys'],
    handle: async ({ subject, browser, body: { name, response }, services: { passkeys } }) => {
      const { clientDataJSON, attestationObject, transports } = response.response
      const answer = { clientDataJSON, attestationObject, transports: transports ?? [] }
      const { id, rawId, type } = response
      const sent = { id, rawId, type, response: answer, clientExtensionResults: {} }
      return passkeySnapshot(
        await passkeys.register(signedInPerson(subject), { name, response: sent }, browser.serviceUrl),
      )
    },
  }),
  route({
    ...shared,
    name: 'deletePasskey',
    method: 'DELETE',
    path: '/auth/passkeys/{passkey_id}',
    access: 'authenticated',
    summary: 'Delete one of your passkeys',
    audit: { action: 'passkey.delete', object: 'passkey_id' },
    params: z.object({ passkey_id: wirePathInteger() }),
    reply: z.null(),
    errors: ['SIGN_IN_NEEDED', 'PASSKEY_NOT_FOUND'],
    services: ['passkeys'],
    handle: async ({ subject, params, services: { passkeys } }) => {
      await passkeys.remove(signedInPerson(subject), params.passkey_id)
      return null
    },
  }),
  route({
    ...shared,
    name: 'startPasskeySignIn',
    method: 'POST',
    path: '/auth/passkey/options',
    access: 'public',
    summary: 'Get what the browser needs to sign in with a passkey',
    description: 'The answer is the same for everybody: the person chooses one of the passkeys of their device.',
    reply: PasskeyRequestOptions,
    errors: ['PASSKEYS_UNAVAILABLE', 'CSRF_FAILURE'],
    services: ['passkeys'],
    handle: async ({ browser, checkCsrf, services: { passkeys } }) => {
      checkCsrf()
      return passkeys.startSignIn(browser.serviceUrl)
    },
  }),
  route({
    ...shared,
    name: 'loginWithPasskey',
    method: 'POST',
    path: '/auth/passkey/login',
    access: 'public',
    summary: 'Sign in with a passkey',
    description:
      'Sets HttpOnly session cookies. A passkey proves the device and the person, so no second factor follows.',
    body: PasskeyAssertion,
    reply: UserInfo,
    errors: ['PASSKEY_REFUSED', 'PASSKEYS_UNAVAILABLE', 'CSRF_FAILURE'],
    services: ['passkeys', 'sessions', 'audit', 'db'],
    handle: async ({ body, browser, checkCsrf, requestId, services: { passkeys, sessions, audit, db } }) => {
      checkCsrf()
      const { id, rawId, type } = body
      const { userHandle, ...signed } = body.response
      const response = userHandle === null ? signed : { ...signed, userHandle }
      const attempt = { action: 'session.create', way: 'passkey', requestId } as const
      const { subject, ...session } = await auditRefusedSignIn(audit, attempt, async () => {
        const answer = { id, rawId, type, response, clientExtensionResults: {} }
        const personId = await passkeys.signIn(answer, browser.serviceUrl)
        return sessions.openForPerson(personId, 'passkey', browser).catch(hideSuspension)
      })
      await auditSignIn(audit, attempt, subject)
      return new SessionResponse(await userInfo(db, subject), browser, { ...session, withWireCookie: true })
    },
  }),
]
