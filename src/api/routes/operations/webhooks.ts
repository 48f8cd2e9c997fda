import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import {
  encodeWebhookSecret,
  MAX_DELIVERY_AGE_MS,
  PAUSED_BY_ADMINISTRATOR,
  WEBHOOK_EVENTS,
  WEBHOOK_STATUSES,
  webhookSecret,
  webhookUrl,
} from '../../../domain/webhook.ts'
import { getCcPair } from '../../../store/sources/cc-pairs.ts'
import { listDeliveries, type StoredDelivery } from '../../../store/webhooks/deliveries.ts'
import {
  deleteWebhook,
  getWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type Webhook,
} from '../../../store/webhooks/webhooks.ts'
import { nullish, optionalNullable, wireArray, wireEnum, wireInteger, wirePathInteger } from '../../../wire/schemas.ts'
import { checkEgressAddress } from '../../checks/egress-address.ts'
import { type RouteCall, type RouteServices, route } from '../../route.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'

const SECRET_BYTES = 32
const MAX_LISTED = 100

const eventList = wireArray(wireEnum(WEBHOOK_EVENTS), { min: 1, max: WEBHOOK_EVENTS.length })
const pairIds = wireArray(wireInteger({ min: 0 }), { min: 1, max: 1_000 })

const WebhookCreate = z
  .object({
    url: webhookUrl(),
    events: nullish(eventList).describe('Default: all events.'),
    cc_pair_ids: nullish(pairIds).describe('Only documents and runs of these pairs. Default: all pairs.'),
    secret: nullish(webhookSecret()).describe('Default: a generated secret.'),
  })
  .meta({ id: 'WebhookCreate' })

const WebhookUpdate = z
  .object({
    url: nullish(webhookUrl()),
    events: nullish(eventList),
    cc_pair_ids: optionalNullable(pairIds),
    secret: nullish(webhookSecret()),
    status: nullish(wireEnum(WEBHOOK_STATUSES)),
  })
  .meta({ id: 'WebhookUpdate' })

const snapshotFields = {
  id: z.int(),
  url: z.string(),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  cc_pair_ids: z.array(z.int()).nullable(),
  status: z.enum(WEBHOOK_STATUSES),
  reason: z.string().nullable().describe('Why the webhook is paused.'),
  time_created: z.iso.datetime(),
  time_updated: z.iso.datetime(),
}
const WebhookSnapshot = z.object(snapshotFields).meta({ id: 'WebhookSnapshot' })
const CreatedWebhook = z
  .object({ ...snapshotFields, secret: z.string().describe('The signing secret. Returned only once.') })
  .meta({ id: 'CreatedWebhook' })

const webhookSnapshot = ({ position: _, ...webhook }: Webhook): z.infer<typeof WebhookSnapshot> => ({
  ...webhook,
  time_created: iso(webhook.time_created),
  time_updated: iso(webhook.time_updated),
})

const WebhookDelivery = z
  .object({
    id: z.int(),
    message_id: z.string().describe('The header `webhook-id`, which is the same for all attempts.'),
    event: z.enum([...WEBHOOK_EVENTS, 'test']),
    documents: z.int(),
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.int(),
    created_at: z.iso.datetime(),
    next_attempt_at: z.iso.datetime().nullable(),
    delivered_at: z.iso.datetime().nullable(),
    response_status: z.int().nullable(),
    answer: z.string().nullable().describe('The first 500 characters of the last response.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'WebhookDelivery' })

const webhookDelivery = (it: StoredDelivery): z.infer<typeof WebhookDelivery> => ({
  id: it.id,
  message_id: it.message_id,
  event: it.event,
  documents: it.documents,
  status: it.delivered_at !== null ? 'delivered' : it.next_at === null ? 'failed' : 'pending',
  attempts: it.attempts,
  created_at: iso(it.created_at),
  next_attempt_at: isoOrNull(it.next_at),
  delivered_at: isoOrNull(it.delivered_at),
  response_status: it.response_status,
  answer: it.answer,
  error: it.error,
})

async function checkCcPairs({ db }: RouteServices<'db'>, ids: readonly number[]): Promise<void> {
  for (const id of ids) await getCcPair(db, id)
}

const checkWebhookUrl = ({ services, signal }: WebhookContext, url: string, id: number | null): Promise<void> =>
  checkEgressAddress(
    services,
    { loc: ['body', 'url'], url, profile: 'admin-target', asker: { kind: 'webhook', id } },
    signal,
  )

type WebhookContext = Pick<RouteCall<unknown, unknown, unknown, 'db' | 'egress'>, 'services' | 'signal'>

const ADDRESS_CHECK_NOTE = 'An address that this service may not call is rejected with 422.'

const WebhookPath = z.object({ webhook_id: wirePathInteger() })
const adminDefaults = { access: 'admin', tag: 'Webhooks' } as const

export const webhookRoutes = [
  route({
    ...adminDefaults,
    name: 'createWebhook',
    method: 'POST',
    path: '/admin/webhook',
    summary: 'Create webhook',
    description: `Sends events to the URL as POST requests with the body \`{type, timestamp, data: {documents: […]}}\`. \`indexed\` and \`failed\` contain up to 100 receipts without text. \`run.failed\` is sent when the runs of a connector start to fail (including the first run), and \`run.recovered\` when they succeed again, but not for failures in between; their \`data.run\` is \`{cc_pair: {id, name}, source, index_attempt_id, reason, retry_at}\`. \`alert.opened\` and \`alert.closed\` report what needs an administrator, see \`GET /admin/alerts\`; their \`data.alert\` is \`{id, kind, object_id, name, cc_pair_id, reason, count, since, due_at, ended_at, page}\`, and a webhook for certain pairs gets the alerts of these pairs only. Messages are signed with the returned secret, see https://www.standardwebhooks.com. A message may be delivered more than once (with the same \`webhook-id\`) and in any order. A document that changes again before delivery is reported once. Responses other than 2xx are retried for up to a day. ${ADDRESS_CHECK_NOTE}`,
    audit: { action: 'webhook.create', object: (_, created) => created.id },
    body: WebhookCreate,
    reply: CreatedWebhook,
    errors: ['CC_PAIR_NOT_FOUND', 'TOO_MANY_WEBHOOKS', 'STORE_FULL'],
    services: ['db', 'secrets', 'egress', 'now'],
    handle: async ({ body, services, signal }) => {
      const { url, cc_pair_ids } = body
      await checkCcPairs(services, cc_pair_ids ?? [])
      await checkWebhookUrl({ services, signal }, url, null)
      const secret = body.secret ?? encodeWebhookSecret(randomBytes(SECRET_BYTES))
      const webhookFields = { url, cc_pair_ids, events: [...new Set(body.events ?? WEBHOOK_EVENTS)] }
      return { ...webhookSnapshot(await insertWebhook(services, webhookFields, secret, services.now())), secret }
    },
  }),
  route({
    ...adminDefaults,
    name: 'listWebhooks',
    method: 'GET',
    path: '/admin/webhook',
    summary: 'List webhooks',
    reply: z.array(WebhookSnapshot),
    services: ['db'],
    handle: async ({ services }) => (await listWebhooks(services.db)).map(webhookSnapshot),
  }),
  route({
    ...adminDefaults,
    name: 'updateWebhook',
    method: 'PATCH',
    path: '/admin/webhook/{webhook_id}',
    summary: 'Update webhook',
    description: `Changes only the fields that are sent; \`cc_pair_ids: null\` means all pairs. \`status: "active"\` resumes a paused webhook with its pending messages, \`"paused"\` pauses it. ${ADDRESS_CHECK_NOTE}`,
    audit: { action: 'webhook.update', object: 'webhook_id' },
    params: WebhookPath,
    body: WebhookUpdate,
    reply: WebhookSnapshot,
    errors: ['WEBHOOK_NOT_FOUND', 'CC_PAIR_NOT_FOUND', 'STORE_FULL'],
    services: ['db', 'secrets', 'egress', 'webhooks', 'now'],
    handle: async ({ params, body: { url, events, cc_pair_ids, secret, status }, services, signal }) => {
      await checkCcPairs(services, cc_pair_ids ?? [])
      if (url !== null) {
        await getWebhook(services.db, params.webhook_id)
        await checkWebhookUrl({ services, signal }, url, params.webhook_id)
      }
      const change = {
        ...(url !== null && { url }),
        ...(events !== null && { events: [...new Set(events)] }),
        ...(cc_pair_ids !== undefined && { cc_pair_ids }),
        ...(secret !== null && { secret }),
        ...(status !== null && { status, reason: status === 'active' ? null : PAUSED_BY_ADMINISTRATOR }),
      }
      const now = services.now()
      const webhook = await updateWebhook(services, params.webhook_id, change, {
        now,
        giveUpAt: now + MAX_DELIVERY_AGE_MS,
      })
      services.webhooks.wake()
      return webhookSnapshot(webhook)
    },
  }),
  route({
    ...adminDefaults,
    allowsTokens: true,
    name: 'deleteWebhook',
    method: 'DELETE',
    path: '/admin/webhook/{webhook_id}',
    summary: 'Delete webhook',
    description: 'Discards pending messages.',
    audit: { action: 'webhook.delete', object: 'webhook_id' },
    params: WebhookPath,
    reply: z.null(),
    errors: ['WEBHOOK_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, services }) => {
      await deleteWebhook(services.db, params.webhook_id)
      return null
    },
  }),
  route({
    ...adminDefaults,
    allowsTokens: true,
    name: 'testWebhook',
    method: 'POST',
    path: '/admin/webhook/{webhook_id}/test',
    summary: 'Test webhook',
    description: 'Sends a message of type `test` without documents and returns the delivery.',
    audit: { action: 'webhook.test', object: 'webhook_id' },
    params: WebhookPath,
    reply: WebhookDelivery,
    errors: ['WEBHOOK_NOT_FOUND'],
    services: ['webhooks'],
    handle: async ({ params, services }) => webhookDelivery(await services.webhooks.test(params.webhook_id)),
  }),
  route({
    ...adminDefaults,
    name: 'listWebhookDeliveries',
    method: 'GET',
    path: '/admin/webhook/{webhook_id}/deliveries',
    summary: 'List webhook deliveries',
    description: 'Newest first: pending deliveries and the last 100 completed ones.',
    params: WebhookPath,
    reply: z.array(WebhookDelivery),
    errors: ['WEBHOOK_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, services: { db } }) => {
      await getWebhook(db, params.webhook_id)
      return (await listDeliveries(db, params.webhook_id, MAX_LISTED)).map(webhookDelivery)
    },
  }),
]
