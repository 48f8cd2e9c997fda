import { z } from 'zod'
import { ACCESS_TYPES, type AccessType, AssociationRequest, ConnectorRequest } from '../../domain/connector.ts'
import { pathInteger } from '../../domain/wire.ts'
import { ListingRequest, listPairs, SourceListing } from '../../ingestion/listing.ts'
import { insertCcPair } from '../../store/cc-pairs.ts'
import { getConnector, insertConnector } from '../../store/connectors.ts'
import { getCredential } from '../../store/credentials.ts'
import { checkConfig } from '../check-address.ts'
import { type Call, route } from '../route.ts'

const Created = z.object({ id: z.int(), credential: z.null() }).meta({ id: 'ObjectCreationIdResponse' })
export const StatusResponse = z
  .object({ success: z.boolean(), message: z.string().nullable(), data: z.unknown() })
  .meta({ id: 'StatusResponse' })

const createConnector = route({
  method: 'POST',
  path: '/manage/admin/connector',
  audit: { action: 'connector.create', object: (_, made) => made.id },
  access: 'connectors',
  tag: 'Connectors',
  summary: 'Create connector',
  description:
    'The connector is complete, and listed, once a credential is associated with it. A base address in its config that this service does not call is 422, which says the way out.',
  body: ConnectorRequest,
  reply: Created,
  errors: ['CONNECTOR_NAME_TAKEN'],
  handle: async ({ body, services, signal }) => {
    await checkConfig(services, body, { id: null, signal })
    return { id: await insertConnector(services.db, body, services.now()), credential: null }
  },
})

const PairPath = z.object({ connector_id: pathInteger(), credential_id: pathInteger() })
type AssociationCall = Call<z.infer<typeof PairPath>, unknown, z.infer<typeof AssociationRequest>>

const association = {
  method: 'PUT',
  access: 'connectors',
  tag: 'Connectors',
  summary: 'Associate credential with connector',
  description:
    'Answers the id of the connector-credential pair as `data`. Without a body the pair takes name and access from its connector.',
  params: PairPath,
  body: AssociationRequest,
  reply: StatusResponse,
  errors: ['CONNECTOR_NOT_FOUND', 'CREDENTIAL_NOT_FOUND', 'CC_PAIR_DELETING'],
  audit: {
    action: 'cc_pair.create',
    object: (_: AssociationCall, { data }: z.infer<typeof StatusResponse>) => Number(data),
  },
  handle: associate,
} as const

/** A connector that was made private stays so unless this call says otherwise. */
async function associate({ params, body, subject, services }: AssociationCall) {
  const connector = await getConnector(services.db, params.connector_id)
  const credential = await getCredential(services, subject, params.credential_id)
  const { id, isNew } = await insertCcPair(
    services.db,
    {
      connector_id: connector.id,
      credential_id: credential.id,
      name: body?.name ?? connector.name,
      access_type: body?.access_type ?? knownAccess(connector.access_type),
      groups: body?.groups?.map(String) ?? [],
      status: 'ACTIVE',
      creator: subject.user_id,
    },
    services.now(),
  )
  const message = isNew
    ? `Creating new association between Connector ${connector.id} and Credential ${credential.id}`
    : `Connector ${connector.id} already has Credential ${credential.id}`
  return { success: isNew, message, data: id }
}

const knownAccess = (stored: string): AccessType => ACCESS_TYPES.find((it) => it === stored) ?? 'private'

const listing = route({
  method: 'POST',
  path: '/manage/admin/connector/indexing-status',
  access: 'connectors',
  tag: 'Connectors',
  summary: 'List connectors with what their documents have come to',
  body: ListingRequest,
  reply: z.array(SourceListing),
  handle: ({ body, services }) => listPairs(services, body),
})

export const connectorRoutes = [
  createConnector,
  route({ ...association, path: '/manage/admin/connector/{connector_id}/credential/{credential_id}' }),
  route({ ...association, path: '/manage/connector/{connector_id}/credential/{credential_id}' }),
  listing,
]
