// Uploaded files: one row each, with the bytes as a blob that several files may share.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { chatFileType } from '../../domain/values/media-type.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { UserFileRow } from '../database/tables.ts'
import { forgetModelTexts, isModelFileNeeded, isWaitingForModel } from '../made-texts/model-text-files.ts'
import { forgetRecognition, isScanNeeded, isWaitingScan } from '../recognition/recognition.ts'
import type { Blobs, ReceivedBlob } from './blobs.ts'

export type StoredUserFile = Selectable<UserFileRow>
type FileOwner = Pick<Subject, 'user_id'>
type FileStore = { db: Database; blobs: Blobs }

/** Inserts all files or none. The caller must discard received files that were not kept. */
export const insertUserFiles = (
  { db, blobs }: FileStore,
  files: readonly { row: Omit<StoredUserFile, 'blob' | 'size'>; received: ReceivedBlob }[],
): Promise<void> =>
  blobs.exclusively(async () => {
    if (files.length === 0) return
    const rows = files.map(({ row, received: { name: blob, size } }) => ({ ...row, blob, size }))
    await db.insertInto('user_file').values(rows).execute()
    try {
      for (const { received } of files) await received.keep()
    } catch (error) {
      for (const row of rows) await removeFileAndBlob({ db, blobs }, row)
      throw error
    }
  })

/** FILE_NOT_FOUND: it does not exist or belongs to another user. */
export async function getUserFile(db: Queryable, owner: FileOwner, id: string): Promise<StoredUserFile> {
  const [file] = await listUserFiles(db, owner, [id])
  if (file === undefined) throw new AppError('FILE_NOT_FOUND')
  return file
}

/** FILE_NOT_FOUND: it is not an own image. */
export async function checkOwnImage(db: Queryable, owner: FileOwner, id: string): Promise<void> {
  const { file_type } = await getUserFile(db, owner, id)
  if (chatFileType(file_type) !== 'image') throw new AppError('FILE_NOT_FOUND')
}

/** Returns those of the ids that belong to the owner, in the order of the ids. */
export async function listUserFiles(
  db: Queryable,
  owner: FileOwner,
  ids: readonly string[],
): Promise<StoredUserFile[]> {
  const rows = await db
    .selectFrom('user_file')
    .selectAll()
    .where('user_id', '=', owner.user_id)
    .where('id', 'in', ['', ...ids])
    .execute()
  const byId = new Map(rows.map((it) => [it.id, it]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
}

/** Returns the newest first. */
export const listNewestUserFiles = (db: Queryable, { user_id }: FileOwner, limit: number): Promise<StoredUserFile[]> =>
  db
    .selectFrom('user_file')
    .selectAll()
    .where('user_id', '=', user_id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Deletes the bytes as well, unless another file shares them. */
export const deleteUserFile = ({ db, blobs }: FileStore, owner: FileOwner, id: string): Promise<void> =>
  blobs.exclusively(async () => removeFileAndBlob({ db, blobs }, await getUserFile(db, owner, id)))

/** Deletes the files regardless of their owner, like `deleteUserFile`. */
export async function removeUserFiles(store: FileStore, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await store.blobs.exclusively(async () => {
      const file = await store.db.selectFrom('user_file').selectAll().where('id', '=', id).executeTakeFirst()
      if (file !== undefined) await removeFileAndBlob(store, file)
    })
  }
}

async function removeFileAndBlob(
  { db, blobs }: FileStore,
  { id, blob }: Pick<StoredUserFile, 'id' | 'blob'>,
): Promise<void> {
  const released = (await isBlobUsedByOther(db, blob, id)) ? undefined : await blobs.release(blob)
  try {
    await db.deleteFrom('project_file').where('file_id', '=', id).execute()
    await db.deleteFrom('user_file').where('id', '=', id).execute()
    if (released !== undefined) {
      await forgetRecognition(db, blob)
      await forgetModelTexts(db, blob)
    }
  } catch (error) {
    await released?.keep()
    throw error
  }
  await released?.discard()
}

async function isBlobUsedByOther(db: Queryable, blob: string, id: string): Promise<boolean> {
  const other = db.selectFrom('user_file').select('id').where('blob', '=', blob).where('id', '<>', id)
  if ((await other.executeTakeFirst()) !== undefined) return true
  return (await isScanNeeded(db, blob)) || (await isModelFileNeeded(db, blob))
}

/** Completes what a crash interrupted: bytes with a row are kept, others are discarded. */
export const recoverUserFiles = ({ db, blobs }: FileStore): Promise<void> =>
  blobs.exclusively(async () => {
    for (const it of await blobs.unfinished()) {
      if (await isKept(db, it.name)) await it.keep()
      else await it.discard()
    }
  })

const isKept = async (db: Queryable, blob: string): Promise<boolean> =>
  (await isBlobUsedByOther(db, blob, '')) || (await isWaitingScan(db, blob)) || (await isWaitingForModel(db, blob))
