import { z } from 'zod'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireDateTime,
  wireEnum,
  wireInteger,
  wireName,
  wireObject,
  wireString,
  wireUnion,
} from '../wire/schemas.ts'
import type { EgressProfile } from './egress-refusal.ts'

export const ACCESS_TYPES = ['public', 'private', 'sync'] as const
export type AccessType = (typeof ACCESS_TYPES)[number]
export const INPUT_TYPES = ['load_state', 'poll', 'event', 'slim_retrieval'] as const

export const accessType = wireEnum(ACCESS_TYPES, { caseInsensitive: true })

export const CC_PAIR_STATUSES = ['SCHEDULED', 'INITIAL_INDEXING', 'ACTIVE', 'PAUSED', 'DELETING', 'INVALID'] as const

/** Facts that the definitions of sources state, for rooms that do not know the definitions. */
export interface SourceFacts {
  /** Sources whose credentials every user may use. */
  openSources: readonly string[]
  /** All names of the source, this one included. A connector keeps its name. */
  namesOf(source: string): readonly string[]
  /** Whether a credential of one source can be given to connectors of the other. */
  isCredentialFor(credentialSource: string, connectorSource: string): boolean
  /** Whether the configuration of its connectors names uploads. */
  namesUploads(source: string): boolean
  /** Whether its connectors can report who may read a document. */
  hasAccess(source: string): boolean
  /** How far the addresses in a configuration may reach. */
  egressProfileOf(source: string): EgressProfile
}

/** Groups are numbers in the wire format, and texts if they come from other systems. */
export const groupIds = wireArray(
  wireUnion({ int: wireInteger(), str: wireString({ max: 500, pattern: WITHOUT_NUL }) }),
  {
    max: 10_000,
  },
)
export const groupIdsToWire = (groups: readonly string[]): (number | string)[] =>
  groups.map((it) => (/^(?:0|[1-9]\d{0,14})$/.test(it) ? Number(it) : it))

const URL_FIELD = /(?:^|_)(?:url|base|host)$/
/** `host:8080` has no scheme; a text without a scheme has a source-specific meaning. */
const WITH_SCHEME = /^\s*[a-z][a-z0-9+.-]*:(?!\d+(?:\/|$))/i

/** The base URLs in a config, with their field names. */
export const baseUrlsIn = (config: Record<string, unknown>): [field: string, url: string][] =>
  Object.entries(config).flatMap(([field, value]) =>
    URL_FIELD.test(field) && typeof value === 'string' && WITH_SCHEME.test(value) ? [[field, value]] : [],
  )

export const ConnectorRequest = z
  .object({
    name: wireName(),
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

/** The body of an association; it may be absent. */
export const AssociationRequest = nullish(
  z
    .object({
      name: nullish(wireName()),
      access_type: nullish(accessType),
      groups: nullish(groupIds),
    })
    .meta({ id: 'AssociationRequest' }),
)
