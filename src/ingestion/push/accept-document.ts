// Accepts pushed documents. Only the write to the record happens while the client waits.

import { type DocumentContent, type IngestionDocument, toDocumentContent } from '../../domain/document.ts'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import { showsFile } from '../../domain/made-texts/transcript.ts'
import type { AcceptOutcome, Meter } from '../../domain/meter.ts'
import type { KnownImage } from '../../domain/pictures/recognition.ts'
import { isRecordingType } from '../../domain/values/media-type.ts'
import { zip } from '../../domain/values/zip.ts'
import type { Database } from '../../store/database/database.ts'
import { type AcceptedDocument, acceptDocuments } from '../../store/documents/accept-documents.ts'
import { findFirstKnownId, findReceipt } from '../../store/documents/receipts.ts'
import { type DocumentScope, mayChangeDocument } from '../../store/documents/scope.ts'
import { deleteDocument } from '../../store/documents/trash.ts'
import { listUserFiles } from '../../store/files/user-files.ts'
import { mapModelContents } from '../../store/made-texts/model-texts.ts'
import { mapReadPages } from '../../store/recognition/recognition.ts'
import { DEFAULT_CC_PAIR, unhideCcPair } from '../../store/sources/cc-pairs.ts'
import type { Indexer } from '../index/indexer.ts'
import type { Recognition } from '../recognise/recognition.ts'

interface AcceptDeps {
  db: Database
  indexer: Indexer
  recognition: Pick<Recognition, 'wake'>
  transcripts: { wake(): void }
  captions: { wake(): void }
  logger: Logger
  meter: Meter
  now: () => number
}

export interface Pusher {
  user_id: string
  /** The future owner of the document, see `ownerOf`. */
  owner: string
  scope: DocumentScope
}

interface PushedDocument {
  document: IngestionDocument
  cc_pair_id: number | null
}

/**
 * Resolves when the document is on disk. Rejects with CC_PAIR_NOT_FOUND, DOCUMENT_NOT_WRITABLE or STORE_FULL, and then
 * stores nothing.
 */
export async function acceptDocument(
  deps: AcceptDeps,
  pusher: Pusher,
  document: PushedDocument,
  requestId: string,
): Promise<AcceptedDocument> {
  const [result] = await acceptDocumentBatch(deps, pusher, [document], requestId)
  if (result instanceof Error) throw result
  return result!
}

/** Resolves when all documents are on disk, in one commit. Documents fail one by one, except with STORE_FULL. */
export async function acceptDocumentBatch(
  { db, indexer, recognition, transcripts, captions, logger, meter, now }: AcceptDeps,
  pusher: Pusher,
  documents: readonly PushedDocument[],
  requestId: string,
): Promise<(AcceptedDocument | Error)[]> {
  const images = await findImages(db, pusher, documents)
  const newDocuments = documents.map(({ document, cc_pair_id }) => ({
    content: toDocumentContent(document, images),
    ccPairId: cc_pair_id === null || cc_pair_id === 0 ? DEFAULT_CC_PAIR : cc_pair_id,
    pushedBy: pusher.owner,
    requestId,
  }))
  const counts = newDocuments.map(({ content }) => startAcceptTimer(meter, content))
  const results = await acceptDocuments(db, pusher.scope, newDocuments, now()).catch((error: unknown) => {
    for (const count of counts) count(failureOutcome(error))
    throw error
  })
  for (const [count, result] of zip(counts, results)) {
    count(outcomeOf(result))
    if (result instanceof Error) continue
    logger.debug({ request_id: requestId, seq: result.seq }, 'accepted')
    indexer.wake(result.seq, result.addedBytes)
  }
  if (newDocuments.some(({ content }) => content.sections.some(showsFile))) {
    recognition.wake()
    transcripts.wake()
    captions.wake()
  }
  const usesDefaultPair = documents.some(
    (it, at) => it.cc_pair_id === DEFAULT_CC_PAIR && !(results[at] instanceof Error),
  )
  if (usesDefaultPair) await unhideCcPair(db, DEFAULT_CC_PAIR)
  return results
}

const MAX_IDS_PER_QUERY = 1_000

/** The caller's own files that sections show. Files of other users count as missing, and the document has no name for them. */
async function findImages(
  db: Database,
  pusher: Pusher,
  pushes: readonly PushedDocument[],
): Promise<Map<string, KnownImage>> {
  const imageIds = new Set(pushes.flatMap(({ document }) => document.sections.flatMap((it) => it.image_file_id ?? [])))
  const [ids, images] = [[...imageIds], new Map<string, KnownImage>()]
  for (let at = 0; at < ids.length; at += MAX_IDS_PER_QUERY) {
    const files = await listUserFiles(db, pusher, ids.slice(at, at + MAX_IDS_PER_QUERY))
    const blobs = [...new Set(files.map((it) => it.blob))]
    const pages = files.length === 0 ? new Map() : await mapReadPages(db, blobs)
    const transcripts = files.length === 0 ? new Map() : await mapModelContents(db, 'transcript', blobs)
    for (const { id, name, blob, file_type } of files) {
      const known = { name, blob, pages: pages.get(blob) ?? null, isRecording: isRecordingType(file_type) }
      const transcript = transcripts.get(blob)
      images.set(id, { ...known, ...(transcript !== undefined && { transcript }) })
    }
  }
  return images
}

/** Starts timing one document. The returned function records its outcome. */
function startAcceptTimer(meter: Meter, content: DocumentContent): (outcome: AcceptOutcome) => void {
  const started = performance.now()
  return (outcome) => {
    const bytes = content.sections.reduce((sum, it) => sum + Buffer.byteLength(it.text), 0)
    meter.countAccepted({ outcome, bytes, seconds: (performance.now() - started) / 1_000 })
  }
}

function outcomeOf(result: AcceptedDocument | Error): AcceptOutcome {
  if (result instanceof Error) return failureOutcome(result)
  return result.already_existed ? 'updated' : 'created'
}

const failureOutcome = (error: unknown): AcceptOutcome =>
  error instanceof AppError && error.status < 500 ? 'refused' : 'failed'

/** Moves a pushed document to the trash. `ids` are the possible spellings of its id, most likely first. */
export async function deletePushedDocument(
  { db, indexer, logger, now }: Omit<AcceptDeps, 'recognition' | 'transcripts' | 'captions'>,
  { owner, scope }: Pick<Pusher, 'owner' | 'scope'>,
  ids: readonly string[],
  requestId: string,
): Promise<void> {
  // The first spelling that ever named a document wins, so that a repeated call cannot delete another one.
  const id = await findFirstKnownId(db, ids)
  let seq: number | null = null
  // A newer version may have another owner, so ownership is checked again when the sequence number has changed.
  while (seq === null) {
    const stored = id === undefined ? undefined : await findReceipt(db, id)
    if (stored === undefined || !mayChangeDocument(scope, stored)) throw new AppError('DOCUMENT_NOT_FOUND')
    if (!stored.from_ingestion_api && !stored.held_from_prune) throw new AppError('NOT_INGESTED')
    seq = await deleteDocument(db, stored.document_id, { now: now(), requestId, seq: stored.seq, deletedBy: owner })
  }
  logger.debug({ request_id: requestId, seq }, 'deletion accepted')
  indexer.wake(seq)
}
