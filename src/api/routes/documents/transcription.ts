// Transcripts of recordings: the server that makes them, how far they are, and another try.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { maskSecret } from '../../../domain/values/mask.ts'
import { readModelUsage } from '../../../store/made-texts/model-text-usage.ts'
import { countModelFiles } from '../../../store/made-texts/model-texts.ts'
import {
  deleteTranscriptionModel,
  findTranscriptionModel,
  type TranscriptionModel,
  writeTranscriptionModel,
} from '../../../store/made-texts/transcription-model.ts'
import { requestRuns } from '../../../store/sources/request-runs.ts'
import { listSkippedRecordings } from '../../../store/sources/skipped-documents.ts'
import { nullish, optionalNullable, WITHOUT_NUL, wireInteger, wireString } from '../../../wire/schemas.ts'
import { checkEgressAddress } from '../../checks/egress-address.ts'
import { type RouteServices, route } from '../../route.ts'

const DEFAULT_MINUTES = 120
const MAX_MINUTES = 100_000

const modelFields = {
  url: z.string().describe('The base URL of the server: `/audio/transcriptions` follows it.'),
  model: z.string(),
  language: z.string().nullable().describe('The language of the recordings (ISO 639-1). Null: the model tells it.'),
  minutes_per_day: z.int().describe('The most minutes of recordings that are sent in a day (UTC).'),
}

const TranscriptionStatus = z
  .object({
    model: z
      .object({ ...modelFields, api_key: z.string().nullable().describe('Masked.') })
      .nullable()
      .describe('Null without a transcription model: no recording leaves this service.'),
    wait_reason: z.string().nullable().describe('Why recordings wait. Null if nothing keeps them.'),
    waiting: z.int().describe('Recordings of which a transcript is still to be made.'),
    read: z.int(),
    failed: z.int(),
    minutes_today: z.int().describe('Minutes of recordings that were sent today (UTC).'),
    skipped: z
      .int()
      .describe(
        'Recordings that connectors skipped without a model, at most 10,000. `POST /admin/transcription/reread` reads them.',
      ),
  })
  .meta({ id: 'TranscriptionStatus' })

const TranscriptionModelUpdate = z
  .object({
    url: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }).describe(
      'The base URL of a server with the OpenAI API, for example `https://api.example.com/v1`.',
    ),
    model: wireString({ min: 1, max: 200, pattern: WITHOUT_NUL }),
    language: nullish(wireString({ min: 2, max: 3, pattern: /^[a-z]{2,3}$/ })).describe(
      'The language of the recordings (ISO 639), if all have the same. Default: the model tells it.',
    ),
    minutes_per_day: nullish(wireInteger({ min: 1, max: MAX_MINUTES })).describe(`Default: ${DEFAULT_MINUTES}.`),
    api_key: optionalNullable(wireString({ min: 1, max: 2_000, pattern: /^[\x21-\x7e]+$/ })).describe(
      'Absent or masked: the stored key stays. Null: no key.',
    ),
  })
  .meta({ id: 'TranscriptionModelUpdate' })

const transcriptionDefaults = { access: 'admin', tag: 'Transcription', reply: TranscriptionStatus } as const
const STATUS_SERVICES = ['db', 'secrets', 'transcripts', 'now'] as const
const MAX_REREAD = 10_000

export const transcriptionRoutes = [
  route({
    ...transcriptionDefaults,
    name: 'getTranscription',
    method: 'GET',
    path: '/admin/transcription',
    summary: 'Get the state of transcription',
    description: 'Counts recordings by content: a transcript of the same bytes is made once.',
    services: STATUS_SERVICES,
    handle: ({ services }) => readStatus(services),
  }),
  route({
    ...transcriptionDefaults,
    name: 'putTranscriptionModel',
    method: 'PUT',
    path: '/admin/transcription',
    summary: 'Set transcription model',
    description:
      'Recordings in documents are sent to this server from now on. The connection is not tested: mistakes show as `wait_reason`, or on the receipts of the first recordings. If `url` changes to another server, the key must be sent again. An address that this service may not call is rejected with 422.',
    audit: { action: 'transcription_model.put' },
    body: TranscriptionModelUpdate,
    errors: ['VALIDATION_ERROR'],
    services: [...STATUS_SERVICES, 'egress'],
    handle: async ({ body, services, signal }) => {
      const stored = await findTranscriptionModel(services)
      const api_key = keyToStore(body, stored)
      const asker = { kind: 'transcription_model', id: null } as const
      const address = { loc: ['body', 'url'], url: body.url, profile: 'admin-target', asker } as const
      await checkEgressAddress(services, { ...address, loc: [...address.loc] }, signal)
      const { url, model, language } = body
      const minutes_per_day = body.minutes_per_day ?? DEFAULT_MINUTES
      await writeTranscriptionModel(services, { url, model, language, minutes_per_day, api_key }, services.now())
      services.transcripts.onSetupChange()
      return readStatus(services)
    },
  }),
  route({
    ...transcriptionDefaults,
    name: 'deleteTranscriptionModel',
    method: 'DELETE',
    path: '/admin/transcription',
    summary: 'Delete transcription model',
    description: 'No recording is sent any more. Transcripts stay.',
    audit: { action: 'transcription_model.delete' },
    services: STATUS_SERVICES,
    handle: async ({ services }) => {
      await deleteTranscriptionModel(services.db)
      services.transcripts.onSetupChange()
      return readStatus(services)
    },
  }),
  route({
    ...transcriptionDefaults,
    name: 'retryTranscription',
    method: 'POST',
    path: '/admin/transcription/retry',
    summary: 'Retry failed transcription',
    description: 'Recordings that failed are sent again.',
    audit: { action: 'transcription.retry' },
    services: STATUS_SERVICES,
    handle: async ({ services }) => {
      await services.transcripts.retryFailed()
      return readStatus(services)
    },
  }),
  route({
    ...transcriptionDefaults,
    name: 'rereadSkippedRecordings',
    method: 'POST',
    path: '/admin/transcription/reread',
    summary: 'Read skipped recordings again',
    description:
      'Starts a run of each connector that skipped recordings without a transcription model, for these files alone. Connectors that are already running are skipped.',
    audit: { action: 'transcription.reread' },
    reply: z
      .object({ runs: z.int().describe('Number of started runs.'), documents: z.int() })
      .meta({ id: 'TranscriptionReread' }),
    services: ['db', 'connectorRunner', 'now'],
    handle: async ({ services: { db, connectorRunner, now }, subject }) => {
      const started = { runs: 0, documents: 0 }
      for (const [pair, skipped] of Map.groupBy(await listSkippedRecordings(db, MAX_REREAD), (it) => it.cc_pair_id)) {
        const targets = skipped.map((it) => it.document_id)
        const attempts = await requestRuns(db, subject, [pair], { fromBeginning: false, targets }, now())
        started.runs += attempts.length
        if (attempts.length > 0) started.documents += targets.length
      }
      connectorRunner.wake()
      return started
    },
  }),
]

async function readStatus(services: RouteServices<'db' | 'secrets' | 'transcripts' | 'now'>) {
  const { db, transcripts, now } = services
  const model = await findTranscriptionModel(services)
  const { waiting, read, failed } = await countModelFiles(db, 'transcript')
  return {
    model: model === null ? null : shownModel(model),
    wait_reason: await transcripts.waitReason(),
    ...{ waiting, read, failed },
    minutes_today: Math.ceil((await readModelUsage(db, 'transcript', now())) / 60),
    skipped: (await listSkippedRecordings(db, MAX_REREAD)).length,
  }
}

const shownModel = ({ isKeyLost: _, api_key, ...model }: TranscriptionModel) => ({
  ...model,
  api_key: api_key === null ? null : maskSecret(api_key),
})

/** A stored key must not be sent to a new address, whose owner could read it. */
function keyToStore(
  { url, api_key: sent }: z.infer<typeof TranscriptionModelUpdate>,
  stored: TranscriptionModel | null,
): string | null {
  const old = stored?.api_key ?? null
  const isKept = old !== null && (sent === undefined || sent === maskSecret(old))
  if (!isKept) return sent ?? null
  if (originOf(url) === originOf(stored?.url ?? '')) return old
  const reason = '`url` points to another server: send api_key again, so that the stored key does not leak to it.'
  throw new AppError('VALIDATION_ERROR', { reason })
}

const originOf = (url: string): string => URL.parse(url)?.origin ?? url
