// Permission sync of a cc-pair: its last time, and on demand. Each connector run syncs permissions as well.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import { getDocumentScope } from '../../../identity/access.ts'
import { listDocumentSyncStates } from '../../../store/documents/lists.ts'
import { getManagedPair } from '../../../store/sources/managed-pairs.ts'
import { findSchedule, requestAccessSync } from '../../../store/sources/schedules.ts'
import { nullish, WITHOUT_NUL, wireInteger, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { type RouteCall, type RouteServices, route } from '../../route.ts'
import { permissionSyncFields } from '../../views/pull-state.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'
import { StatusResponse } from './connectors.ts'

const CcPairPath = z.object({ cc_pair_id: wirePathInteger() })
const ccPairDefaults = { access: ['connectors', 'curate'], tag: 'Connectors', params: CcPairPath } as const
const MAX_LISTED = 10_000

async function getLastSync({
  params,
  subject,
  services,
}: RouteCall<z.infer<typeof CcPairPath>, unknown, unknown, 'db'>) {
  await getManagedPair(services.db, subject, params.cc_pair_id)
  return isoOrNull((await findSchedule(services.db, params.cc_pair_id))?.access_synced ?? null)
}

const isSyncConfigured = (schedule: Awaited<ReturnType<typeof findSchedule>>) =>
  schedule?.access_type === 'sync' && schedule.access_freq !== null

async function requestSync(
  { db, connectorRunner, now }: RouteServices<'db' | 'connectorRunner' | 'now'>,
  subject: Subject,
  id: number,
): Promise<void> {
  await getManagedPair(db, subject, id)
  const schedule = await findSchedule(db, id)
  if (!isSyncConfigured(schedule)) {
    throw new AppError('NOT_RUNNABLE', {
      reason:
        'the permissions of this pair are not synced. Permission sync requires access_type "sync", a connector that supports it, and a finished first run',
    })
  }
  if (permissionSyncFields(schedule).permission_syncing) throw new AppError('ACCESS_SYNC_UNDERWAY')
  await requestAccessSync(db, subject, id, now())
  connectorRunner.wake()
}

const syncRoutes = (path: string, target: string, names: { get: string; sync: string }) => [
  route({
    ...ccPairDefaults,
    name: names.get,
    method: 'GET',
    path,
    summary: `Get last sync of ${target}`,
    reply: z.iso.datetime().nullable().describe('Null if never synced. Permissions and groups are synced together.'),
    errors: ['CC_PAIR_NOT_FOUND'],
    services: ['db'],
    handle: getLastSync,
  }),
  route({
    ...ccPairDefaults,
    name: names.sync,
    method: 'POST',
    path,
    summary: `Sync ${target}`,
    description: 'Starts a background sync of permissions and groups, which are synced together.',
    audit: { action: 'cc_pair.sync_access', object: 'cc_pair_id' },
    reply: StatusResponse,
    errors: ['CC_PAIR_NOT_FOUND', 'NOT_RUNNABLE', 'ACCESS_SYNC_UNDERWAY'],
    services: ['db', 'connectorRunner', 'now'],
    handle: async ({ params, subject, services }) => {
      await requestSync(services, subject, params.cc_pair_id)
      return { success: true, message: `Successfully created the ${target} sync task.`, data: null }
    },
  }),
]

const DocumentSyncStatus = z
  .object({
    doc_id: z.string(),
    last_synced: z.iso
      .datetime()
      .nullable()
      .describe('When the index last reflected this document; null while a change is pending.'),
    last_modified: z.iso.datetime().describe('When the text or the access list of the document last changed.'),
  })
  .meta({ id: 'DocumentSyncStatus' })

export const accessSyncRoutes = [
  ...syncRoutes('/manage/admin/cc-pair/{cc_pair_id}/sync-permissions', 'permissions', {
    get: 'getLastPermissionSync',
    sync: 'syncPermissions',
  }),
  ...syncRoutes('/manage/admin/cc-pair/{cc_pair_id}/sync-groups', 'groups', {
    get: 'getLastGroupSync',
    sync: 'syncGroups',
  }),
  route({
    ...ccPairDefaults,
    name: 'listDocumentSyncStatuses',
    method: 'GET',
    path: '/manage/admin/cc-pair/{cc_pair_id}/get-docs-sync-status',
    summary: 'List document sync statuses',
    description: 'Ordered by document id.',
    query: z.object({
      after: nullish(wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL })).describe(
        'The last `doc_id` of the previous page.',
      ),
      limit: nullish(wireInteger({ min: 1, max: MAX_LISTED })).describe(`Default: ${MAX_LISTED}.`),
    }),
    reply: z.array(DocumentSyncStatus),
    errors: ['CC_PAIR_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, query, subject, services: { db } }) => {
      await getManagedPair(db, subject, params.cc_pair_id)
      const page = { after: query.after, limit: query.limit ?? MAX_LISTED }
      const states = await listDocumentSyncStates(db, await getDocumentScope(db, subject), params.cc_pair_id, page)
      return states.map((it) => ({
        doc_id: it.id,
        last_synced: isoOrNull(it.indexed_at),
        last_modified: iso(it.changed_at ?? it.accepted_at),
      }))
    },
  }),
]
