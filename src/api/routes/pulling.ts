// What a person may ask of connectors: what there are, what they would bring, a run now, and what is gone at the source.
import { z } from 'zod'
import { accessType } from '../../domain/connector.ts'
import { AppError } from '../../domain/errors.ts'
import {
  nullish,
  pathInteger,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireInteger,
  wireObject,
  wireString,
} from '../../domain/wire.ts'
import { getCcPair, listPairsOfConnector } from '../../store/cc-pairs.ts'
import { getCredential } from '../../store/credentials.ts'
import { cancelAttempts, findAttemptErrors, triggerAttempts } from '../../store/index-attempts.ts'
import { decidePrune, listCandidates, requestPrune } from '../../store/prune-candidates.ts'
import { findSchedule } from '../../store/pulling.ts'
import { checkConfig } from '../check-address.ts'
import { checkFields } from '../check-fields.ts'
import { isoOrNull } from '../iso.ts'
import { jsonSchemaOf } from '../json-schema.ts'
import { route } from '../route.ts'
import { StatusResponse } from './connectors.ts'

const connectors = { access: 'connectors', tag: 'Connectors' } as const
const time = z.iso.datetime().nullable()
const jsonSchema = z.record(z.string(), z.unknown())

const ConnectorSource = z
  .object({
    source: z.string(),
    aliases: z.array(z.string()),
    label: z.string(),
    description: z.string(),
    config_schema: jsonSchema.describe('JSON Schema of `connector_specific_config`.'),
    credential_schema: jsonSchema.nullable().describe('JSON Schema of `credential_json`; null: credential 0 will do.'),
    is_credential_optional: z.boolean(),
    supports_sync: z.boolean().describe('Whether it says who may read what, for the access type sync.'),
  })
  .meta({ id: 'ConnectorSource' })

const sources = route({
  ...connectors,
  method: 'GET',
  path: '/manage/admin/connector/sources',
  summary: 'List sources that are pulled',
  description: 'A connector of any other source takes the documents that are pushed to it.',
  reply: z.array(ConnectorSource),
  handle: ({ services: { puller } }) =>
    puller.connectors.map(({ sources: [source, ...aliases], label, description, ...it }) => ({
      source,
      aliases,
      label,
      description,
      config_schema: jsonSchemaOf(it.config, 'input'),
      credential_schema: it.credential === null ? null : jsonSchemaOf(it.credential, 'input'),
      is_credential_optional: it.isCredentialOptional,
      supports_sync: it.hasAccess,
    })),
})

const tags = z.record(z.string(), z.union([z.string(), z.array(z.string())]))
const access = z
  .object({
    is_public: z.boolean(),
    external_user_emails: z.array(z.string()),
    external_user_group_ids: z.array(z.string()),
  })
  .nullable()

const ConnectorPreview = z
  .object({
    documents: z.array(
      z.object({
        document_id: z.string(),
        semantic_identifier: z.string(),
        link: z.string().nullable(),
        characters: z.int(),
        beginning: z.string(),
        metadata: tags,
        external_access: access.describe('Null: whoever may read the pair.'),
      }),
    ),
    skipped: z.array(z.object({ document_id: z.string(), link: z.string().nullable(), reason: z.string() })),
    failures: z.array(
      z.object({
        document_id: z.string().nullable(),
        link: z.string().nullable(),
        stage: z.string(),
        message: z.string(),
      }),
    ),
    is_complete: z.boolean().describe('Whether there is nothing beyond what is shown.'),
    error: z.string().nullable().describe('Why it broke off.'),
  })
  .meta({ id: 'ConnectorPreview' })

const preview = route({
  ...connectors,
  method: 'POST',
  path: '/manage/admin/connector/preview',
  summary: 'Show what a connector would bring',
  description: 'The first 20 documents with who may read them, and what would be left out and why. Nothing is kept.',
  body: z
    .object({
      source: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }),
      connector_specific_config: wireObject(),
      credential_id: nullish(wireInteger()).describe('0, the empty one, if it is not said.'),
      access_type: nullish(accessType),
    })
    .meta({ id: 'ConnectorPreviewRequest' }),
  reply: ConnectorPreview,
  errors: ['CREDENTIAL_NOT_FOUND', 'NOT_RUNNABLE'],
  handle: async ({ body, subject, services, signal }) => {
    const connector = services.puller.connectorOf(body.source)
    if (connector === undefined) throw nothingPulls(body.source)
    checkFields(services, body)
    await checkConfig(services, body, { id: null, signal })
    const { credential_json } = await getCredential(services, subject, body.credential_id ?? 0)
    const { source, connector_specific_config } = body
    const from = { connector, source, connectorId: null, connector_specific_config, credential_json }
    return services.puller.preview(from, body.access_type ?? 'public', signal)
  },
})

const nothingPulls = (source: string) =>
  new AppError('NOT_RUNNABLE', { reason: `nothing here pulls from "${source}", its documents are pushed` })

const runOnce = route({
  ...connectors,
  method: 'POST',
  path: '/manage/admin/connector/run-once',
  audit: { action: 'connector.run', object: ({ body }) => body.connector_id },
  summary: 'Run a connector now',
  description:
    'All its pairs, or those of some credentials; one that waits or runs already is passed over. `from_beginning` reads everything anew. Answers as `data` how many runs that are.',
  body: z
    .object({
      connector_id: wireInteger(),
      credential_ids: nullish(wireArray(wireInteger(), { max: 1_000 })),
      from_beginning: nullish(wireBoolean()),
    })
    .meta({ id: 'RunConnectorRequest' }),
  reply: StatusResponse,
  errors: ['CONNECTOR_NOT_FOUND', 'NOT_RUNNABLE'],
  handle: async ({ body, services: { db, puller, now } }) => {
    const { source, pairs } = await listPairsOfConnector(db, body.connector_id)
    if (puller.connectorOf(source) === undefined) throw nothingPulls(source)
    const wanted = body.credential_ids?.length ? body.credential_ids : pairs.map((it) => it.credential_id)
    if (wanted.some((id) => !pairs.some((it) => it.credential_id === id))) {
      throw new AppError('NOT_RUNNABLE', {
        reason: 'not all specified credentials are associated with the connector',
      })
    }
    if (pairs.length === 0) throw new AppError('NOT_RUNNABLE', { reason: 'the connector has no credential' })
    const ids = pairs.filter((it) => wanted.includes(it.credential_id)).map((it) => it.id)
    const fromBeginning = body.from_beginning === true
    const attempts = await triggerAttempts(db, ids, { fromBeginning, targets: null }, now())
    puller.wake()
    const message = `Marked ${attempts.length} index attempts with indexing triggers.`
    return { success: true, message, data: attempts.length }
  },
})

const PairPath = z.object({ cc_pair_id: pathInteger() })
const pairs = { ...connectors, params: PairPath } as const

const cancel = route({
  ...pairs,
  method: 'POST',
  path: '/manage/admin/cc-pair/{cc_pair_id}/cancel',
  audit: { action: 'cc_pair.cancel', object: 'cc_pair_id' },
  summary: 'Cancel the run of a pair',
  description: 'The one that waits or is under way. The next one goes on where it was.',
  reply: StatusResponse,
  errors: ['CC_PAIR_NOT_FOUND'],
  handle: async ({ params: { cc_pair_id }, services: { db, puller, now } }) => {
    await getCcPair(db, cc_pair_id)
    const count = await cancelAttempts(db, cc_pair_id, now())
    puller.cancel(cc_pair_id)
    return { success: count > 0, message: count > 0 ? 'The run was canceled.' : 'Nothing runs or waits.', data: count }
  },
})

const PruneState = z
  .object({
    state: z.enum(['none', 'wanted', 'running', 'held']),
    to_delete: z.int().describe('Documents that the last listing of the source did not name.'),
    documents: z
      .array(z.object({ document_id: z.string(), semantic_identifier: z.string(), link: z.string().nullable() }))
      .describe('The first 1,000 of them.'),
    started: time,
    last_pruned: time,
    removed: z.int().nullable().describe('How many the last pruning took away.'),
    error: z.string().nullable().describe('Why the last one took nothing away.'),
  })
  .meta({ id: 'PruneState' })

const SHOWN_CANDIDATES = 1_000

const pruneState = route({
  ...pairs,
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/prune',
  summary: 'Show what pruning found',
  description:
    'Held back is what would take away more than 20 % and more than 10 documents of the pair: POST with `confirm` decides.',
  reply: PruneState,
  errors: ['CC_PAIR_NOT_FOUND', 'NOTHING_PULLS'],
  handle: async ({ params: { cc_pair_id }, services: { db } }) => {
    await getCcPair(db, cc_pair_id)
    const schedule = await findSchedule(db, cc_pair_id)
    if (schedule === undefined) throw new AppError('NOTHING_PULLS', { id: cc_pair_id })
    const isHeld = schedule.prune_state === 'held'
    const limit = isHeld ? SHOWN_CANDIDATES : 0
    const { candidates, total } = await listCandidates(db, cc_pair_id, limit)
    const isRunning = schedule.prune_wanted === 1 && schedule.holder !== null
    const underway = isRunning ? ('running' as const) : ('wanted' as const)
    return {
      state: isHeld ? ('held' as const) : schedule.prune_wanted === 1 ? underway : ('none' as const),
      to_delete: total,
      documents: candidates,
      started: isoOrNull(schedule.prune_started),
      last_pruned: isoOrNull(schedule.last_pruned),
      removed: schedule.prune_removed,
      error: schedule.prune_error,
    }
  },
})

const prune = route({
  ...pairs,
  method: 'POST',
  path: '/manage/admin/cc-pair/{cc_pair_id}/prune',
  audit: { action: 'cc_pair.prune', object: 'cc_pair_id' },
  summary: 'Prune a pair, or decide on what was held back',
  description:
    'Without a body it lists the source, and takes away what is gone there. `confirm: true` takes away what was held back, `false` keeps it.',
  body: nullish(z.object({ confirm: nullish(wireBoolean()) }).meta({ id: 'PruneRequest' })),
  reply: StatusResponse,
  errors: ['CC_PAIR_NOT_FOUND', 'NOTHING_PULLS', 'PRUNE_UNDERWAY', 'PRUNE_NOT_HELD', 'CC_PAIR_DELETING'],
  handle: async ({ params: { cc_pair_id }, body, services: { db, puller } }) => {
    const { status } = await getCcPair(db, cc_pair_id)
    if (status === 'DELETING') throw new AppError('CC_PAIR_DELETING', { id: cc_pair_id })
    const confirm = body?.confirm ?? null
    if (confirm === null) await requestPrune(db, cc_pair_id)
    else await decidePrune(db, cc_pair_id, confirm)
    puller.wake()
    const message = confirm === false ? 'The documents stay.' : 'Successfully created the pruning task.'
    return { success: true, message, data: cc_pair_id }
  },
})

const targetedReindex = route({
  ...connectors,
  method: 'POST',
  path: '/manage/admin/indexing/targeted-reindex',
  audit: { action: 'cc_pair.reread' },
  summary: 'Read single documents again',
  description:
    'Those of some errors of GET /manage/admin/cc-pair/{cc_pair_id}/errors, or named ones. Answers as `data` how many runs that are; a pair that runs already is passed over.',
  body: z
    .object({
      error_ids: nullish(wireArray(wireInteger(), { max: 1_000 })),
      targets: nullish(
        wireArray(z.object({ cc_pair_id: wireInteger(), document_id: wireString({ min: 1, max: 2_000 }) }), {
          max: 1_000,
        }),
      ),
    })
    .meta({ id: 'TargetedReindexRequest' }),
  reply: StatusResponse,
  errors: ['NOT_RUNNABLE'],
  handle: async ({ body, services: { db, puller, now } }) => {
    const errors = await findAttemptErrors(db, body.error_ids ?? [])
    const named = errors.flatMap(({ cc_pair_id, document_id, entity_id }) => {
      const id = document_id ?? entity_id
      return id === null ? [] : [{ cc_pair_id, document_id: id }]
    })
    const targets = [...named, ...(body.targets ?? [])]
    if (targets.length === 0) throw new AppError('NOT_RUNNABLE', { reason: 'no document is named' })
    let count = 0
    for (const [pair, own] of Map.groupBy(targets, (it) => it.cc_pair_id)) {
      const documents = [...new Set(own.map((it) => it.document_id))]
      const attempts = await triggerAttempts(db, [pair], { fromBeginning: false, targets: documents }, now())
      count += attempts.length
    }
    puller.wake()
    return { success: count > 0, message: `${count} runs read ${targets.length} documents again.`, data: count }
  },
})

export const pullingRoutes = [sources, preview, runOnce, cancel, pruneState, prune, targetedReindex]
