// What is told to other programs, and how a secret for it is spelled: https://www.standardwebhooks.com
import { problem } from './problem.ts'
import { wireType } from './wire-type.ts'

export const WEBHOOK_EVENTS = ['indexed', 'failed'] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export const WEBHOOK_STATUSES = ['active', 'paused'] as const
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number]

/** How long a message is tried. */
export const GIVE_UP_MS = 86_400_000

const PREFIX = 'whsec_'
const MIN_SECRET = 24
const MAX_SECRET = 64
const MAX_URL = 2_000

export const secretOf = (bytes: Uint8Array): string => `${PREFIX}${Buffer.from(bytes).toString('base64')}`

/** What the secret stands for; undefined when it is none. */
export function secretBytes(secret: string): Uint8Array | undefined {
  if (!secret.startsWith(PREFIX)) return undefined
  const bytes = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const isWellFormed = secretOf(bytes) === secret && bytes.length >= MIN_SECRET && bytes.length <= MAX_SECRET
  return isWellFormed ? bytes : undefined
}

export const webhookSecret = () =>
  wireType<string>(
    (value) =>
      typeof value === 'string' && secretBytes(value) !== undefined
        ? value
        : problem('value_error', `a secret is ${PREFIX} and ${MIN_SECRET} to ${MAX_SECRET} random bytes in base64`),
    { type: 'string', pattern: `^${PREFIX}` },
  )

/** Where it may lead is asked when it is stored and at each call; this is only about its form. */
export const webhookUrl = () =>
  wireType<string>(
    (value) => {
      if (typeof value !== 'string') return problem('string_type')
      if (value.length > MAX_URL) return problem('string_too_long', MAX_URL)
      const url = URL.parse(value)
      if (url === null || !['http:', 'https:'].includes(url.protocol)) {
        return problem('value_error', 'an address begins with https:// or http://')
      }
      const hasLogin = url.username !== '' || url.password !== ''
      return hasLogin ? problem('value_error', 'an address holds no user name or password') : url.href
    },
    { type: 'string', format: 'uri', maxLength: MAX_URL },
  )
