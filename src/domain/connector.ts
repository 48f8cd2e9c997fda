import { z } from 'zod'
import type { Profile } from './refusal.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireDateTime,
  wireEnum,
  wireInteger,
  wireObject,
  wireString,
  wireUnion,
} from './wire.ts'

export const ACCESS_TYPES = ['public', 'private', 'sync'] as const
export type AccessType = (typeof ACCESS_TYPES)[number]
export const INPUT_TYPES = ['load_state', 'poll', 'event', 'slim_retrieval'] as const

export const accessType = wireEnum(ACCESS_TYPES, { caseInsensitive: true })

export const CC_PAIR_STATUSES = ['SCHEDULED', 'INITIAL_INDEXING', 'ACTIVE', 'PAUSED', 'DELETING', 'INVALID'] as const

/** The names of one kind of source: what was made under one keeps it, but a credential fits both. */
const TICKET_TRACKERS = ['ticket_tracker', 'jira']
export const sourcesLike = (source: string): string[] => (TICKET_TRACKERS.includes(source) ? TICKET_TRACKERS : [source])

/** A group is named by a number in the wire's bodies, and by a text where it comes from elsewhere. */
export const groupIds = wireArray(
  wireUnion({ int: wireInteger(), str: wireString({ max: 500, pattern: WITHOUT_NUL }) }),
  {
    max: 10_000,
  },
)
export const wireGroups = (groups: readonly string[]): (number | string)[] =>
  groups.map((it) => (/^(?:0|[1-9]\d{0,14})$/.test(it) ? Number(it) : it))

/** Where pages are read: what they link to is their choice, so their own address has no more rights than a link. */
const CRAWLERS = ['web', 'google_sites', 'xenforo']
export const profileOf = (source: string): Profile => (CRAWLERS.includes(source) ? 'public-only' : 'admin-target')

const ADDRESS_FIELD = /(?:^|_)(?:url|base|host)$/
/** `host:8080` is no scheme; without one a source has a meaning of its own for the text. */
const WITH_SCHEME = /^\s*[a-z][a-z0-9+.-]*:(?!\d+(?:\/|$))/i

/** The base addresses that a config names: field and URL. */
export const addressesIn = (config: Record<string, unknown>): [field: string, url: string][] =>
  Object.entries(config).flatMap(([field, value]) =>
    ADDRESS_FIELD.test(field) && typeof value === 'string' && WITH_SCHEME.test(value) ? [[field, value]] : [],
  )

export const ConnectorRequest = z
  .object({
    name: wireString({ max: 1_000, pattern: WITHOUT_NUL }),
    source: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }),
    input_type: wireEnum(INPUT_TYPES, { caseInsensitive: true }),
    connector_specific_config: wireObject(),
    access_type: accessType,
    refresh_freq: nullish(wireInteger({ min: 0 })),
    prune_freq: nullish(wireInteger({ min: 0 })),
    indexing_start: nullish(wireDateTime()),
    groups: nullish(wireArray(wireInteger())),
  })
  .meta({ id: 'ConnectorRequest' })
export type ConnectorRequest = z.infer<typeof ConnectorRequest>

/** The body of an association; none at all is fine. */
export const AssociationRequest = nullish(
  z
    .object({
      name: nullish(wireString({ max: 1_000, pattern: WITHOUT_NUL })),
      access_type: nullish(accessType),
      groups: nullish(groupIds),
    })
    .meta({ id: 'AssociationRequest' }),
)
