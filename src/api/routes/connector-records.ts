// Connectors as they were written down: lists, changes, and what their pairs have come to.
import { z } from 'zod'
import { ACCESS_TYPES, ConnectorRequest, wireGroups } from '../../domain/connector.ts'
import type { Page } from '../../domain/page.ts'
import { nullish, pathInteger, wireInteger } from '../../domain/wire.ts'
import { listCcPairs, listReadablePairs } from '../../store/cc-pairs.ts'
import {
  deleteConnector,
  getListedConnector,
  type ListedConnector,
  listConnectors,
  listSources,
  updateConnector,
} from '../../store/connectors.ts'
import { credentialsOfPairs } from '../../store/credentials.ts'
import { restartPairs } from '../../store/index-attempts.ts'
import { listSchedules } from '../../store/pulling.ts'
import { checkConfig } from '../check-address.ts'
import { checkFields } from '../check-fields.ts'
import { ConnectorSnapshot, connectorSnapshot } from '../connector-snapshot.ts'
import { CredentialSnapshot, credentialSnapshot } from '../credential-snapshot.ts'
import { PageQuery, pageFields, pageOf } from '../page.ts'
import { PullState, pullState } from '../pull-state.ts'
import { route } from '../route.ts'
import type { Services } from '../services.ts'
import { StatusResponse } from './connectors.ts'

/** What the wire has a connector pruned at when nobody says how often: a week, in seconds. */
const DEFAULT_PRUNE_FREQ = 604_800
const NO_LIMIT = pageOf({ limit: null, after: null })

const ConnectorPath = z.object({ connector_id: pathInteger() })
const connectors = { access: 'connectors', tag: 'Connectors' } as const

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

const BasicCcPairInfo = z
  .object({ has_successful_run: z.boolean(), source: z.string(), status: z.string() })
  .meta({ id: 'BasicCCPairInfo' })

async function listStatuses(
  { db, secrets, indexer, now }: Services,
  { after, limit }: Page,
): Promise<z.infer<typeof ConnectorStatus>[]> {
  const all = await listCcPairs(db, indexer.progress().indexed_seq)
  const pairs = all.filter((it) => it.cc_pair_id > after).slice(0, limit)
  const connectors = await listConnectors(db, { credential: null, page: NO_LIMIT })
  const byId = new Map<number, ListedConnector>(connectors.map((it) => [it.id, it]))
  const credentials = await credentialsOfPairs(
    { db, secrets },
    pairs.map((it) => it.credential_id),
  )
  const schedules = new Map((await listSchedules(db)).map((it) => [it.cc_pair_id, it]))
  return pairs.flatMap((pair) => {
    const connector = byId.get(pair.connector_id)
    const credential = credentials.get(pair.credential_id)
    if (connector === undefined || credential === undefined) return []
    return [
      {
        cc_pair_id: pair.cc_pair_id,
        name: pair.name,
        connector: connectorSnapshot(connector),
        credential: credentialSnapshot(credential),
        access_type: ACCESS_TYPES.find((it) => it === pair.access_type) ?? 'private',
        groups: wireGroups(JSON.parse(pair.groups)),
        pull: pullState(schedules.get(pair.cc_pair_id), pair, now()),
      },
    ]
  })
}

export const connectorRecordRoutes = [
  route({
    ...connectors,
    method: 'GET',
    path: '/manage/connector',
    summary: 'List connectors',
    description: 'All but the one that takes pushed documents.',
    query: PageQuery,
    reply: z.array(ConnectorSnapshot),
    handle: async ({ query, services }) =>
      (await listConnectors(services.db, { credential: null, page: query })).map(connectorSnapshot),
  }),
  route({
    ...connectors,
    method: 'GET',
    path: '/manage/admin/connector',
    summary: 'List connectors of a credential',
    description: 'Of every credential, if none is named.',
    query: z.object({ ...pageFields, credential: nullish(wireInteger()) }),
    reply: z.array(ConnectorSnapshot),
    handle: async ({ query, services }) =>
      (await listConnectors(services.db, { credential: query.credential, page: pageOf(query) })).map(connectorSnapshot),
  }),
  route({
    ...connectors,
    method: 'GET',
    path: '/manage/connector/{connector_id}',
    summary: 'Get connector',
    params: ConnectorPath,
    reply: ConnectorSnapshot,
    errors: ['CONNECTOR_NOT_FOUND'],
    handle: async ({ params, services }) =>
      connectorSnapshot(await getListedConnector(services.db, params.connector_id)),
  }),
  route({
    ...connectors,
    method: 'PATCH',
    path: '/manage/admin/connector/{connector_id}',
    audit: { action: 'connector.update', object: 'connector_id' },
    summary: 'Update connector',
    description: 'Takes the whole connector. Without `prune_freq` it is a week.',
    params: ConnectorPath,
    body: ConnectorRequest,
    reply: ConnectorSnapshot,
    errors: ['CONNECTOR_NOT_FOUND', 'CONNECTOR_NAME_TAKEN', 'CONNECTOR_BUILT_IN'],
    handle: async ({ params, body, services, signal }) => {
      checkFields(services, body)
      await checkConfig(services, body, { id: params.connector_id, signal })
      const connector = { ...body, prune_freq: body.prune_freq ?? DEFAULT_PRUNE_FREQ }
      const before = await getListedConnector(services.db, params.connector_id)
      const after = await updateConnector(services.db, params.connector_id, connector, services.now())
      if (after.connector_specific_config !== before.connector_specific_config) {
        await restartPairs(services.db, { connector_id: after.id }, services.now())
      }
      services.puller.wake()
      return connectorSnapshot(after)
    },
  }),
  route({
    ...connectors,
    method: 'DELETE',
    path: '/manage/admin/connector/{connector_id}',
    audit: { action: 'connector.delete', object: 'connector_id' },
    summary: 'Delete connector',
    description: 'One that has no connector-credential pair any more.',
    params: ConnectorPath,
    reply: StatusResponse,
    errors: ['CONNECTOR_NOT_FOUND', 'CONNECTOR_NOT_DELETABLE', 'CONNECTOR_BUILT_IN'],
    handle: async ({ params, services }) => {
      await deleteConnector(services.db, params.connector_id)
      return { success: true, message: 'Connector deleted successfully', data: params.connector_id }
    },
  }),
  route({
    method: 'GET',
    path: '/manage/indexed-sources',
    access: 'search',
    tag: 'Connectors',
    summary: 'List sources that have a connector',
    reply: z.object({ sources: z.array(z.string()) }).meta({ id: 'IndexedSourcesResponse' }),
    handle: async ({ services }) => ({ sources: await listSources(services.db) }),
  }),
  route({
    ...connectors,
    method: 'GET',
    path: '/manage/admin/connector/status',
    summary: 'List pairs with their connector and credential',
    query: PageQuery,
    reply: z.array(ConnectorStatus),
    handle: ({ query, services }) => listStatuses(services, query),
  }),
  route({
    method: 'GET',
    path: '/manage/connector-status',
    access: 'search',
    tag: 'Connectors',
    summary: 'List pairs that the key may search, and whether there is something in them',
    reply: z.array(BasicCcPairInfo),
    handle: async ({ subject, services: { db, indexer } }) => {
      const pairs = await listCcPairs(db, indexer.progress().indexed_seq)
      const readable = subject.rights.has('connectors') ? null : await listReadablePairs(db, subject.groups)
      return pairs
        .filter((it) => it.source !== 'ingestion_api' && (readable?.includes(it.cc_pair_id) ?? true))
        .map(({ indexed, source, status }) => ({ has_successful_run: indexed > 0, source, status }))
    },
  }),
]
