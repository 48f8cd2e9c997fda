import { z } from 'zod'
import type { Connector } from '../../connectors/connector.ts'
import { ACCESS_TYPES, type AccessType, AssociationRequest, ConnectorRequest } from '../../domain/connector.ts'
import { AppError } from '../../domain/errors.ts'
import { pathInteger } from '../../domain/wire.ts'
import { ListingRequest, listPairs, SourceListing } from '../../ingestion/listing.ts'
import { findCcPair, insertCcPair } from '../../store/cc-pairs.ts'
import { getConnector, insertConnector, type StoredConnector } from '../../store/connectors.ts'
import { getCredential, type StoredCredential } from '../../store/credentials.ts'
import { checkConfig } from '../check-address.ts'
import { checkFields } from '../check-fields.ts'
import { type Call, route } from '../route.ts'
import type { Services } from '../services.ts'

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
    'The connector is complete, and listed, once a credential is associated with it. A config that its source does not know (GET /manage/admin/connector/sources lists them) is 422, and so is a base address that this service does not call, which says the way out. A source that is not listed is one whose documents are pushed.',
  body: ConnectorRequest,
  reply: Created,
  errors: ['CONNECTOR_NAME_TAKEN'],
  handle: async ({ body, services, signal }) => {
    checkFields(services, body)
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
    'Answers the id of the connector-credential pair as `data`. Without a body the pair takes name and access from its connector. Where the source is one that is pulled it is asked first, and what it does not accept is 400 with the field and its answer; then the first run begins at once.',
  params: PairPath,
  body: AssociationRequest,
  reply: StatusResponse,
  errors: ['CONNECTOR_NOT_FOUND', 'CREDENTIAL_NOT_FOUND', 'CC_PAIR_DELETING', 'INVALID_INPUT'],
  audit: {
    action: 'cc_pair.create',
    object: (_: AssociationCall, { data }: z.infer<typeof StatusResponse>) => Number(data),
  },
  handle: associate,
} as const

/** A connector that was made private stays so unless this call says otherwise. */
async function associate({ params, body, subject, services, signal }: AssociationCall) {
  const connector = await getConnector(services.db, params.connector_id)
  const credential = await getCredential(services, subject, params.credential_id)
  const access_type = body?.access_type ?? knownAccess(connector.access_type)
  const puller = services.puller.connectorOf(connector.source)
  const stored = await findCcPair(services.db, connector.id, credential.id)
  const warning =
    puller === undefined || stored !== undefined
      ? null
      : await checkPulling(services, { connector: puller, stored: connector, credential, access_type }, signal)
  const { id, isNew } = await insertCcPair(
    services.db,
    {
      connector_id: connector.id,
      credential_id: credential.id,
      name: body?.name ?? connector.name,
      access_type,
      groups: body?.groups?.map(String) ?? [],
      status: puller === undefined ? 'ACTIVE' : 'SCHEDULED',
      creator: subject.user_id,
      isPulled: puller !== undefined,
    },
    services.now(),
  )
  if (isNew && puller !== undefined) services.puller.wake()
  const created = `Creating new association between Connector ${connector.id} and Credential ${credential.id}`
  const message = isNew
    ? `${created}${warning === null ? '' : `. Its source could not be asked yet: ${warning}`}`
    : `Connector ${connector.id} already has Credential ${credential.id}`
  return { success: isNew, message, data: id }
}

async function checkPulling(
  { puller }: Services,
  {
    connector,
    stored,
    credential,
    access_type,
  }: { connector: Connector; stored: StoredConnector; credential: StoredCredential; access_type: AccessType },
  signal: AbortSignal,
): Promise<string | null> {
  if (access_type === 'sync' && !connector.hasAccess) {
    const reason = `${connector.label} does not say who may read what, so it does not support the access type sync. Take public or private.`
    throw new AppError('INVALID_INPUT', { reason })
  }
  const { id: connectorId, source } = stored
  const connector_specific_config = JSON.parse(stored.connector_specific_config)
  const { credential_json } = credential
  return puller.check({ connector, source, connectorId, connector_specific_config, credential_json }, signal)
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
