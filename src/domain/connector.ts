import { z } from 'zod'
import { nullish, wireArray, wireDateTime, wireEnum, wireInteger, wireObject, wireString, wireUnion } from './wire.ts'

export const ACCESS_TYPES = ['public', 'private', 'sync'] as const
export type AccessType = (typeof ACCESS_TYPES)[number]
export const INPUT_TYPES = ['load_state', 'poll', 'event', 'slim_retrieval'] as const

export const accessType = wireEnum(ACCESS_TYPES, { caseInsensitive: true })

export const ConnectorRequest = z
  .object({
    name: wireString({ max: 1_000 }),
    source: wireString({ min: 1, max: 100 }),
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
      name: nullish(wireString({ max: 1_000 })),
      access_type: nullish(accessType),
      groups: nullish(wireArray(wireUnion({ int: wireInteger(), str: wireString({ max: 500 }) }))),
    })
    .meta({ id: 'AssociationRequest' }),
)
