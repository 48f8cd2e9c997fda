// Runs on demand, and pruning.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { getDocumentScope } from '../../../identity/access.ts'
import { listPairsOfConnector } from '../../../store/sources/cc-pairs.ts'
import { getManagedPair } from '../../../store/sources/managed-pairs.ts'
import { decidePrune, listPruneCandidates, requestPrune } from '../../../store/sources/prune-candidates.ts'
import { cancelRun, findAttemptErrors, requestRuns } from '../../../store/sources/request-runs.ts'
import { findSchedule } from '../../../store/sources/schedules.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireInteger,
  wirePathInteger,
  wireString,
} from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { isoOrNull } from '../../wire/iso.ts'
import { StatusResponse } from './connectors.ts'

const connectorDefaults = { access: ['connectors', 'curate'], tag: 'Connectors' } as const
const nullableDateTime = z.iso.datetime().nullable()

const notPulledError = (source: string) =>
  new AppError('NOT_RUNNABLE', { reason: `no connector reads "${source}"; its documents are pushed` })

const runConnectorRoute = route({
  ...connectorDefaults,
  name: 'runConnector',
  method: 'POST',
  path: '/manage/admin/connector/run-once',
  audit: { action: 'connector.run', object: ({ body }) => body.connector_id },
  summary: 'Run connector',
  description:
    'Runs all pairs of the connector, or those of the given credentials. Pairs with a queued or running attempt are skipped. `from_beginning` ignores checkpoints and reads everything again. Returns the number of started runs as `data`.',
  body: z
    .object({
      connector_id: wireInteger(),
      credential_ids: nullish(wireArray(wireInteger(), { max: 1_000 })),
      from_beginning: nullish(wireBoolean()),
    })
    .meta({ id: 'RunConnectorRequest' }),
  reply: StatusResponse,
  errors: ['CONNECTOR_NOT_FOUND', 'NOT_RUNNABLE'],
  services: ['db', 'connectorRunner', 'now'],
  handle: async ({ body, subject, services: { db, connectorRunner, now } }) => {
    const { source, pairs } = await listPairsOfConnector(db, subject, body.connector_id)
    if (connectorRunner.connectorOf(source) === undefined) throw notPulledError(source)
    const credentialIds = body.credential_ids?.length ? body.credential_ids : pairs.map((it) => it.credential_id)
    if (credentialIds.some((id) => !pairs.some((it) => it.credential_id === id))) {
      throw new AppError('NOT_RUNNABLE', {
        reason: 'not all specified credentials are associated with the connector',
      })
    }
    if (pairs.length === 0) throw new AppError('NOT_RUNNABLE', { reason: 'the connector has no credential' })
    const ids = pairs.filter((it) => credentialIds.includes(it.credential_id)).map((it) => it.id)
    const fromBeginning = body.from_beginning === true
    const attempts = await requestRuns(db, subject, ids, { fromBeginning, targets: null }, now())
    connectorRunner.wake()
    const message = `Marked ${attempts.length} index attempts with indexing triggers.`
    return { success: true, message, data: attempts.length }
  },
})

const CcPairPath = z.object({ cc_pair_id: wirePathInteger() })
const ccPairDefaults = { ...connectorDefaults, params: CcPairPath } as const

const cancelCcPairRunRoute = route({
  ...ccPairDefaults,
  name: 'cancelCcPairRun',
  method: 'POST',
  path: '/manage/admin/cc-pair/{cc_pair_id}/cancel',
  audit: { action: 'cc_pair.cancel', object: 'cc_pair_id' },
  summary: 'Cancel run',
  description: 'Cancels the queued or running attempt. The next run resumes from its checkpoint.',
  reply: StatusResponse,
  errors: ['CC_PAIR_NOT_FOUND'],
  services: ['db', 'connectorRunner', 'now'],
  handle: async ({ params: { cc_pair_id }, subject, services: { db, connectorRunner, now } }) => {
    const count = await cancelRun(db, subject, cc_pair_id, now())
    connectorRunner.cancel(cc_pair_id)
    return { success: count > 0, message: count > 0 ? 'The run was canceled.' : 'Nothing runs or waits.', data: count }
  },
})

const PruneState = z
  .object({
    state: z.enum(['none', 'wanted', 'running', 'held']),
    to_delete: z.int().describe('Number of documents missing from the last listing of the source.'),
    documents: z
      .array(z.object({ document_id: z.string(), semantic_identifier: z.string(), link: z.string().nullable() }))
      .describe('The first 1,000 of these documents.'),
    started: nullableDateTime,
    last_pruned: nullableDateTime,
    removed: z.int().nullable().describe('Number of documents that the last pruning deleted.'),
    error: z.string().nullable().describe('Why the last pruning failed.'),
  })
  .meta({ id: 'PruneState' })

const MAX_SHOWN_CANDIDATES = 1_000

const getPruneStateRoute = route({
  ...ccPairDefaults,
  name: 'getPruneState',
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/prune',
  summary: 'Get prune state',
  description:
    'Pruning is held if it would delete more than 20 % and more than 10 documents of the pair, and after a dry run. POST with `confirm` to decide.',
  reply: PruneState,
  errors: ['CC_PAIR_NOT_FOUND', 'NOTHING_PULLS'],
  services: ['db'],
  handle: async ({ params: { cc_pair_id }, subject, services: { db } }) => {
    await getManagedPair(db, subject, cc_pair_id)
    const schedule = await findSchedule(db, cc_pair_id)
    if (schedule === undefined) throw new AppError('NOTHING_PULLS', { id: cc_pair_id })
    const isHeld = schedule.prune_state === 'held'
    const limit = isHeld ? MAX_SHOWN_CANDIDATES : 0
    const { candidates, total } = await listPruneCandidates(db, await getDocumentScope(db, subject), cc_pair_id, limit)
    const isRunning = schedule.prune_wanted === 1 && schedule.holder !== null
    const pendingState = isRunning ? ('running' as const) : ('wanted' as const)
    return {
      state: isHeld ? ('held' as const) : schedule.prune_wanted === 1 ? pendingState : ('none' as const),
      to_delete: total,
      documents: candidates,
      started: isoOrNull(schedule.prune_started),
      last_pruned: isoOrNull(schedule.last_pruned),
      removed: schedule.prune_removed,
      error: schedule.prune_error,
    }
  },
})

const pruneCcPairRoute = route({
  ...ccPairDefaults,
  name: 'pruneCcPair',
  method: 'POST',
  path: '/manage/admin/cc-pair/{cc_pair_id}/prune',
  audit: { action: 'cc_pair.prune', object: 'cc_pair_id' },
  summary: 'Prune connector-credential pair',
  description:
    'Without a body, lists the source and deletes the documents that no longer exist there. `dry_run: true` lists the source, deletes nothing, and holds the pruning if it would delete a document. `confirm: true` executes a held pruning, `false` discards it.',
  body: nullish(
    z.object({ confirm: nullish(wireBoolean()), dry_run: nullish(wireBoolean()) }).meta({ id: 'PruneRequest' }),
  ),
  reply: StatusResponse,
  errors: ['CC_PAIR_NOT_FOUND', 'NOTHING_PULLS', 'PRUNE_UNDERWAY', 'PRUNE_NOT_HELD', 'CC_PAIR_DELETING'],
  services: ['db', 'connectorRunner'],
  handle: async ({ params: { cc_pair_id }, body, subject, services: { db, connectorRunner } }) => {
    const confirm = body?.confirm ?? null
    if (confirm === null) await requestPrune(db, subject, cc_pair_id, { isDryRun: body?.dry_run === true })
    else await decidePrune(db, subject, cc_pair_id, confirm)
    connectorRunner.wake()
    const message = confirm === false ? 'The documents stay.' : 'Successfully created the pruning task.'
    return { success: true, message, data: cc_pair_id }
  },
})

const reindexDocumentsRoute = route({
  ...connectorDefaults,
  name: 'reindexDocuments',
  method: 'POST',
  path: '/manage/admin/indexing/targeted-reindex',
  audit: { action: 'cc_pair.reread' },
  summary: 'Reindex documents',
  description:
    'Reads individual documents again: those of the given errors of GET /manage/admin/cc-pair/{cc_pair_id}/errors, and the given targets. Returns the number of started runs as `data`. Pairs that are already running are skipped.',
  body: z
    .object({
      error_ids: nullish(wireArray(wireInteger(), { max: 1_000 })),
      targets: nullish(
        wireArray(
          z.object({
            cc_pair_id: wireInteger(),
            document_id: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }),
          }),
          {
            max: 1_000,
          },
        ),
      ),
    })
    .meta({ id: 'TargetedReindexRequest' }),
  reply: StatusResponse,
  errors: ['NOT_RUNNABLE'],
  services: ['db', 'connectorRunner', 'now'],
  handle: async ({ body, subject, services: { db, connectorRunner, now } }) => {
    const errors = await findAttemptErrors(db, subject, body.error_ids ?? [])
    const named = errors.flatMap(({ cc_pair_id, document_id, entity_id }) => {
      const id = document_id ?? entity_id
      return id === null ? [] : [{ cc_pair_id, document_id: id }]
    })
    const targets = [...named, ...(body.targets ?? [])]
    if (targets.length === 0) throw new AppError('NOT_RUNNABLE', { reason: 'no documents were specified' })
    let count = 0
    for (const [pair, pairTargets] of Map.groupBy(targets, (it) => it.cc_pair_id)) {
      const documents = [...new Set(pairTargets.map((it) => it.document_id))]
      const attempts = await requestRuns(db, subject, [pair], { fromBeginning: false, targets: documents }, now())
      count += attempts.length
    }
    connectorRunner.wake()
    return { success: count > 0, message: `${count} runs read ${targets.length} documents again.`, data: count }
  },
})

export const connectorRunRoutes = [
  runConnectorRoute,
  cancelCcPairRunRoute,
  getPruneStateRoute,
  pruneCcPairRoute,
  reindexDocumentsRoute,
]
