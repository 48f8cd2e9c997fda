import { z } from 'zod'
import type { Connector } from '../../../connectors/connector.ts'
import { ACCESS_TYPES, type AccessType, AssociationRequest, ConnectorRequest } from '../../../domain/connector.ts'
import { AppError } from '../../../domain/errors.ts'
import { ListingRequest, listPairStatuses, SourceListing } from '../../../ingestion/pull/pair-listing.ts'
import { checkCredentialSource, findCcPair, insertCcPair } from '../../../store/sources/cc-pairs.ts'
import { insertConnector, type StoredConnector } from '../../../store/sources/connectors.ts'
import { addAllowedOrigins } from '../../../store/sources/credential-origins.ts'
import { getCredential, type StoredCredential } from '../../../store/sources/credentials.ts'
import { getManagedConnector } from '../../../store/sources/managed-pairs.ts'
import { wirePathInteger } from '../../../wire/schemas.ts'
import { checkConfigUploads } from '../../checks/config-uploads.ts'
import { checkConnectorConfig } from '../../checks/connector-config.ts'
import { checkCredentialOrigins } from '../../checks/credential-origins.ts'
import { checkConfigAddresses } from '../../checks/egress-address.ts'
import { type RouteCall, type RouteServices, route } from '../../route.ts'

const ObjectCreationIdResponse = z
  .object({
    id: z.int(),
    credential: z.null(),
    warnings: z
      .array(z.string())
      .optional()
      .describe('Same as the header `Pharos-Warnings`; absent if there are none.'),
  })
  .meta({ id: 'ObjectCreationIdResponse' })
export const StatusResponse = z
  .object({ success: z.boolean(), message: z.string().nullable(), data: z.unknown() })
  .meta({ id: 'StatusResponse' })

const createConnectorRoute = route({
  name: 'createConnector',
  method: 'POST',
  path: '/manage/admin/connector',
  audit: { action: 'connector.create', object: (_, created) => created.id },
  access: ['connectors', 'curate'],
  tag: 'Connectors',
  summary: 'Create connector',
  description:
    'The connector is listed once a credential is associated with it. GET /manage/admin/connector/sources lists the supported sources with their config schemas. A config that does not match the schema, or a base URL that this service may not call, is rejected with 422. Connectors of any other source accept pushed documents only, which `warnings` reports.',
  body: ConnectorRequest,
  reply: ObjectCreationIdResponse,
  errors: ['CONNECTOR_NAME_TAKEN'],
  services: ['db', 'egress', 'connectorRunner', 'now', 'sourceFacts'],
  handle: async ({ body, subject, services, signal, warn }) => {
    checkConnectorConfig(services, body, warn)
    await checkConfigUploads(services, subject, body, null)
    await checkConfigAddresses(services, body, { id: null, signal })
    const id = await insertConnector(services.db, subject, body, services.now())
    const warning = pushOnlyWarning(services, body.source)
    if (warning === null) return { id, credential: null }
    warn(warning)
    return { id, credential: null, warnings: [warning] }
  },
})

/** Returns a warning for sources that no connector reads, except the built-in source for pushed documents. */
const pushOnlyWarning = ({ connectorRunner }: RouteServices<'connectorRunner'>, source: string): string | null =>
  source === 'ingestion_api' || connectorRunner.connectorOf(source) !== undefined
    ? null
    : `No connector reads "${source}". This connector only accepts documents that are pushed with its cc_pair_id.`

const AssociationPath = z.object({ connector_id: wirePathInteger(), credential_id: wirePathInteger() })
type AssociationCall = RouteCall<
  z.infer<typeof AssociationPath>,
  unknown,
  z.infer<typeof AssociationRequest>,
  'db' | 'secrets' | 'connectorRunner' | 'now' | 'sourceFacts'
>

const associationDefinition = {
  method: 'PUT',
  access: ['connectors', 'curate'],
  tag: 'Connectors',
  summary: 'Associate credential with connector',
  description:
    'Returns the id of the connector-credential pair as `data`. Without a body, the pair inherits name and access from its connector. If a connector reads the source, config and credential are checked against the source first; if the source rejects them, the response is 400 with the field and the reason. The first run starts immediately. The credential may be sent to the addresses of the connector from then on; if it may not yet, only its owner and administrators can associate it. A curator names `access_type` private and groups that they curate.',
  params: AssociationPath,
  body: AssociationRequest,
  reply: StatusResponse,
  errors: [
    'CONNECTOR_NOT_FOUND',
    'CREDENTIAL_NOT_FOUND',
    'CREDENTIAL_ORIGIN_REFUSED',
    'CC_PAIR_DELETING',
    'INVALID_INPUT',
    'NOT_CURATED',
  ],
  audit: {
    action: 'cc_pair.create',
    object: (_: AssociationCall, { data }: z.infer<typeof StatusResponse>) => Number(data),
  },
  services: ['db', 'secrets', 'connectorRunner', 'now', 'sourceFacts'],
  handle: associateCredential,
} as const

/** The pair inherits the access type of its connector, so a private connector stays private unless the call says otherwise. */
async function associateCredential({ params, body, subject, services, signal, warn }: AssociationCall) {
  const connector = await getManagedConnector(services.db, subject, params.connector_id)
  const credential = await getCredential(services, subject, params.credential_id)
  checkCredentialSource(services.sourceFacts, connector, credential)
  const access_type = body?.access_type ?? parseAccessType(connector.access_type)
  const connectorDefinition = services.connectorRunner.connectorOf(connector.source)
  const existingPair = await findCcPair(services.db, connector.id, credential.id)
  const target = { ...connector, connector_specific_config: JSON.parse(connector.connector_specific_config) }
  const isExistingPair = existingPair !== undefined
  const { all, added } = isExistingPair ? NO_ORIGINS : checkCredentialOrigins(services, subject, credential, target)
  const warning =
    connectorDefinition === undefined || isExistingPair
      ? null
      : await checkSource(
          services,
          { connector: connectorDefinition, target, credential, allowedOrigins: all, access_type },
          signal,
        )
  await addAllowedOrigins(services.db, credential.id, added)
  const { id, isNew } = await insertCcPair(
    services.db,
    subject,
    {
      connector_id: connector.id,
      credential_id: credential.id,
      name: body?.name ?? connector.name,
      access_type,
      groups: body?.groups?.map(String) ?? [],
      status: connectorDefinition === undefined ? 'ACTIVE' : 'SCHEDULED',
      isPulled: connectorDefinition !== undefined,
    },
    services.now(),
  )
  if (isNew && connectorDefinition !== undefined) services.connectorRunner.wake()
  const createdMessage = `Creating new association between Connector ${connector.id} and Credential ${credential.id}`
  const unreadWarning = pushOnlyWarning(services, connector.source)
  if (unreadWarning !== null) warn(unreadWarning)
  const notes = [
    warning === null ? '' : `. The source could not be checked yet: ${warning}`,
    unreadWarning === null ? '' : `. ${unreadWarning}`,
  ]
  const message = isNew
    ? `${createdMessage}${notes.join('')}`
    : `Connector ${connector.id} already has Credential ${credential.id}`
  return { success: isNew, message, data: id }
}

const NO_ORIGINS: ReturnType<typeof checkCredentialOrigins> = { all: [], added: [] }

interface SourceCheck {
  connector: Connector
  target: Pick<StoredConnector, 'id' | 'source'> & { connector_specific_config: unknown }
  credential: StoredCredential
  allowedOrigins: readonly string[]
  access_type: AccessType
}

async function checkSource(
  { connectorRunner }: RouteServices<'connectorRunner'>,
  { connector, target, credential, allowedOrigins: allowed_origins, access_type }: SourceCheck,
  signal: AbortSignal,
): Promise<string | null> {
  if (access_type === 'sync' && !connector.hasAccess) {
    const reason = `${connector.label} does not support access type sync. Choose public or private.`
    throw new AppError('INVALID_INPUT', { reason })
  }
  const { id: connectorId, source, connector_specific_config } = target
  const { credential_json } = credential
  const from = { connector, source, connectorId, connector_specific_config, credential_json, allowed_origins }
  return connectorRunner.check(from, signal)
}

const parseAccessType = (stored: string): AccessType => ACCESS_TYPES.find((it) => it === stored) ?? 'private'

const listIndexingStatusesRoute = route({
  name: 'listIndexingStatuses',
  method: 'POST',
  path: '/manage/admin/connector/indexing-status',
  access: ['connectors', 'curate'],
  tag: 'Connectors',
  summary: 'List indexing statuses',
  body: ListingRequest,
  reply: z.array(SourceListing),
  services: ['db', 'indexer', 'now'],
  handle: ({ body, subject, services }) => listPairStatuses(services, subject, body),
})

export const connectorRoutes = [
  createConnectorRoute,
  route({
    ...associationDefinition,
    name: 'createCcPair',
    path: '/manage/admin/connector/{connector_id}/credential/{credential_id}',
  }),
  route({
    ...associationDefinition,
    name: 'createCcPairAlias',
    path: '/manage/connector/{connector_id}/credential/{credential_id}',
  }),
  listIndexingStatusesRoute,
]
