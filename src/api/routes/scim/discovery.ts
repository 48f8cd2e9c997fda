// Describes the part of SCIM that the service supports.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { listResourceTypes, listSchemas, serviceProviderConfig } from '../../../scim/schemas.ts'
import { nullish, WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { listAnswer, ScimResponse, scimBase, scimDefaults } from './protocol.ts'

const NamePath = z.object({ name: wireString({ min: 1, max: 200, pattern: WITHOUT_NUL }) })
const ListQuery = z.object({ filter: nullish(wireString({ max: 16_000 })) })

/** RFC 7644, 4: a filter on these lists is refused. */
function refuseFilter({ filter }: z.infer<typeof ListQuery>): void {
  if (filter !== null) throw new AppError('SCIM_FILTER_FORBIDDEN')
}

function findNamed(all: readonly Record<string, unknown>[], name: string): ScimResponse {
  const found = all.find((it) => it.id === name)
  if (found === undefined) throw new AppError('NOT_FOUND')
  return new ScimResponse(found)
}

export const scimDiscoveryRoutes = [
  route({
    ...scimDefaults,
    method: 'GET',
    path: '/scim/v2/ServiceProviderConfig',
    summary: 'Describe what the service supports',
    query: ListQuery,
    handle: (call) => {
      refuseFilter(call.query)
      return new ScimResponse(serviceProviderConfig(scimBase(call)))
    },
  }),
  route({
    ...scimDefaults,
    method: 'GET',
    path: '/scim/v2/Schemas',
    summary: 'List schemas',
    query: ListQuery,
    handle: (call) => {
      refuseFilter(call.query)
      const schemas = listSchemas(scimBase(call))
      return listAnswer(schemas, schemas.length, 0)
    },
  }),
  route({
    ...scimDefaults,
    method: 'GET',
    path: '/scim/v2/Schemas/{name}',
    summary: 'Get a schema',
    params: NamePath,
    handle: (call) => findNamed(listSchemas(scimBase(call)), call.params.name),
  }),
  route({
    ...scimDefaults,
    method: 'GET',
    path: '/scim/v2/ResourceTypes',
    summary: 'List types of resources',
    query: ListQuery,
    handle: (call) => {
      refuseFilter(call.query)
      const types = listResourceTypes(scimBase(call))
      return listAnswer(types, types.length, 0)
    },
  }),
  route({
    ...scimDefaults,
    method: 'GET',
    path: '/scim/v2/ResourceTypes/{name}',
    summary: 'Get a type of resources',
    params: NamePath,
    handle: (call) => findNamed(listResourceTypes(scimBase(call)), call.params.name),
  }),
]
