// People get a link by mail: for a forgotten password, and for an account at an opened e-mail domain.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { parseMailDomain } from '../../../domain/values/mail-address.ts'
import {
  listRegistrationDomains,
  replaceRegistrationDomains,
} from '../../../store/identity/sign-in/registration-domains.ts'
import { wireArray, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { emailField, otpField, PASSWORD_ERRORS, passwordField, publicPost, tokenField } from './accounts.ts'
import { auditRefusedSignIn } from './audited-sign-in.ts'

const MAX_DOMAINS = 50
const MAX_DOMAIN = 255

/** Anybody can have an address there. */
const PUBLIC_MAIL_DOMAINS = new Set([
  ...['gmail.com', 'googlemail.com', 'outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'yahoo.com', 'ymail.com'],
  ...['aol.com', 'icloud.com', 'me.com', 'mac.com', 'proton.me', 'protonmail.com', 'gmx.com', 'gmx.de', 'gmx.net'],
  ...['web.de', 't-online.de', 'mail.com', 'mail.ru', 'yandex.ru', 'yandex.com', 'zoho.com', 'fastmail.com', 'qq.com'],
  ...['163.com', '126.com', 'naver.com', 'orange.fr', 'laposte.net', 'free.fr', 'libero.it', 'tutanota.com'],
])

const LinkMailRequest = z.object({ email: emailField() }).meta({ id: 'LinkMailRequest' })

const ResetPasswordRequest = z
  .object({ token: tokenField(), password: passwordField(), otp: otpField() })
  .meta({ id: 'ResetPasswordRequest' })

const RegistrationSettings = z
  .object({
    is_mail_configured: z.boolean().describe('Without a mail server, no domain can be opened: see `SMTP_URL`.'),
    domains: z.array(
      z.object({
        domain: z.string(),
        warning: z.string().nullable().describe('Why opening the domain may be a mistake.'),
      }),
    ),
  })
  .meta({ id: 'RegistrationSettings' })

const RegistrationSettingsUpdate = z
  .object({
    domains: wireArray(wireString({ min: 1, max: MAX_DOMAIN }), { max: MAX_DOMAINS }).describe(
      'Such as `example.com`; subdomains are not included. An empty list closes all.',
    ),
  })
  .meta({ id: 'RegistrationSettingsUpdate' })

const registrationSettings = (
  domains: readonly string[],
  is_mail_configured: boolean,
): z.infer<typeof RegistrationSettings> => ({
  is_mail_configured,
  domains: domains.map((domain) => ({
    domain,
    warning: PUBLIC_MAIL_DOMAINS.has(domain) ? publicWarning(domain) : null,
  })),
})

const publicWarning = (domain: string) =>
  `Anybody can get an address at ${domain}, and with it an account here. Open only domains of your company.`

function readDomain(text: string): string {
  const domain = parseMailDomain(text)
  if (domain !== null) return domain
  throw new AppError('INVALID_INPUT', {
    reason: `\`domains\`: ${JSON.stringify(text)} is not a domain. Write the part after the @, such as example.com.`,
  })
}

const ALWAYS_THE_SAME =
  'The answer and its time do not depend on the address. Nothing is sent if no mail server is set up, or after too many requests for an address or of a client within an hour.'

export const linkMailRoutes = [
  route({
    ...publicPost,
    name: 'forgotPassword',
    path: '/auth/forgot-password',
    status: 202,
    summary: 'Mail a link for a new password',
    description: `Mails a link that works once within an hour, if a person with this address signs in with a password. ${ALWAYS_THE_SAME}`,
    body: LinkMailRequest,
    reply: z.null(),
    errors: ['CSRF_FAILURE'],
    services: ['linkRequests'],
    handle: ({ body, browser, checkCsrf, services: { linkRequests } }) => {
      checkCsrf()
      linkRequests.requestReset({ email: body.email, address: browser.address })
      return null
    },
  }),
  route({
    ...publicPost,
    name: 'resetPassword',
    path: '/auth/reset-password',
    summary: 'Set a new password with a link',
    description:
      'Takes the token of a link for a new password, mailed or given by an administrator. Ends all sessions of the person and opens none; `POST /auth/register` opens one.',
    body: ResetPasswordRequest,
    reply: z.null(),
    errors: [
      ...(['LINK_INVALID', 'PASSWORD_UNFIT', 'CSRF_FAILURE', 'SECOND_FACTOR_REQUIRED', 'SECOND_FACTOR_WRONG'] as const),
      ...PASSWORD_ERRORS,
    ],
    services: ['accountLinks', 'audit'],
    handle: async ({ body, browser, checkCsrf, requestId, services: { accountLinks, audit } }) => {
      checkCsrf()
      const sent = { ...body, purpose: 'reset', email: null, name: null, address: browser.address } as const
      const attempt = { action: 'account_link.accept', way: null, requestId } as const
      const person = await auditRefusedSignIn(audit, attempt, () => accountLinks.accept(sent))
      await audit.record({
        ...{ actor_id: person.id, api_key_id: null, email: person.email, request_id: requestId },
        ...{ action: 'account_link.accept', object_id: null, fields: [], outcome: 'success', error_code: null },
      })
      return null
    },
  }),
  route({
    ...publicPost,
    name: 'requestRegistrationLink',
    path: '/auth/registration-link',
    status: 202,
    summary: 'Mail a link for a new account',
    description: `Mails a link that works once within an hour, if the domain of the address is open. A person who has an account gets a mail that says so. ${ALWAYS_THE_SAME}`,
    body: LinkMailRequest,
    reply: z.null(),
    errors: ['CSRF_FAILURE'],
    services: ['linkRequests'],
    handle: ({ body, browser, checkCsrf, services: { linkRequests } }) => {
      checkCsrf()
      linkRequests.requestRegistration({ email: body.email, address: browser.address })
      return null
    },
  }),
  route({
    name: 'getRegistrationSettings',
    method: 'GET',
    path: '/admin/sign-in/registration',
    access: 'admin',
    tag: 'People',
    summary: 'Get opened e-mail domains',
    reply: RegistrationSettings,
    services: ['db', 'mail'],
    handle: async ({ services: { db, mail } }) =>
      registrationSettings(await listRegistrationDomains(db), mail.isConfigured),
  }),
  route({
    name: 'replaceRegistrationSettings',
    method: 'PUT',
    path: '/admin/sign-in/registration',
    access: 'admin',
    tag: 'People',
    summary: 'Open e-mail domains',
    description:
      'People with an address at one of these domains can create an account of role `basic` with a link that is mailed to them. People who have an account keep it when their domain is closed.',
    audit: { action: 'registration.update' },
    body: RegistrationSettingsUpdate,
    reply: RegistrationSettings,
    errors: ['INVALID_INPUT', 'MAIL_NOT_CONFIGURED'],
    services: ['db', 'mail', 'now'],
    handle: async ({ body, services: { db, mail, now } }) => {
      const domains = [...new Set(body.domains.map(readDomain))].sort()
      if (domains.length > 0 && !mail.isConfigured) throw new AppError('MAIL_NOT_CONFIGURED')
      await replaceRegistrationDomains(db, domains, now())
      return registrationSettings(domains, mail.isConfigured)
    },
  }),
]
