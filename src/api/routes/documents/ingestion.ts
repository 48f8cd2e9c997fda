import { z } from 'zod'
import { DOCUMENT_WARNINGS, type DocumentWarning, IngestionDocument } from '../../../domain/document.ts'
import { getDocumentScope } from '../../../identity/access.ts'
import { acceptDocument, deletePushedDocument } from '../../../ingestion/push/accept-document.ts'
import { getReceipt, RECEIPT_STATUSES, type Receipt, waitUntilIndexed } from '../../../ingestion/push/receipt.ts'
import { isTranscriptionSetUp } from '../../../store/made-texts/transcription-model.ts'
import { nullish, WITHOUT_NUL, wireEnum, wireInteger, wireString } from '../../../wire/schemas.ts'
import { auditedDocumentId } from '../../http/with-audit.ts'
import { type RouteServices, route } from '../../route.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'

export const IngestionRequest = z
  .object({ document: IngestionDocument, cc_pair_id: nullish(wireInteger()) })
  .meta({ id: 'IngestionRequest' })

const documentWarnings = z
  .array(z.enum(DOCUMENT_WARNINGS))
  .describe('`no_text`: no section contains text, as in a scan or an empty file, so only the title is searchable.')

export const resultWarnings = documentWarnings.optional().meta({
  description: `Absent if there are none. ${documentWarnings.description}`,
})

export const IngestionResult = z
  .object({
    document_id: z.string(),
    already_existed: z.boolean(),
    status: z.enum(RECEIPT_STATUSES),
    warnings: resultWarnings,
  })
  .meta({ id: 'IngestionResult' })

/** Omits the field if there are no warnings, so that the response equals that of the existing server. */
export const warningsField = (warnings: DocumentWarning[]): { warnings?: DocumentWarning[] } =>
  warnings.length === 0 ? {} : { warnings }

const MAX_WAIT_MS = 55_000
const DEFAULT_WAIT_MS = 10_000
const WaitQuery = z.object({
  wait_for: nullish(wireEnum(['indexed'])),
  timeout_ms: nullish(wireInteger({ min: 0, max: MAX_WAIT_MS })),
})

const ingestDocumentRoute = route({
  name: 'ingestDocument',
  method: 'POST',
  path: '/service-api/ingestion',
  access: 'ingest',
  pool: 'write',
  tag: 'Ingestion',
  summary: 'Ingest document',
  description:
    'Responds once the document is on disk; it becomes searchable shortly after. With `wait_for=indexed`, responds once the document is searchable. An existing document with the same id is updated.',
  query: WaitQuery,
  body: IngestionRequest,
  reply: IngestionResult,
  errors: ['CC_PAIR_NOT_FOUND', 'DOCUMENT_NOT_WRITABLE', 'STORE_FULL', 'DISK_LOW', 'QUEUE_FULL'],
  services: ['db', 'indexer', 'logger', 'meter', 'now', 'recognition', 'transcripts', 'captions'],
  checkCapacity: ({ indexer }) => indexer.checkRoom(),
  handle: async (call) => {
    const { query, body, subject, services } = call
    const scope = await getDocumentScope(services.db, subject)
    const pusher = { user_id: subject.user_id, owner: subject.user_id, scope }
    const { document_id, already_existed, seq, warnings } = await acceptDocument(services, pusher, body, call.requestId)
    if (query.wait_for === null)
      return { document_id, already_existed, status: 'accepted' as const, ...warningsField(warnings) }
    call.releaseSlot()
    const deadline = AbortSignal.any([call.signal, AbortSignal.timeout(query.timeout_ms ?? DEFAULT_WAIT_MS)])
    const { status } = await waitUntilIndexed(services, scope, { document_id, seq }, deadline)
    return { document_id, already_existed, status, ...warningsField(warnings) }
  },
})

const PictureStates = z
  .object({
    waiting: z.int().describe('Pictures in which text is still to be recognised.'),
    read: z.int(),
    failed: z.int(),
    reasons: z.array(z.string()).describe('Why pictures wait or failed: at most 10 reasons.'),
  })
  .meta({ id: 'PictureStates', description: 'The text recognition in the pictures of a document.' })

const TranscriptStates = z
  .object({
    waiting: z.int().describe('Recordings of which a transcript is still to be made.'),
    read: z.int(),
    failed: z.int(),
    without_model: z.int().describe('Recordings of which none is made, because no transcription model is set up.'),
    reasons: z.array(z.string()).describe('Why recordings wait or failed: at most 10 reasons.'),
  })
  .meta({ id: 'TranscriptStates', description: 'The transcripts of the recordings of a document.' })

const CaptionStates = z
  .object({
    waiting: z.int().describe('Pictures of which a caption is still to be made.'),
    read: z.int(),
    failed: z.int(),
    skipped: z.int().describe('Pictures that get no caption: icons, and pictures that are full of text.'),
    reasons: z.array(z.string()).describe('Why pictures wait, failed or were skipped: at most 10 reasons.'),
  })
  .meta({ id: 'CaptionStates', description: 'The captions of the pictures of a document.' })

export const IngestionReceipt = z
  .object({
    document_id: z.string(),
    status: z.enum(RECEIPT_STATUSES),
    accepted_at: z.iso.datetime(),
    indexed_at: z.iso.datetime().nullable(),
    embedded_at: z.iso
      .datetime()
      .nullable()
      .describe('When all chunks had vectors. Null while vectors are missing, and if there is no embedding model.'),
    reason: z.string().nullable(),
    attempts: z.int(),
    retry_at: z.iso.datetime().nullable(),
    chunk_count: z.int().nullable(),
    request_id: z.string().nullable().describe('The X-Request-ID of the request that sent the latest version.'),
    cc_pairs: z.array(z.object({ id: z.int(), name: z.string() })),
    unknown_image_file_ids: z
      .array(z.string())
      .describe(
        'Image file ids in its sections that the pushing key has not uploaded; their file names are not searchable. Upload the files and push the document again.',
      ),
    warnings: documentWarnings,
    recognition: PictureStates.nullable().describe('Null if no section shows a picture.'),
    transcripts: TranscriptStates.nullable().describe('Null if no section holds a recording.'),
    captions: CaptionStates.nullable().describe('Null if no caption was made, or is to be made.'),
    is_hidden: z.boolean().describe('An administrator hid the document: nobody finds it.'),
    is_quarantined: z
      .boolean()
      .describe('The document has a secret, such as a key: nobody finds it until an administrator releases it.'),
  })
  .meta({ id: 'IngestionReceipt' })

/** Why files wait for their text; null if nothing keeps them. */
export interface WaitReasons {
  recognition: string | null
  transcripts: string | null
  captions: string | null
  /** Whether there is a transcription model. */
  isTranscribed: boolean
}

export const readWaitReasons = async ({
  db,
  recognition,
  transcripts,
  captions,
}: RouteServices<'db' | 'recognition' | 'transcripts' | 'captions'>): Promise<WaitReasons> => ({
  recognition: recognition.offReason,
  transcripts: await transcripts.waitReason(),
  captions: await captions.waitReason(),
  isTranscribed: await isTranscriptionSetUp(db),
})

export const ingestionReceipt = (
  { seq: _, ...receipt }: Receipt,
  reasons: WaitReasons,
): z.infer<typeof IngestionReceipt> => ({
  ...receipt,
  accepted_at: iso(receipt.accepted_at),
  indexed_at: isoOrNull(receipt.indexed_at),
  embedded_at: isoOrNull(receipt.embedded_at),
  retry_at: isoOrNull(receipt.retry_at),
  recognition: withOffReason(receipt.recognition, reasons.recognition),
  transcripts: transcriptStates(receipt.transcripts, reasons),
  captions: withOffReason(receipt.captions, reasons.captions),
})

function transcriptStates(
  states: Receipt['transcripts'],
  { transcripts, isTranscribed }: WaitReasons,
): z.infer<typeof TranscriptStates> | null {
  const shown = withOffReason(states, transcripts)
  if (shown === null || isTranscribed) return shown && { ...shown, without_model: 0 }
  return { ...shown, waiting: 0, without_model: shown.waiting }
}

const withOffReason = <T extends z.infer<typeof PictureStates>>(
  states: T | null,
  offReason: string | null,
): T | null =>
  states === null || states.waiting === 0 || offReason === null
    ? states
    : { ...states, reasons: [offReason, ...states.reasons] }

/** 2,000 characters, each of which may take twelve when percent-encoded. */
const MAX_ENCODED_ID_LENGTH = 24_000
const DocumentPath = z.object({ document_id: wireString({ max: MAX_ENCODED_ID_LENGTH, pattern: WITHOUT_NUL }) })

/**
 * Returns the ids that a path parameter may stand for. Clients of the existing server percent-encode the id and then
 * encode it again for the path.
 */
function candidateIds(decoded: string, raw: string | undefined): string[] {
  return [...new Set([decoded, raw ?? decoded, decodeOrKeep(decoded)])]
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const getReceiptRoute = route({
  name: 'getReceipt',
  method: 'GET',
  path: '/service-api/ingestion/{document_id}',
  access: 'ingest',
  tag: 'Ingestion',
  summary: 'Get receipt',
  description: 'Returns the processing status of a document, with the reason if it is waiting. Percent-encode the id.',
  params: DocumentPath,
  reply: IngestionReceipt,
  errors: ['DOCUMENT_NOT_FOUND'],
  services: ['db', 'indexer', 'recognition', 'transcripts', 'captions'],
  handle: async ({ params, rawParams, subject, services }) => {
    const scope = await getDocumentScope(services.db, subject)
    const ids = candidateIds(params.document_id, rawParams.document_id)
    return ingestionReceipt(await getReceipt(services, scope, ids), await readWaitReasons(services))
  },
})

const deleteDocumentRoute = route({
  name: 'deleteDocument',
  method: 'DELETE',
  path: '/service-api/ingestion/{document_id}',
  audit: {
    action: 'document.delete',
    object: ({ params }) => auditedDocumentId(params.document_id),
    onlyWithRight: 'connectors',
  },
  access: 'ingest',
  tag: 'Ingestion',
  summary: 'Delete document',
  description:
    'Removes the document from search shortly after and moves it to the trash, where it stays for `trash_retention_days` (default: 30).',
  params: DocumentPath,
  reply: z.null(),
  errors: ['DOCUMENT_NOT_FOUND', 'NOT_INGESTED', 'STORE_FULL'],
  services: ['db', 'indexer', 'logger', 'meter', 'now'],
  handle: async ({ params, rawParams, subject, services, requestId }) => {
    const scope = await getDocumentScope(services.db, subject)
    const caller = { owner: subject.user_id, scope }
    await deletePushedDocument(services, caller, candidateIds(params.document_id, rawParams.document_id), requestId)
    return null
  },
})

export const ingestionRoutes = [ingestDocumentRoute, getReceiptRoute, deleteDocumentRoute]
