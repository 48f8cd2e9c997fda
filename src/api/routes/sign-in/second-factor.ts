// The second factor of the caller, and its reset by an administrator.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { findPerson } from '../../../store/identity/people.ts'
import { WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { passwordField } from '../identity/accounts.ts'
import { signedInPerson } from './confirm-identity.ts'

const SecondFactorState = z
  .object({
    is_on: z.boolean(),
    has_password: z.boolean().describe('Only a sign-in with a password asks for the second factor.'),
    recovery_codes_left: z.int(),
  })
  .meta({ id: 'SecondFactorState' })

const NewSecondFactor = z
  .object({
    secret: z.string().describe('To type into the app (base32).'),
    uri: z.string().describe('For a QR code (`otpauth:`).'),
  })
  .meta({ id: 'NewSecondFactor' })

const RecoveryCodes = z
  .object({
    recovery_codes: z.array(z.string()).describe('Each works once. This is the only time that they are shown.'),
  })
  .meta({ id: 'RecoveryCodes' })

const PasswordConfirmation = z.object({ password: passwordField() }).meta({ id: 'PasswordConfirmation' })

const shared = { access: 'authenticated', tag: 'Sign-in', bodyLimitBytes: 65_536 } as const
const PASSWORD_ERRORS = ['LOGIN_BAD_CREDENTIALS', 'TOO_MANY_ATTEMPTS', 'SERVICE_UNAVAILABLE'] as const

export const secondFactorRoutes = [
  route({
    ...shared,
    name: 'getSecondFactor',
    method: 'GET',
    path: '/auth/second-factor',
    summary: 'Get the state of your second factor',
    reply: SecondFactorState,
    errors: ['SIGN_IN_NEEDED'],
    services: ['db', 'secondFactors'],
    handle: async ({ subject, services: { db, secondFactors } }) => {
      const id = signedInPerson(subject)
      const person = await findPerson(db, id)
      return { ...(await secondFactors.state(id)), has_password: (person?.password_hash ?? null) !== null }
    },
  }),
  route({
    ...shared,
    name: 'startSecondFactor',
    method: 'POST',
    path: '/auth/second-factor',
    summary: 'Get a secret for an authenticator app',
    description:
      'The second factor is on only after `POST /auth/second-factor/confirm`. Asking again gives a new secret.',
    audit: { action: 'second_factor.start' },
    body: PasswordConfirmation,
    reply: NewSecondFactor,
    errors: ['SIGN_IN_NEEDED', 'SECOND_FACTOR_ON', ...PASSWORD_ERRORS],
    services: ['accounts', 'secondFactors'],
    handle: async ({ subject, body, browser, services: { accounts, secondFactors } }) => {
      const { password } = body
      const person = await accounts.confirmPassword(signedInPerson(subject), { password, address: browser.address })
      return secondFactors.start(person)
    },
  }),
  route({
    ...shared,
    name: 'confirmSecondFactor',
    method: 'POST',
    path: '/auth/second-factor/confirm',
    summary: 'Switch your second factor on',
    description: 'Takes the first code of the app. From now on, a sign-in with the password needs a code too.',
    audit: { action: 'second_factor.enable' },
    body: z
      .object({ code: wireString({ min: 6, max: 20, pattern: WITHOUT_NUL }) })
      .meta({ id: 'SecondFactorConfirmation' }),
    reply: RecoveryCodes,
    errors: ['SIGN_IN_NEEDED', 'SECOND_FACTOR_WRONG', 'SECOND_FACTOR_ON', 'SECOND_FACTOR_OFF'],
    services: ['secondFactors'],
    handle: async ({ subject, body, services: { secondFactors } }) => ({
      recovery_codes: await secondFactors.confirm(signedInPerson(subject), body.code),
    }),
  }),
  route({
    ...shared,
    name: 'renewRecoveryCodes',
    method: 'POST',
    path: '/auth/second-factor/recovery-codes',
    summary: 'Replace your recovery codes',
    audit: { action: 'second_factor.renew_codes' },
    body: PasswordConfirmation,
    reply: RecoveryCodes,
    errors: ['SIGN_IN_NEEDED', 'SECOND_FACTOR_OFF', ...PASSWORD_ERRORS],
    services: ['accounts', 'secondFactors'],
    handle: async ({ subject, body: { password }, browser, services: { accounts, secondFactors } }) => {
      const { id } = await accounts.confirmPassword(signedInPerson(subject), { password, address: browser.address })
      return { recovery_codes: await secondFactors.renewRecoveryCodes(id) }
    },
  }),
  route({
    ...shared,
    name: 'disableSecondFactor',
    method: 'POST',
    path: '/auth/second-factor/disable',
    summary: 'Switch your second factor off',
    description: 'Deletes the secret and the recovery codes.',
    audit: { action: 'second_factor.disable' },
    body: PasswordConfirmation,
    reply: z.null(),
    errors: ['SIGN_IN_NEEDED', 'SECOND_FACTOR_OFF', ...PASSWORD_ERRORS],
    services: ['accounts', 'secondFactors'],
    handle: async ({ subject, body: { password }, browser, services: { accounts, secondFactors } }) => {
      const { id } = await accounts.confirmPassword(signedInPerson(subject), { password, address: browser.address })
      if (!(await secondFactors.remove(id))) throw new AppError('SECOND_FACTOR_OFF')
      return null
    },
  }),
  route({
    name: 'resetSecondFactors',
    method: 'DELETE',
    path: '/manage/admin/users/{user_id}/second-factors',
    access: 'admin',
    tag: 'People',
    summary: 'Remove the second factor and the passkeys of a person',
    description:
      'For a person who has lost their devices and then signs in with the password alone. Open sessions go on.',
    audit: { action: 'person.reset_second_factors', object: 'user_id' },
    params: z.object({ user_id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }) }),
    reply: z
      .object({ second_factor_removed: z.boolean(), passkeys_removed: z.int() })
      .meta({ id: 'RemovedSecondFactors' }),
    errors: ['PERSON_ID_NOT_FOUND'],
    services: ['db', 'secondFactors', 'passkeys'],
    handle: async ({ params: { user_id: id }, services: { db, secondFactors, passkeys } }) => {
      if ((await findPerson(db, id)) === undefined) throw new AppError('PERSON_ID_NOT_FOUND', { id })
      const second_factor_removed = await secondFactors.remove(id)
      return { second_factor_removed, passkeys_removed: await passkeys.removeAll(id) }
    },
  }),
]
