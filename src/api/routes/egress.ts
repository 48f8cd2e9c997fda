// Which addresses may be called: what an administrator opened, what was refused, and what would be said of one.
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { ASKERS, isApprovable, PROFILES, RULES } from '../../domain/refusal.ts'
import { nullish, pathInteger, WITHOUT_NUL, wireEnum, wireInteger, wireString } from '../../domain/wire.ts'
import { type Egress, EgressError, parseHost } from '../../egress/egress.ts'
import { deleteApproval, insertApproval, listApprovals, type StoredApproval } from '../../store/egress-approvals.ts'
import { listRefusals } from '../../store/egress-refusals.ts'
import { refusedAt } from '../check-address.ts'
import { iso } from '../iso.ts'
import { PageQuery } from '../page.ts'
import { route } from '../route.ts'

const MAX_URL = 8_000

const ApprovalRequest = z
  .object({
    host: wireString({ min: 1, max: 1_000, pattern: WITHOUT_NUL }).describe('A name or an address, without a port.'),
    port: nullish(wireInteger({ min: 1, max: 65_535 })).describe('Without it, 80 and 443.'),
    reason: wireString({ min: 1, max: 1_000, pattern: WITHOUT_NUL }),
  })
  .meta({ id: 'EgressApprovalRequest' })

const Approval = z
  .object({
    id: z.int(),
    host: z.string(),
    port: z.int().nullable(),
    reason: z.string(),
    user_id: z.string(),
    user_email: z.string().nullable(),
    time_created: z.iso.datetime(),
  })
  .meta({ id: 'EgressApproval' })

const Refusal = z
  .object({
    host: z.string(),
    port: z.int(),
    rule: z
      .enum(RULES)
      .describe(
        '`private`: not on the public internet. `port`: neither 80 nor 443. `never`: a metadata service or link-local. `own`: this service or a back end of it.',
      ),
    profile: z.enum(PROFILES),
    asker: z
      .object({ kind: z.enum(ASKERS), id: z.int().nullable() })
      .describe('Who wanted it; without an id, one that was not stored yet.'),
    count: z.int(),
    first_time: z.iso.datetime(),
    last_time: z.iso.datetime(),
    is_approvable: z.boolean().describe('Whether an approval of `host` and `port` opens it; else EGRESS_ALLOW may.'),
  })
  .meta({ id: 'EgressRefusal' })

const CheckRequest = z
  .object({
    url: wireString({ min: 1, max: MAX_URL }),
    profile: nullish(wireEnum(PROFILES)).describe(
      '`admin-target`, the default: a base address that was typed for a connector or a tool. `public-only`: one that came out of a document, a page or a model.',
    ),
  })
  .meta({ id: 'EgressCheckRequest' })

const Check = z
  .object({
    is_allowed: z.boolean(),
    reason: z.string().nullable().describe('Which rule refuses it, or what would fail.'),
    detail: z.string().nullable().describe('The sentence about it, with the way out.'),
    host: z.string().nullable(),
    addresses: z.array(z.string()).describe('Where it would be called.'),
  })
  .meta({ id: 'EgressCheck' })

const egress = { access: 'admin', tag: 'Egress' } as const

const snapshot = (it: StoredApproval): z.infer<typeof Approval> => ({ ...it, time_created: iso(it.time_created) })

/** The host as it is stored, if it is one and nothing forbids it for good. */
async function approvableHost(egress: Egress, text: string, port: number, signal: AbortSignal): Promise<string> {
  try {
    const host = parseHost(text)
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    await egress.check(url, { profile: 'admin-target', asker: null, signal }).catch((error: unknown) => {
      if (error instanceof EgressError && error.reason !== 'never' && error.reason !== 'own') return
      throw error
    })
    return host
  } catch (error) {
    throw error instanceof EgressError ? refusedAt(['body', 'host'], error) : error
  }
}

const approvals = [
  route({
    ...egress,
    method: 'GET',
    path: '/admin/egress/approval',
    summary: 'List approved hosts',
    query: PageQuery,
    reply: z.array(Approval),
    handle: async ({ query, services: { db } }) => (await listApprovals(db, query)).map(snapshot),
  }),
  route({
    ...egress,
    method: 'POST',
    path: '/admin/egress/approval',
    summary: 'Approve a host',
    description:
      'Opens a host that is not on the public internet to connectors and tools, from the next call on, in every process. It opens no metadata service, not this service itself, and nothing to an address that a document or a model names.',
    audit: { action: 'egress_approval.create', object: (_, made) => made.id },
    body: ApprovalRequest,
    reply: Approval,
    errors: ['EGRESS_APPROVALS_OFF', 'EGRESS_APPROVAL_EXISTS'],
    handle: async ({ body, subject: { user_id, email: user_email }, signal, services }) => {
      const { port, reason } = body
      if (services.approvals === 'off') throw new AppError('EGRESS_APPROVALS_OFF', { host: body.host })
      const host = await approvableHost(services.egress, body.host, port ?? 80, signal)
      const approval = { host, port, reason, user_id, user_email, time_created: services.now() }
      const stored = await insertApproval(services.db, approval)
      services.logger.info({ approval: stored }, 'a host was approved')
      return snapshot(stored)
    },
  }),
  route({
    ...egress,
    method: 'DELETE',
    path: '/admin/egress/approval/{approval_id}',
    summary: 'Withdraw an approval',
    description: 'Counts from the next call on, in every process.',
    audit: { action: 'egress_approval.delete', object: 'approval_id' },
    params: z.object({ approval_id: pathInteger() }),
    reply: z.null(),
    errors: ['EGRESS_APPROVAL_NOT_FOUND'],
    handle: async ({ params, subject: { user_id }, services: { db, logger } }) => {
      const approval = await deleteApproval(db, params.approval_id)
      logger.info({ approval, user_id }, 'an approval was withdrawn')
      return null
    },
  }),
]

export const egressRoutes = [
  ...approvals,
  route({
    ...egress,
    method: 'GET',
    path: '/admin/egress/refusal',
    summary: 'List addresses that were refused',
    description: 'The last thousand kinds of the last 30 days, the newest first.',
    reply: z.array(Refusal),
    handle: async ({ services: { db, refusals } }) => {
      await refusals.flush()
      return (await listRefusals(db)).map((it) => ({
        ...it,
        first_time: iso(it.first_time),
        last_time: iso(it.last_time),
        is_approvable: isApprovable(it),
      }))
    },
  }),
  route({
    ...egress,
    method: 'POST',
    path: '/admin/egress/check',
    summary: 'Say whether an address would be called',
    description: 'Resolves the name, and calls nothing.',
    body: CheckRequest,
    reply: Check,
    handle: async ({ body: { url, profile }, signal, services }) => {
      try {
        const request = { profile: profile ?? ('admin-target' as const), asker: null, signal }
        const { host, addresses } = await services.egress.check(url, request)
        return { is_allowed: true, reason: null, detail: null, host, addresses: [...addresses] }
      } catch (error) {
        if (!(error instanceof EgressError)) throw error
        const { reason, message: detail, host } = error
        return { is_allowed: false, reason, detail, host, addresses: [] }
      }
    },
  }),
]
