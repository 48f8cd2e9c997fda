// Webhook events, and the encoding of webhook secrets: https://www.standardwebhooks.com
import { problem } from '../wire/problem.ts'
import { wireType } from '../wire/schema-type.ts'
import { ALERT_EVENTS } from './alerts/alert.ts'

/** Outcomes of documents. */
export const DOCUMENT_EVENTS = ['indexed', 'failed'] as const
export type DocumentEvent = (typeof DOCUMENT_EVENTS)[number]
/** The runs of a connector start to fail, or recover. */
export const RUN_EVENTS = ['run.failed', 'run.recovered'] as const
export type RunEvent = (typeof RUN_EVENTS)[number]

/** Events of which only the newest wait for a webhook that does not answer. */
export const STATE_EVENTS = [...RUN_EVENTS, ...ALERT_EVENTS] as const
export type StateEvent = (typeof STATE_EVENTS)[number]

export const WEBHOOK_EVENTS = [...DOCUMENT_EVENTS, ...STATE_EVENTS] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export const WEBHOOK_STATUSES = ['active', 'paused'] as const
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number]

/** The reason of a webhook that a person paused; others were paused by the program. */
export const PAUSED_BY_ADMINISTRATOR = 'Paused by an administrator.'

/** How long the delivery of a message is retried. */
export const MAX_DELIVERY_AGE_MS = 86_400_000

const SECRET_PREFIX = 'whsec_'
const MIN_SECRET = 24
const MAX_SECRET = 64
const MAX_URL = 2_000

export const encodeWebhookSecret = (bytes: Uint8Array): string =>
  `${SECRET_PREFIX}${Buffer.from(bytes).toString('base64')}`

/** The bytes of the secret; undefined if it is malformed. */
export function decodeWebhookSecret(secret: string): Uint8Array | undefined {
  if (!secret.startsWith(SECRET_PREFIX)) return undefined
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const isWellFormed = encodeWebhookSecret(bytes) === secret && bytes.length >= MIN_SECRET && bytes.length <= MAX_SECRET
  return isWellFormed ? bytes : undefined
}

export const webhookSecret = () =>
  wireType<string>(
    (value) =>
      typeof value === 'string' && value.length <= MAX_SECRET * 2 && decodeWebhookSecret(value) !== undefined
        ? value
        : problem(
            'value_error',
            `a secret is ${SECRET_PREFIX} and ${MIN_SECRET} to ${MAX_SECRET} random bytes in base64`,
          ),
    { type: 'string', maxLength: MAX_SECRET * 2, pattern: `^${SECRET_PREFIX}` },
  )

/** Checks only the form; whether the address may be called is checked when it is stored and at each call. */
export const webhookUrl = () =>
  wireType<string>(
    (value) => {
      if (typeof value !== 'string') return problem('string_type')
      if (value.length > MAX_URL) return problem('string_too_long', MAX_URL)
      const url = URL.parse(value)
      if (url === null || !['http:', 'https:'].includes(url.protocol)) {
        return problem('value_error', 'an address starts with https:// or http://')
      }
      const hasLogin = url.username !== '' || url.password !== ''
      return hasLogin ? problem('value_error', 'an address must not contain a user name or password') : url.href
    },
    { type: 'string', format: 'uri', maxLength: MAX_URL },
  )
