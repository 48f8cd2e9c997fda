// Administrators invite people, and give them links for a new password.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { ROLES } from '../../../domain/subject.ts'
import { resultOrTimeout } from '../../../flow/result-or-timeout.ts'
import { buildAct } from '../../../identity/audit-log.ts'
import type { AccountLinks, IssuedLink } from '../../../identity/passwords/account-links.ts'
import { deleteInvitation, listInvitations } from '../../../store/identity/sign-in/account-links.ts'
import { nullish, wireArray, wireEnum, wireName } from '../../../wire/schemas.ts'
import type { BrowserContext } from '../../admission/browser-context.ts'
import { type RouteServices, route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'
import { PageQuery } from '../../wire/page.ts'
import { emailField } from './accounts.ts'

const MAX_INVITATIONS = 200
const DEFAULT_ROLE = 'basic'

const IssuedAccountLink = z
  .object({
    email: z.string().nullable(),
    link: z
      .string()
      .describe('Shown only once. Begins with `/` if the service does not know its own address: set PUBLIC_URL.'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'IssuedAccountLink' })

const InvitationResult = z
  .object({
    email: z.string(),
    status: z.enum(['invited', 'exists']).describe('`exists`: the person can sign in already, or is suspended.'),
    link: z
      .string()
      .nullable()
      .describe(
        'Null if it was mailed. Shown only once. Begins with `/` if the service does not know its own address.',
      ),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'InvitationResult' })

const InviteStatus = z
  .enum(['SENT', 'NOT_CONFIGURED', 'SEND_FAILED'])
  .describe('`SEND_FAILED`: at least one mail was not sent. The answer then shows its link.')

const InviteRequest = z
  .object({
    emails: wireArray(emailField(), { min: 1, max: MAX_INVITATIONS }),
    role: nullish(wireEnum(ROLES)).describe(`Default: ${DEFAULT_ROLE}.`),
    groups: nullish(wireArray(wireName(500), { max: 100 })).describe(
      'Names of groups that are managed here; missing ones are created.',
    ),
  })
  .meta({ id: 'InviteRequest' })

const Invitation = z
  .object({ email: z.string(), role: z.enum(ROLES), groups: z.array(z.string()), expires_at: z.iso.datetime() })
  .meta({ id: 'Invitation' })

const EmailRequest = z.object({ user_email: emailField() }).meta({ id: 'UserEmailRequest' })

const issuedLink = (
  { path, email, expires_at }: IssuedLink,
  { serviceUrl }: Pick<BrowserContext, 'serviceUrl'>,
): z.infer<typeof IssuedAccountLink> => ({ email, link: (serviceUrl ?? '') + path, expires_at: iso(expires_at) })

/** Mails to a slow server go on after it; the answer then shows the link, too. */
const MAIL_TIMEOUT_MS = 20_000

/** The path of each link that was not mailed stays in the answer. */
async function mailInvitations(
  mail: RouteServices<'mail'>['mail'],
  invited: readonly z.infer<typeof InvitationResult>[],
): Promise<{ email_invite_status: z.infer<typeof InviteStatus>; invitations: z.infer<typeof InvitationResult>[] }> {
  if (!mail.isConfigured) return { email_invite_status: 'NOT_CONFIGURED', invitations: [...invited] }
  const sent = await Promise.all(
    invited.map(async ({ email, link }) => {
      if (link === null) return null
      const delivery = mail.send({ kind: 'invitation', to: email, path: link.slice(link.indexOf('/welcome')) })
      return resultOrTimeout(delivery, MAIL_TIMEOUT_MS, false)
    }),
  )
  return {
    email_invite_status: sent.includes(false) ? 'SEND_FAILED' : 'SENT',
    invitations: invited.map((it, at) => (sent[at] === true ? { ...it, link: null } : it)),
  }
}

async function inviteOne(
  links: Pick<AccountLinks, 'invite'>,
  invitation: Parameters<AccountLinks['invite']>[0],
  { createdBy, browser }: { createdBy: string; browser: BrowserContext },
): Promise<z.infer<typeof InvitationResult>> {
  const { email } = invitation
  try {
    const { link, expires_at } = issuedLink(await links.invite(invitation, createdBy), browser)
    return { email, status: 'invited', link, expires_at }
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'PERSON_EXISTS')) throw error
    return { email, status: 'exists', link: null, expires_at: null }
  }
}

export const invitationRoutes = [
  route({
    name: 'inviteUsers',
    method: 'PUT',
    path: '/manage/admin/users',
    access: 'admin',
    tag: 'People',
    summary: 'Invite people',
    description:
      'Links are mailed if a mail server is set up (`SMTP_URL`), else they are in the answer. Each link is for one address, works once and lives for 7 days. A new invitation replaces the one before. A key that acts for the address keeps working, and belongs to the account then.',
    audit: { action: 'person.invite', object: (_, { invited_count }) => `${invited_count} people` },
    body: InviteRequest,
    reply: z
      .object({
        invited_count: z.int(),
        email_invite_status: InviteStatus,
        invitations: z.array(InvitationResult),
      })
      .meta({ id: 'BulkInviteResponse' }),
    errors: ['DEFAULT_GROUP', 'GROUP_MANAGED_ELSEWHERE'],
    services: ['accountLinks', 'mail', 'audit'],
    handle: async ({ body, subject, browser, requestId, services: { accountLinks, mail, audit } }) => {
      const invitations: z.infer<typeof InvitationResult>[] = []
      const by = { createdBy: subject.user_id, browser }
      for (const email of new Set(body.emails)) {
        const invitation = { email, role: body.role ?? DEFAULT_ROLE, groups: body.groups ?? [] }
        invitations.push(await inviteOne(accountLinks, invitation, by))
      }
      const invited = invitations.filter((it) => it.status === 'invited')
      const entry = { action: 'person.invitation', outcome: 'success', error_code: null, fields: [] } as const
      for (const { email } of invited) {
        const object_id = await audit.pseudonymOf(email)
        await audit.record(buildAct(subject, { ...entry, object_id, request_id: requestId }))
      }
      return { invited_count: invited.length, ...(await mailInvitations(mail, invitations)) }
    },
  }),
  route({
    name: 'listInvitations',
    method: 'GET',
    path: '/manage/users/invited',
    access: 'admin',
    tag: 'People',
    summary: 'List open invitations',
    query: PageQuery,
    reply: z.array(Invitation),
    services: ['db', 'now'],
    handle: async ({ query, services: { db, now } }) =>
      (await listInvitations(db, { ...query, now: now() })).map(({ email, role, user_groups, expires_at }) => ({
        email: email ?? '',
        role,
        // Written by `inviteUsers` from validated values.
        groups: JSON.parse(user_groups),
        expires_at: iso(expires_at),
      })),
  }),
  route({
    name: 'removeInvitation',
    method: 'PATCH',
    path: '/manage/admin/remove-invited-user',
    access: 'admin',
    tag: 'People',
    summary: 'Withdraw an invitation',
    audit: {
      action: 'person.withdraw_invitation',
      object: ({ body, services: { audit } }) => audit.pseudonymOf(body.user_email),
    },
    body: EmailRequest,
    reply: z.null(),
    errors: ['LINK_INVALID'],
    services: ['db', 'audit'],
    handle: async ({ body, services: { db } }) => {
      if (!(await deleteInvitation(db, body.user_email))) throw new AppError('LINK_INVALID')
      return null
    },
  }),
  route({
    name: 'createPasswordLink',
    method: 'POST',
    path: '/manage/admin/users/password-link',
    access: 'admin',
    tag: 'People',
    summary: 'Create a link for a new password',
    description:
      'For a person who forgot it. The link works once and lives for a day; the old password works until then.',
    audit: {
      action: 'person.password_link',
      object: ({ body, services: { audit } }) => audit.pseudonymOf(body.user_email),
    },
    body: EmailRequest,
    reply: IssuedAccountLink,
    errors: ['PERSON_NOT_FOUND'],
    services: ['accountLinks', 'audit'],
    handle: async ({ body, subject, browser, services: { accountLinks } }) =>
      issuedLink(await accountLinks.createReset(body.user_email, subject.user_id), browser),
  }),
  route({
    name: 'createFirstAdminLink',
    method: 'POST',
    path: '/manage/admin/first-admin-link',
    access: 'admin',
    tag: 'People',
    summary: 'Create a link for an administrator',
    description:
      'Like the link that the service prints at its first start: it makes an administrator of the person who opens it within an hour. It replaces the link before. `pharos first-admin` calls it.',
    audit: { action: 'person.first_admin_link' },
    reply: IssuedAccountLink,
    services: ['accountLinks'],
    handle: async ({ subject, browser, services: { accountLinks } }) =>
      issuedLink(await accountLinks.createFirstAdmin(subject.user_id), browser),
  }),
]
