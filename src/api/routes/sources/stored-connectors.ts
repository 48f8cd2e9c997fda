// Lists, updates and deletes connectors, and reports the status of their cc-pairs.
import { z } from 'zod'
import { ACCESS_TYPES, ConnectorRequest, groupIdsToWire } from '../../../domain/connector.ts'
import type { Subject } from '../../../domain/subject.ts'
import type { KeysetPage } from '../../../domain/values/keyset-page.ts'
import { listCcPairs } from '../../../store/sources/cc-pairs.ts'
import {
  type ConnectorListing,
  deleteConnector,
  getConnectorListing,
  listConnectors,
  listSources,
  updateConnector,
} from '../../../store/sources/connectors.ts'
import { mapCredentialsOfPairs } from '../../../store/sources/credentials.ts'
import { restartPairs } from '../../../store/sources/index-attempts.ts'
import { listManagedPairs } from '../../../store/sources/managed-pairs.ts'
import { listSchedules } from '../../../store/sources/schedules.ts'
import { nullish, wireInteger, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { checkConfigUploads } from '../../checks/config-uploads.ts'
import { checkConnectorConfig } from '../../checks/connector-config.ts'
import { bindNewOrigins } from '../../checks/credential-origins.ts'
import { checkConfigAddresses } from '../../checks/egress-address.ts'
import { type RouteServices, route } from '../../route.ts'
import { ConnectorSnapshot, connectorSnapshot } from '../../views/connector-snapshot.ts'
import { CredentialSnapshot, credentialSnapshot } from '../../views/credential-snapshot.ts'
import { PullState, pullState } from '../../views/pull-state.ts'
import { PageQuery, pageFields, toPage } from '../../wire/page.ts'
import { StatusResponse } from './connectors.ts'

/** Default pruning interval of an updated connector: one week, in seconds. */
const DEFAULT_PRUNE_FREQ = 604_800
const UNLIMITED_PAGE = toPage({ limit: null, after: null })

const ConnectorPath = z.object({ connector_id: wirePathInteger() })
const connectorDefaults = { access: ['connectors', 'curate'], tag: 'Connectors' } as const

const ConnectorStatus = z
  .object({
    cc_pair_id: z.int(),
    name: z.string(),
    connector: ConnectorSnapshot,
    credential: CredentialSnapshot,
    access_type: z.string(),
    groups: z.array(z.union([z.int(), z.string()])),
    pull: PullState,
  })
  .meta({ id: 'ConnectorStatus' })

const ConnectorUpdate = ConnectorRequest.extend({
  expected_version: nullish(wireString({ max: 100 })).describe('The `version` of the connector that this changes.'),
}).meta({ id: 'ConnectorUpdate' })

async function listConnectorStatuses(
  { db, secrets, indexer, now }: RouteServices<'db' | 'secrets' | 'indexer' | 'now'>,
  subject: Subject,
  { after, limit }: KeysetPage,
): Promise<z.infer<typeof ConnectorStatus>[]> {
  const allPairs = await listCcPairs(db, indexer.progress().indexed_seq, await listManagedPairs(db, subject))
  const pairs = allPairs.filter((it) => it.cc_pair_id > after).slice(0, limit)
  const connectors = await listConnectors(db, subject, { credential: null, page: UNLIMITED_PAGE })
  const connectorsById = new Map<number, ConnectorListing>(connectors.map((it) => [it.id, it]))
  const credentials = await mapCredentialsOfPairs(
    { db, secrets },
    subject,
    pairs.map((it) => it.credential_id),
  )
  const schedules = new Map((await listSchedules(db)).map((it) => [it.cc_pair_id, it]))
  return pairs.flatMap((pair) => {
    const connector = connectorsById.get(pair.connector_id)
    const credential = credentials.get(pair.credential_id)
    if (connector === undefined || credential === undefined) return []
    return [
      {
        cc_pair_id: pair.cc_pair_id,
        name: pair.name,
        connector: connectorSnapshot(connector),
        credential: credentialSnapshot(credential),
        access_type: ACCESS_TYPES.find((it) => it === pair.access_type) ?? 'private',
        groups: groupIdsToWire(JSON.parse(pair.groups)),
        pull: pullState(schedules.get(pair.cc_pair_id), pair, now()),
      },
    ]
  })
}

export const storedConnectorRoutes = [
  route({
    ...connectorDefaults,
    name: 'listConnectors',
    method: 'GET',
    path: '/manage/connector',
    summary: 'List connectors',
    description: 'Excludes the built-in connector for pushed documents.',
    query: PageQuery,
    reply: z.array(ConnectorSnapshot),
    services: ['db'],
    handle: async ({ query, subject, services }) =>
      (await listConnectors(services.db, subject, { credential: null, page: query })).map(connectorSnapshot),
  }),
  route({
    ...connectorDefaults,
    name: 'listConnectorsByCredential',
    method: 'GET',
    path: '/manage/admin/connector',
    summary: 'List connectors by credential',
    description: 'Without `credential`, returns the connectors of all credentials.',
    query: z.object({ ...pageFields, credential: nullish(wireInteger()) }),
    reply: z.array(ConnectorSnapshot),
    services: ['db'],
    handle: async ({ query, subject, services }) =>
      (await listConnectors(services.db, subject, { credential: query.credential, page: toPage(query) })).map(
        connectorSnapshot,
      ),
  }),
  route({
    ...connectorDefaults,
    name: 'getConnector',
    method: 'GET',
    path: '/manage/connector/{connector_id}',
    summary: 'Get connector',
    params: ConnectorPath,
    reply: ConnectorSnapshot,
    errors: ['CONNECTOR_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services }) =>
      connectorSnapshot(await getConnectorListing(services.db, subject, params.connector_id)),
  }),
  route({
    ...connectorDefaults,
    name: 'updateConnector',
    method: 'PATCH',
    path: '/manage/admin/connector/{connector_id}',
    audit: { action: 'connector.update', object: 'connector_id' },
    summary: 'Update connector',
    description:
      'Replaces the whole connector. Default of `prune_freq`: one week. Changing the address requires a key that may change every credential of the connector. With `expected_version`, the update fails with 409 if the connector has changed since it had that version.',
    params: ConnectorPath,
    body: ConnectorUpdate,
    reply: ConnectorSnapshot,
    errors: [
      ...(['CONNECTOR_NOT_FOUND', 'CREDENTIAL_ORIGIN_REFUSED', 'CONNECTOR_NAME_TAKEN'] as const),
      ...(['CONNECTOR_BUILT_IN', 'CONNECTOR_CHANGED', 'NOT_CURATED'] as const),
    ],
    services: ['db', 'egress', 'connectorRunner', 'now', 'sourceFacts'],
    handle: async ({ params, body: { expected_version, ...body }, subject, services, signal, warn }) => {
      checkConnectorConfig(services, body, warn)
      await checkConfigAddresses(services, body, { id: params.connector_id, signal })
      const connector = { ...body, prune_freq: body.prune_freq ?? DEFAULT_PRUNE_FREQ }
      const before = await getConnectorListing(services.db, subject, params.connector_id)
      const previous = { ...before, connector_specific_config: JSON.parse(before.connector_specific_config) }
      await checkConfigUploads(services, subject, body, previous)
      await bindNewOrigins(services, subject, before.credential_ids, { from: previous, to: body })
      const target = { id: params.connector_id, expectedVersion: expected_version }
      const after = await updateConnector(services.db, subject, target, connector, services.now())
      if (after.connector_specific_config !== before.connector_specific_config) {
        await restartPairs(services.db, { connector_id: after.id }, services.now())
      }
      services.connectorRunner.wake()
      return connectorSnapshot(after)
    },
  }),
  route({
    ...connectorDefaults,
    name: 'deleteConnector',
    method: 'DELETE',
    path: '/manage/admin/connector/{connector_id}',
    audit: { action: 'connector.delete', object: 'connector_id' },
    summary: 'Delete connector',
    description: 'The connector must not have any connector-credential pairs.',
    params: ConnectorPath,
    reply: StatusResponse,
    errors: ['CONNECTOR_NOT_FOUND', 'CONNECTOR_NOT_DELETABLE', 'CONNECTOR_BUILT_IN', 'NOT_CURATED'],
    services: ['db'],
    handle: async ({ params, subject, services }) => {
      await deleteConnector(services.db, subject, params.connector_id)
      return { success: true, message: 'Connector deleted successfully', data: params.connector_id }
    },
  }),
  route({
    name: 'listIndexedSources',
    method: 'GET',
    path: '/manage/indexed-sources',
    access: 'search',
    tag: 'Connectors',
    summary: 'List indexed sources',
    reply: z.object({ sources: z.array(z.string()) }).meta({ id: 'IndexedSourcesResponse' }),
    services: ['db'],
    handle: async ({ services }) => ({ sources: await listSources(services.db) }),
  }),
  route({
    ...connectorDefaults,
    name: 'listCcPairs',
    method: 'GET',
    path: '/manage/admin/connector/status',
    summary: 'List connector-credential pairs',
    query: PageQuery,
    reply: z.array(ConnectorStatus),
    services: ['db', 'secrets', 'indexer', 'now'],
    handle: ({ query, subject, services }) => listConnectorStatuses(services, subject, query),
  }),
]
