// People sign in with a password, and get an account or a new password with a one-time link.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { nullish, WITHOUT_NUL, wireName, wireString } from '../../../wire/schemas.ts'
import { SessionResponse } from '../../admission/browser-context.ts'
import { route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'
import { UserInfo, userInfo } from '../operations/status.ts'
import { auditRefusedSignIn, auditSignIn } from './audited-sign-in.ts'

/** Only an address with one `@` and no spaces; a mail proves more. */
const EMAIL = /^[^\s@\u0000]+@[^\s@\u0000]+$/
export const emailField = () => wireString({ min: 3, max: 320, pattern: EMAIL })
/** Longer than any password may be, so that the answer says how long it may be. */
export const passwordField = () => wireString({ min: 1, max: 10_000, pattern: WITHOUT_NUL })
export const tokenField = () => wireString({ min: 1, max: 200 })
export const otpField = () =>
  nullish(wireString({ max: 64, pattern: WITHOUT_NUL })).describe(
    'The code of the authenticator app, or a recovery code, if the account has a second factor.',
  )
const ignoredField = () => nullish(wireString({ max: 1_000 })).describe('For compatibility; has no effect.')
const MAX_FORM_BYTES = 65_536

const LoginForm = z
  .object({
    username: wireString({ min: 1, max: 320, pattern: WITHOUT_NUL }).describe('The e-mail address.'),
    password: passwordField(),
    otp: otpField(),
    grant_type: ignoredField(),
    scope: ignoredField(),
    client_id: ignoredField(),
    client_secret: ignoredField(),
  })
  .meta({ id: 'LoginForm' })

const RegisterRequest = z
  .object({
    token: nullish(tokenField()).describe('From the link of an invitation, or of the first administrator.'),
    email: nullish(emailField()).describe('Needed if the link names no address.'),
    username: ignoredField(),
    name: nullish(wireName(200)),
    password: passwordField(),
    otp: otpField(),
  })
  .meta({ id: 'RegisterRequest' })

const AccountLinkInfo = z
  .object({
    purpose: z.enum(['first_admin', 'invitation', 'reset', 'registration']),
    email: z.string().nullable(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'AccountLinkInfo' })

export const PASSWORD_ERRORS = ['LOGIN_BAD_CREDENTIALS', 'TOO_MANY_ATTEMPTS', 'SERVICE_UNAVAILABLE'] as const

export const publicPost = { method: 'POST', access: 'public', tag: 'Sign-in', bodyLimitBytes: MAX_FORM_BYTES } as const

export const accountRoutes = [
  route({
    ...publicPost,
    name: 'login',
    path: '/auth/login',
    acceptsForm: true,
    status: 204,
    summary: 'Sign in with a password',
    description:
      'Sets HttpOnly session cookies. Takes a form, as existing clients send it, or JSON. The answer and its time do not say whether the address is known. After some failures, an account and a client have to wait: see `Retry-After`.',
    body: LoginForm,
    reply: z.undefined(),
    errors: [...PASSWORD_ERRORS, 'SECOND_FACTOR_REQUIRED', 'SECOND_FACTOR_WRONG', 'CSRF_FAILURE'],
    services: ['accounts', 'sessions', 'audit'],
    handle: async ({ body, browser, checkCsrf, requestId, services: { accounts, sessions, audit } }) => {
      checkCsrf()
      const { username: email, password, otp } = body
      const attempt = { action: 'session.create', way: 'password', requestId } as const
      const person = await auditRefusedSignIn(audit, attempt, () =>
        accounts.checkPassword({ email: email.trim(), password, otp, address: browser.address }),
      )
      const { subject, ...session } = await sessions.openForPerson(person.id, 'password', browser)
      await auditSignIn(audit, attempt, subject)
      return new SessionResponse(undefined, browser, { ...session, withWireCookie: true })
    },
  }),
  route({
    name: 'logout',
    ignoresLimits: true,
    method: 'POST',
    path: '/auth/logout',
    access: 'authenticated',
    tag: 'Sign-in',
    status: 204,
    summary: 'Sign out',
    description: 'Ends the session of the cookie immediately.',
    audit: { action: 'session.delete' },
    reply: z.undefined(),
    services: ['sessions'],
    handle: async ({ browser, services: { sessions } }) => {
      if (browser.session !== undefined) await sessions.signOut(browser.session)
      return new SessionResponse(undefined, browser)
    },
  }),
  route({
    name: 'refreshSession',
    method: 'POST',
    path: '/auth/refresh',
    access: 'authenticated',
    tag: 'Sign-in',
    status: 204,
    summary: 'Replace the session cookie',
    description: 'The old cookie is invalid immediately. The session still ends `SESSION_MAX_HOURS` after the sign-in.',
    reply: z.undefined(),
    errors: ['BROWSER_SESSION_NOT_FOUND'],
    services: ['sessions'],
    handle: async ({ browser, services: { sessions } }) => {
      if (browser.session === undefined) throw new AppError('BROWSER_SESSION_NOT_FOUND')
      const rotated = await sessions.rotate(browser.session)
      return new SessionResponse(undefined, browser, { ...rotated, withWireCookie: true })
    },
  }),
  route({
    ...publicPost,
    name: 'getAccountLink',
    path: '/auth/link',
    summary: 'Get what a one-time link is for',
    body: z.object({ token: tokenField() }).meta({ id: 'AccountLinkRequest' }),
    reply: AccountLinkInfo,
    errors: ['LINK_INVALID'],
    services: ['accountLinks'],
    handle: async ({ body, services: { accountLinks } }) => {
      const { purpose, email, expires_at } = await accountLinks.get(body.token)
      return { purpose, email, expires_at: iso(expires_at) }
    },
  }),
  route({
    ...publicPost,
    name: 'register',
    path: '/auth/register',
    status: 201,
    summary: 'Set the password of a new account',
    description:
      'Uses up the one-time link, creates the person unless the address has an account, and signs in. Without a token, nobody can register, except the first administrator with `OPEN_REGISTRATION=first`.',
    body: RegisterRequest,
    reply: UserInfo,
    errors: [
      'LINK_INVALID',
      'PASSWORD_UNFIT',
      'REGISTRATION_DISABLED',
      'CSRF_FAILURE',
      'SERVICE_UNAVAILABLE',
      'SECOND_FACTOR_REQUIRED',
      'SECOND_FACTOR_WRONG',
      'TOO_MANY_ATTEMPTS',
    ],
    services: ['accountLinks', 'openRegistration', 'sessions', 'audit', 'db'],
    handle: async ({ body, browser, checkCsrf, requestId, services }) => {
      checkCsrf()
      const { accountLinks, openRegistration, sessions, audit, db } = services
      const { token: link, email, name, password, otp } = body
      if (link === null && (openRegistration === 'off' || email === null)) throw new AppError('REGISTRATION_DISABLED')
      const attempt = { action: 'account_link.accept', way: null, requestId } as const
      const person = await auditRefusedSignIn(audit, attempt, () =>
        link === null
          ? accountLinks.registerFirst({ email: email ?? '', name, password })
          : accountLinks.accept({ token: link, email, name, password, otp, address: browser.address }),
      )
      const { subject, ...session } = await sessions.openForPerson(person.id, 'link', browser)
      await auditSignIn(audit, attempt, subject)
      return new SessionResponse(await userInfo(db, subject), browser, { ...session, withWireCookie: true })
    },
  }),
]
