import type { WebhookSnapshot } from '../../../../src/client/schemas.ts'

export type WebhookEvent = WebhookSnapshot['events'][number]

/** In the order of the choice. */
export const EVENTS: readonly WebhookEvent[] = [
  'indexed',
  'failed',
  'run.failed',
  'run.recovered',
  'alert.opened',
  'alert.closed',
]
