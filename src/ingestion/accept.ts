// What happens while a client waits: the document is written down, nothing else.

import { contentOf, type DocumentContent, type IngestionDocument } from '../domain/document.ts'
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { AcceptOutcome, Meter } from '../domain/meter.ts'
import type { Database } from '../store/database.ts'
import { type Acceptance, acceptDocuments, isWritable, type WritablePairs } from '../store/documents.ts'
import { findReceipt, firstKnown } from '../store/receipts.ts'
import { deleteDocument } from '../store/trash.ts'
import { listUserFiles } from '../store/user-files.ts'
import type { Indexer } from './indexer.ts'

/** The pair of the documents that name none. It is not listed. */
const DEFAULT_PAIR = 1

interface Needs {
  db: Database
  indexer: Indexer
  logger: Logger
  meter: Meter
  now: () => number
}

export interface Pusher {
  user_id: string
  writable: WritablePairs
}

interface Push {
  document: IngestionDocument
  cc_pair_id: number | null
}

/**
 * Resolves when the document is on the disk. Rejects with CC_PAIR_NOT_FOUND, DOCUMENT_NOT_WRITABLE or STORE_FULL, and
 * keeps nothing.
 */
export async function accept(needs: Needs, pusher: Pusher, push: Push, requestId: string): Promise<Acceptance> {
  const [result] = await acceptAll(needs, pusher, [push], requestId)
  if (result instanceof Error) throw result
  return result!
}

/** Resolves when they are on the disk, with one commit for all of them; each fails alone, except with STORE_FULL. */
export async function acceptAll(
  { db, indexer, logger, meter, now }: Needs,
  pusher: Pusher,
  pushes: readonly Push[],
  requestId: string,
): Promise<(Acceptance | Error)[]> {
  const images = await imageNames(db, pusher, pushes)
  const documents = pushes.map(({ document, cc_pair_id }) => ({
    content: contentOf(document, images),
    ccPairId: cc_pair_id === null || cc_pair_id === 0 ? DEFAULT_PAIR : cc_pair_id,
    requestId,
  }))
  const counts = documents.map(({ content }) => acceptCounter(meter, content))
  const results = await acceptDocuments(db, pusher.writable, documents, now()).catch((error: unknown) => {
    for (const count of counts) count(error)
    throw error
  })
  for (const [at, result] of results.entries()) {
    counts[at]!(result)
    if (result instanceof Error) continue
    logger.debug({ request_id: requestId, seq: result.seq }, 'accepted')
    indexer.wake(result.seq, result.addedBytes)
  }
  return results
}

const IDS_AT_ONCE = 1_000

/** Somebody else's are as those that are not there: then the document is taken without the name. */
async function imageNames(db: Database, pusher: Pusher, pushes: readonly Push[]): Promise<Map<string, string>> {
  const named = new Set(pushes.flatMap(({ document }) => document.sections.flatMap((it) => it.image_file_id ?? [])))
  const [ids, names] = [[...named], new Map<string, string>()]
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    for (const { id, name } of await listUserFiles(db, pusher, ids.slice(at, at + IDS_AT_ONCE))) names.set(id, name)
  }
  return names
}

/** Starts the clock of one document; what it gives is told what came of it. */
export function acceptCounter(meter: Meter, content: DocumentContent): (result: unknown) => void {
  const started = performance.now()
  return (result) => {
    const bytes = content.sections.reduce((sum, it) => sum + Buffer.byteLength(it.text), 0)
    meter.accepted({ outcome: outcomeOf(result), bytes, seconds: (performance.now() - started) / 1_000 })
  }
}

function outcomeOf(result: unknown): AcceptOutcome {
  if (result instanceof Error) return result instanceof AppError && result.status < 500 ? 'refused' : 'failed'
  return (result as Acceptance).already_existed ? 'updated' : 'created'
}

/** Puts a pushed document into the trash. `ids` are the spellings a client may have meant, best first. */
export async function removeIngested(
  { db, indexer, logger, now }: Needs,
  writable: WritablePairs,
  ids: readonly string[],
  requestId: string,
): Promise<void> {
  // The first spelling that ever was a document is the one that is meant: a repeated call must not reach another one.
  const id = await firstKnown(db, ids)
  const stored = id === undefined ? undefined : await findReceipt(db, id)
  if (id === undefined || !stored?.cc_pairs.every((it) => isWritable(writable, it.id))) {
    throw new AppError('DOCUMENT_NOT_FOUND')
  }
  if (!stored.from_ingestion_api) throw new AppError('NOT_INGESTED')
  const seq = await deleteDocument(db, id, { now: now(), requestId })
  if (seq === null) throw new AppError('DOCUMENT_NOT_FOUND')
  logger.debug({ request_id: requestId, seq }, 'deletion accepted')
  indexer.wake(seq)
}
