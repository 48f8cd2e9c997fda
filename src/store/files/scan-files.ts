// Files of sources whose text is to be recognised: Pharos keeps the bytes until then.

import type { ModelContent, ModelTextKind } from '../../domain/made-texts/model-text.ts'
import type { RecognisedPage } from '../../domain/pictures/recognition.ts'
import type { Database } from '../database/database.ts'
import { isCaptionWanted } from '../made-texts/captions.ts'
import {
  forgetModelTexts,
  forgetReplacedModelFiles,
  isWaitingForModel,
  listUnusedModelFiles,
} from '../made-texts/model-text-files.ts'
import { findModelText, queueModelFiles } from '../made-texts/model-texts.ts'
import {
  findRecognition,
  forgetRecognition,
  forgetReplacedPictures,
  isWaitingScan,
  listUnusedFiles,
  queueFiles,
} from '../recognition/recognition.ts'
import type { Blobs } from './blobs.ts'

interface ScanStore {
  db: Database
  blobs: Pick<Blobs, 'receive' | 'exclusively' | 'release'>
  now: () => number
}

/**
 * Keeps the bytes and puts them into the queue, unless their text is known, and those of a picture into the queue of
 * captions, if these are made. Returns the pages that are read already.
 */
export async function keepScan(
  { db, blobs, now }: ScanStore,
  { bytes, name }: { bytes: Uint8Array; name: string },
): Promise<{ blob: string; pages: readonly RecognisedPage[] }> {
  const received = await blobs.receive(oneChunk(bytes))
  const { name: blob } = received
  return blobs.exclusively(async () => {
    const known = await findRecognition(db, blob)
    if (await isCaptionWanted(db, bytes)) await queueModelFiles(db, [{ blob, kind: 'caption', name }], now())
    if (known?.state === 'read') {
      if (await isWaitingForModel(db, blob)) await received.keep()
      else await received.discard()
      return { blob, pages: known.pages }
    }
    await queueFiles(db, [{ blob, name }], now())
    await received.keep()
    return { blob, pages: [] }
  })
}

/** Like `keepScan`, for a file of which a model is to make a text. Returns what the model said, null if it has not yet. */
export async function keepForModel(
  { db, blobs, now }: ScanStore,
  { bytes, name, kind }: { bytes: Uint8Array; name: string; kind: ModelTextKind },
): Promise<{ blob: string; content: ModelContent | null }> {
  const received = await blobs.receive(oneChunk(bytes))
  const { name: blob } = received
  return blobs.exclusively(async () => {
    const known = await findModelText(db, blob, kind)
    if (known?.state === 'read') {
      await received.discard()
      return { blob, content: known.content === null ? null : JSON.parse(known.content) }
    }
    await queueModelFiles(db, [{ blob, kind, name }], now())
    await received.keep()
    return { blob, content: null }
  })
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Deletes the bytes after their text is known, unless an upload has them too or another text of them is to be made. */
export const releaseScan = (
  { db, blobs }: { db: Database; blobs: Pick<Blobs, 'exclusively' | 'release'> },
  blob: string,
): Promise<void> =>
  blobs.exclusively(async () => {
    const upload = await db.selectFrom('user_file').select('id').where('blob', '=', blob).executeTakeFirst()
    const isWaiting = (await isWaitingScan(db, blob)) || (await isWaitingForModel(db, blob))
    if (upload === undefined && !isWaiting) await (await blobs.release(blob))?.discard()
  })

const DAY_MS = 86_400_000
const UNUSED_MS = 30 * DAY_MS

/**
 * Returns a job that forgets files that no document shows and no upload has, 30 days after they were read or failed. It
 * looks once a day, because it reads the documents with pictures.
 */
export function createScanExpiry(store: ScanStore): () => Promise<void> {
  let nextAt = 0
  return async () => {
    const now = store.now()
    if (now < nextAt) return
    nextAt = now + DAY_MS
    await forgetReplacedPictures(store.db, now - UNUSED_MS)
    for (const blob of await listUnusedFiles(store.db, now - UNUSED_MS)) {
      await releaseScan(store, blob)
      await forgetRecognition(store.db, blob)
    }
    await forgetReplacedModelFiles(store.db, now - UNUSED_MS)
    for (const blob of await listUnusedModelFiles(store.db, now - UNUSED_MS)) {
      await releaseScan(store, blob)
      await forgetModelTexts(store.db, blob)
    }
  }
}
