import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import {
  GIVE_UP_MS,
  secretOf,
  WEBHOOK_EVENTS,
  WEBHOOK_STATUSES,
  webhookSecret,
  webhookUrl,
} from '../../domain/webhook.ts'
import { nullish, optionalNullable, pathInteger, wireArray, wireEnum, wireInteger } from '../../domain/wire.ts'
import { getCcPair } from '../../store/cc-pairs.ts'
import { listDeliveries, type StoredDelivery } from '../../store/webhook-deliveries.ts'
import {
  deleteWebhook,
  getWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type Webhook,
} from '../../store/webhooks.ts'
import { checkAddress } from '../check-address.ts'
import { iso, isoOrNull } from '../iso.ts'
import { type Call, route } from '../route.ts'
import type { Services } from '../services.ts'

const SECRET_BYTES = 32
const MAX_LISTED = 100

const events = wireArray(wireEnum(WEBHOOK_EVENTS), { min: 1, max: WEBHOOK_EVENTS.length })
const pairIds = wireArray(wireInteger({ min: 0 }), { min: 1, max: 1_000 })

const WebhookCreate = z
  .object({
    url: webhookUrl(),
    events: nullish(events).describe('Without it, all.'),
    cc_pair_ids: nullish(pairIds).describe('Only documents of these pairs; without it, of all.'),
    secret: nullish(webhookSecret()).describe('Without it, one is made.'),
  })
  .meta({ id: 'WebhookCreate' })

const WebhookUpdate = z
  .object({
    url: nullish(webhookUrl()),
    events: nullish(events),
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
  reason: z.string().nullable().describe('Why it is paused.'),
  time_created: z.iso.datetime(),
  time_updated: z.iso.datetime(),
}
const WebhookSnapshot = z.object(snapshotFields).meta({ id: 'WebhookSnapshot' })
const CreatedWebhook = z
  .object({ ...snapshotFields, secret: z.string().describe('Shown this once.') })
  .meta({ id: 'CreatedWebhook' })

const snapshot = ({ position: _, ...webhook }: Webhook): z.infer<typeof WebhookSnapshot> => ({
  ...webhook,
  time_created: iso(webhook.time_created),
  time_updated: iso(webhook.time_updated),
})

const WebhookDelivery = z
  .object({
    id: z.int(),
    message_id: z.string().describe('The header `webhook-id`, the same at each try.'),
    event: z.enum([...WEBHOOK_EVENTS, 'test']),
    documents: z.int(),
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.int(),
    created_at: z.iso.datetime(),
    next_attempt_at: z.iso.datetime().nullable(),
    delivered_at: z.iso.datetime().nullable(),
    response_status: z.int().nullable(),
    answer: z.string().nullable().describe('The first 500 characters of what was answered to the last try.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'WebhookDelivery' })

const deliveryOf = (it: StoredDelivery): z.infer<typeof WebhookDelivery> => ({
  id: it.id,
  message_id: it.message_id,
  event: it.event as z.infer<typeof WebhookDelivery>['event'], // What `ingestion/webhook-message.ts` writes.
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

async function checkPairs({ db }: Services, ids: readonly number[]): Promise<void> {
  for (const id of ids) await getCcPair(db, id)
}

const checkUrl = ({ services, signal }: Asked, url: string, id: number | null): Promise<void> =>
  checkAddress(services, { loc: ['body', 'url'], url, profile: 'admin-target', asker: { kind: 'webhook', id } }, signal)

type Asked = Pick<Call<unknown, unknown, unknown>, 'services' | 'signal'>

const URL_NOTE = 'The address is looked at: one that this service does not call is 422, which says the way out.'

const WebhookPath = z.object({ webhook_id: pathInteger() })
const admin = { access: 'admin', tag: 'Webhooks' } as const

export const webhookRoutes = [
  route({
    ...admin,
    method: 'POST',
    path: '/admin/webhook',
    summary: 'Create webhook',
    description: `From now on the address gets a POST when documents are indexed or have failed: \`{type, timestamp, data: {documents: […]}}\` with up to 100 receipts and no text, signed as https://www.standardwebhooks.com says with the secret of this answer. It may come twice (with the same \`webhook-id\`) and in any order; a document that changes again before it is told is told once. Any answer but 2xx is tried again, for up to a day. ${URL_NOTE}`,
    audit: { action: 'webhook.create', object: (_, made) => made.id },
    body: WebhookCreate,
    reply: CreatedWebhook,
    errors: ['CC_PAIR_NOT_FOUND', 'TOO_MANY_WEBHOOKS', 'STORE_FULL'],
    handle: async ({ body, services, signal }) => {
      const { url, cc_pair_ids } = body
      await checkPairs(services, cc_pair_ids ?? [])
      await checkUrl({ services, signal }, url, null)
      const secret = body.secret ?? secretOf(randomBytes(SECRET_BYTES))
      const wanted = { url, cc_pair_ids, events: [...new Set(body.events ?? WEBHOOK_EVENTS)] }
      return { ...snapshot(await insertWebhook(services, wanted, secret, services.now())), secret }
    },
  }),
  route({
    ...admin,
    method: 'GET',
    path: '/admin/webhook',
    summary: 'List webhooks',
    reply: z.array(WebhookSnapshot),
    handle: async ({ services }) => (await listWebhooks(services.db)).map(snapshot),
  }),
  route({
    ...admin,
    method: 'PATCH',
    path: '/admin/webhook/{webhook_id}',
    summary: 'Update webhook',
    description: `Changes only what is sent; \`cc_pair_ids: null\` means every pair. \`status: "active"\` lets a paused one go on with what it was not told, \`"paused"\` lets it wait. ${URL_NOTE}`,
    audit: { action: 'webhook.update', object: 'webhook_id' },
    params: WebhookPath,
    body: WebhookUpdate,
    reply: WebhookSnapshot,
    errors: ['WEBHOOK_NOT_FOUND', 'CC_PAIR_NOT_FOUND', 'STORE_FULL'],
    handle: async ({ params, body: { url, events, cc_pair_ids, secret, status }, services, signal }) => {
      await checkPairs(services, cc_pair_ids ?? [])
      if (url !== null) {
        await getWebhook(services.db, params.webhook_id)
        await checkUrl({ services, signal }, url, params.webhook_id)
      }
      const change = {
        ...(url !== null && { url }),
        ...(events !== null && { events: [...new Set(events)] }),
        ...(cc_pair_ids !== undefined && { cc_pair_ids }),
        ...(secret !== null && { secret }),
        ...(status !== null && { status, reason: status === 'active' ? null : 'An administrator has paused it.' }),
      }
      const now = services.now()
      const webhook = await updateWebhook(services, params.webhook_id, change, { now, giveUpAt: now + GIVE_UP_MS })
      services.webhooks.wake()
      return snapshot(webhook)
    },
  }),
  route({
    ...admin,
    method: 'DELETE',
    path: '/admin/webhook/{webhook_id}',
    summary: 'Delete webhook',
    description: 'What it was not told yet it will not be told.',
    audit: { action: 'webhook.delete', object: 'webhook_id' },
    params: WebhookPath,
    reply: z.null(),
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: async ({ params, services }) => {
      await deleteWebhook(services.db, params.webhook_id)
      return null
    },
  }),
  route({
    ...admin,
    method: 'POST',
    path: '/admin/webhook/{webhook_id}/test',
    summary: 'Test webhook',
    description: 'Sends a message of type `test` without documents, and answers what came of it.',
    audit: { action: 'webhook.test', object: 'webhook_id' },
    params: WebhookPath,
    reply: WebhookDelivery,
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: async ({ params, services }) => deliveryOf(await services.webhooks.test(params.webhook_id)),
  }),
  route({
    ...admin,
    method: 'GET',
    path: '/admin/webhook/{webhook_id}/deliveries',
    summary: 'List deliveries of a webhook',
    description: 'Newest first: those that wait, and the last 100 others.',
    params: WebhookPath,
    reply: z.array(WebhookDelivery),
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: async ({ params, services: { db } }) => {
      await getWebhook(db, params.webhook_id)
      return (await listDeliveries(db, params.webhook_id, MAX_LISTED)).map(deliveryOf)
    },
  }),
]
