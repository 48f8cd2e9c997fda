// Finds near duplicates: it follows the changes of the record, and compares each new text with those before it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '../../domain/logger.ts'
import { type BackgroundLoop, createLoop, logErrors } from '../../flow/background-loop.ts'
import type { Database } from '../../store/database/database.ts'
import {
  type ChangedDocument,
  commitComparison,
  findSignatures,
  listUncomparedDocuments,
  type SignatureChange,
  sweepSignatures,
  writeSignatures,
} from '../../store/near-duplicates/signatures.ts'
import { bandsOf, decodeSignature, encodeSignature } from '../../text/near-duplicates/signature.ts'
import { createTextSigner } from '../../text/near-duplicates/text-signer.ts'
import type { Indexer } from '../index/indexer.ts'
import { groupDocuments, type SignedDocument } from './group-documents.ts'
import { waitForCaughtUp } from './wait-for-caught-up.ts'

interface NearDuplicatesDeps {
  db: Database
  logger: Logger
  indexer: Pick<Indexer, 'progress' | 'waitUntil'>
  pauseMs?: number
}

const PAUSE_MS = 60_000
const BATCH = 100
/** A batch takes about 20 ms. While the index is always behind, that is less than a thousandth of the time. */
const INDEXER_WAIT_MS = 30_000
const MAX_BATCH_BYTES = 8_000_000

/**
 * Woken when the index has applied changes. Documents that wait for the index come first. The position is in the record,
 * so that documents of before are compared too, and a restart continues.
 */
export function createNearDuplicates({ db, logger, indexer, pauseMs = PAUSE_MS }: NearDuplicatesDeps): BackgroundLoop {
  let isSwept = false
  return createLoop(
    async (signal) => {
      await waitForCaughtUp(indexer, { maxMs: INDEXER_WAIT_MS, signal })
      signal.throwIfAborted()
      const documents = await listUncomparedDocuments(db, { limit: BATCH, maxBytes: MAX_BATCH_BYTES })
      if (documents.length > 0) {
        await compareDocuments(db, documents, signal)
        return 0
      }
      if (!isSwept) await sweepSignatures(db)
      isSwept = true
      return pauseMs
    },
    { retryMs: pauseMs, onError: logErrors(logger, 'search for near duplicates failed') },
  )
}

/** Interrupted between its two commits, it is repeated with the same result. */
async function compareDocuments(
  db: Database,
  documents: readonly ChangedDocument[],
  signal: AbortSignal,
): Promise<void> {
  const stored = await findSignatures(
    db,
    documents.map((it) => it.id),
  )
  const former = new Map(stored.map((it) => [it.document_id, it.signature]))
  const changes: SignatureChange[] = []
  const current: SignedDocument[] = []
  for (const { id, seq, title, sections } of documents) {
    signal.throwIfAborted()
    const signature = sections === null ? null : await signDocument(title, sections)
    if (signature !== null) current.push({ id, seq, signature })
    const change = changeOf(id, former.get(id), signature)
    if (change !== null) changes.push(change)
  }
  await writeSignatures(db, changes)
  signal.throwIfAborted()
  const last = documents.at(-1)
  if (last === undefined) return
  await commitComparison(db, last.seq, await groupDocuments(db, current))
}

const SLICE = 100_000

/** Other work runs between two slices of a long text. Null for a document without words. */
async function signDocument(title: string, sections: readonly { text: string }[]): Promise<Uint16Array | null> {
  const signer = createTextSigner()
  let waiting = 0
  for (const { text } of sections) {
    for (let at = 0; at < text.length; at += SLICE) {
      const slice = text.slice(at, at + SLICE)
      signer.add(slice)
      waiting += slice.length
      if (waiting < SLICE) continue
      waiting = 0
      await nextTurn()
    }
  }
  return signer.sign(title)
}

/** Null if the stored signature is the same. */
function changeOf(id: string, former: string | undefined, signature: Uint16Array | null): SignatureChange | null {
  const encoded = signature === null ? undefined : encodeSignature(signature)
  if (encoded === former) return null
  return {
    id,
    signature: encoded ?? null,
    bands: signature === null ? [] : bandsOf(signature),
    formerBands: former === undefined ? [] : bandsOf(decodeSignature(former)),
  }
}
