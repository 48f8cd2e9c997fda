// Egress policy: approved hosts, refused requests, and a check of single addresses.
import { z } from 'zod'
import { EGRESS_CALLERS, EGRESS_PROFILES, EGRESS_RULES, isApprovable } from '../../../domain/egress-refusal.ts'
import { AppError } from '../../../domain/errors.ts'
import { type Egress, EgressError, parseApprovedHost } from '../../../egress/egress.ts'
import {
  deleteEgressApproval,
  insertEgressApproval,
  listEgressApprovals,
  type StoredEgressApproval,
} from '../../../store/settings/egress-approvals.ts'
import { listEgressRefusals } from '../../../store/settings/egress-refusals.ts'
import { nullish, WITHOUT_NUL, wireEnum, wireInteger, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { addressRefusedAt } from '../../checks/egress-address.ts'
import { route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'
import { PageQuery } from '../../wire/page.ts'

const MAX_URL = 8_000

const EgressApprovalRequest = z
  .object({
    host: wireString({ min: 1, max: 1_000, pattern: WITHOUT_NUL }).describe('Host name or IP address, without a port.'),
    port: nullish(wireInteger({ min: 1, max: 65_535 })).describe('Default: 80 and 443.'),
    reason: wireString({ min: 1, max: 1_000, pattern: WITHOUT_NUL }),
  })
  .meta({ id: 'EgressApprovalRequest' })

const EgressApproval = z
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

const EgressRefusal = z
  .object({
    host: z.string(),
    port: z.int(),
    rule: z
      .enum(EGRESS_RULES)
      .describe(
        '`private`: not on the public internet. `port`: neither 80 nor 443. `never`: a metadata service or a link-local address. `own`: this service or one of its backends.',
      ),
    profile: z.enum(EGRESS_PROFILES),
    asker: z
      .object({ kind: z.enum(EGRESS_CALLERS), id: z.int().nullable() })
      .describe('The component that made the request. The id is null if it was not stored yet.'),
    count: z.int(),
    first_time: z.iso.datetime(),
    last_time: z.iso.datetime(),
    is_approvable: z
      .boolean()
      .describe('Whether an approval of `host` and `port` permits the request. If not, EGRESS_ALLOW may permit it.'),
  })
  .meta({ id: 'EgressRefusal' })

const EgressCheckRequest = z
  .object({
    url: wireString({ min: 1, max: MAX_URL }),
    profile: nullish(wireEnum(EGRESS_PROFILES)).describe(
      '`admin-target` (default): a base URL configured for a connector or a tool. `public-only`: a URL found in a document, a page or the output of a model.',
    ),
  })
  .meta({ id: 'EgressCheckRequest' })

const EgressCheck = z
  .object({
    is_allowed: z.boolean(),
    reason: z.string().nullable().describe('The rule that refuses the address, or why it cannot be resolved.'),
    detail: z.string().nullable().describe('The reason as a sentence, with a remedy.'),
    host: z.string().nullable(),
    addresses: z.array(z.string()).describe('The IP addresses that the host resolves to.'),
  })
  .meta({ id: 'EgressCheck' })

const egressDefaults = { access: 'admin', tag: 'Egress' } as const

const approvalSnapshot = (it: StoredEgressApproval): z.infer<typeof EgressApproval> => ({
  ...it,
  time_created: iso(it.time_created),
})

/** Normalizes a host name; throws if it is invalid or can never be approved. */
async function parseApprovableHost(
  egress: Egress,
  hostText: string,
  port: number,
  signal: AbortSignal,
): Promise<string> {
  try {
    const host = parseApprovedHost(hostText)
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    await egress.check(url, { profile: 'admin-target', asker: null, signal }).catch((error: unknown) => {
      if (error instanceof EgressError && error.reason !== 'never' && error.reason !== 'own') return
      throw error
    })
    return host
  } catch (error) {
    throw error instanceof EgressError ? addressRefusedAt(['body', 'host'], error) : error
  }
}

const approvalRoutes = [
  route({
    ...egressDefaults,
    name: 'listEgressApprovals',
    method: 'GET',
    path: '/admin/egress/approval',
    summary: 'List approved hosts',
    query: PageQuery,
    reply: z.array(EgressApproval),
    services: ['db'],
    handle: async ({ query, services: { db } }) => (await listEgressApprovals(db, query)).map(approvalSnapshot),
  }),
  route({
    ...egressDefaults,
    name: 'createEgressApproval',
    method: 'POST',
    path: '/admin/egress/approval',
    summary: 'Approve host',
    description:
      'Permits connectors and tools to call a host that is not on the public internet. Takes effect with the next request, in every process. Metadata services and this service itself cannot be approved, and approvals do not apply to URLs found in documents or in the output of models.',
    audit: { action: 'egress_approval.create', object: (_, created) => created.id },
    body: EgressApprovalRequest,
    reply: EgressApproval,
    errors: ['EGRESS_APPROVALS_OFF', 'EGRESS_APPROVAL_EXISTS'],
    services: ['db', 'egress', 'hostApprovals', 'logger', 'now'],
    handle: async ({ body, subject: { user_id, email: user_email }, signal, services }) => {
      const { port, reason } = body
      if (services.hostApprovals === 'off') throw new AppError('EGRESS_APPROVALS_OFF', { host: body.host })
      const host = await parseApprovableHost(services.egress, body.host, port ?? 80, signal)
      const approval = { host, port, reason, user_id, user_email, time_created: services.now() }
      const stored = await insertEgressApproval(services.db, approval)
      services.logger.info({ approval: stored }, 'egress approval created')
      return approvalSnapshot(stored)
    },
  }),
  route({
    ...egressDefaults,
    allowsTokens: true,
    name: 'deleteEgressApproval',
    method: 'DELETE',
    path: '/admin/egress/approval/{approval_id}',
    summary: 'Delete egress approval',
    description: 'Takes effect with the next request, in every process.',
    audit: { action: 'egress_approval.delete', object: 'approval_id' },
    params: z.object({ approval_id: wirePathInteger() }),
    reply: z.null(),
    errors: ['EGRESS_APPROVAL_NOT_FOUND'],
    services: ['db', 'logger'],
    handle: async ({ params, subject: { user_id }, services: { db, logger } }) => {
      const approval = await deleteEgressApproval(db, params.approval_id)
      logger.info({ approval, user_id }, 'egress approval deleted')
      return null
    },
  }),
]

export const egressRoutes = [
  ...approvalRoutes,
  route({
    ...egressDefaults,
    name: 'listEgressRefusals',
    method: 'GET',
    path: '/admin/egress/refusal',
    summary: 'List refused addresses',
    description: 'Returns up to 1,000 distinct refusals of the last 30 days, newest first.',
    reply: z.array(EgressRefusal),
    services: ['db', 'egressRefusals'],
    handle: async ({ services: { db, egressRefusals } }) => {
      await egressRefusals.flush()
      return (await listEgressRefusals(db)).map((it) => ({
        ...it,
        first_time: iso(it.first_time),
        last_time: iso(it.last_time),
        is_approvable: isApprovable(it),
      }))
    },
  }),
  route({
    ...egressDefaults,
    allowsTokens: true,
    name: 'checkEgress',
    method: 'POST',
    path: '/admin/egress/check',
    summary: 'Check egress address',
    description: 'Resolves the host name without sending a request.',
    body: EgressCheckRequest,
    reply: EgressCheck,
    services: ['egress'],
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
