// Uploaded files: a row each, and the bytes as a blob that several may share.
import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import type { Blobs, ReceivedBlob } from './blobs.ts'
import type { Database, Queries } from './database.ts'
import type { UserFileRow } from './tables.ts'

export type StoredUserFile = Selectable<UserFileRow>
type Owner = Pick<Subject, 'user_id'>
type Store = { db: Database; blobs: Blobs }

/** All of them, or none: what was received and not kept is for the caller to discard. */
export const insertUserFiles = (
  { db, blobs }: Store,
  files: readonly { row: Omit<StoredUserFile, 'blob' | 'size'>; received: ReceivedBlob }[],
): Promise<void> =>
  blobs.exclusively(async () => {
    if (files.length === 0) return
    const rows = files.map(({ row, received: { name: blob, size } }) => ({ ...row, blob, size }))
    await db.insertInto('user_file').values(rows).execute()
    try {
      for (const { received } of files) await received.keep()
    } catch (error) {
      for (const row of rows) await removeFile({ db, blobs }, row)
      throw error
    }
  })

/** Of somebody else is as one that is not there: FILE_NOT_FOUND. */
export async function getUserFile(db: Queries, owner: Owner, id: string): Promise<StoredUserFile> {
  const [file] = await listUserFiles(db, owner, [id])
  if (file === undefined) throw new AppError('FILE_NOT_FOUND')
  return file
}

/** Those of the ids that are the owner's, in the order of the ids. */
export async function listUserFiles(db: Queries, owner: Owner, ids: readonly string[]): Promise<StoredUserFile[]> {
  const rows = await db
    .selectFrom('user_file')
    .selectAll()
    .where('user_id', '=', owner.user_id)
    .where('id', 'in', ['', ...ids])
    .execute()
  const byId = new Map(rows.map((it) => [it.id, it]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
}

/** The newest first. */
export const listNewestUserFiles = (db: Queries, { user_id }: Owner, limit: number): Promise<StoredUserFile[]> =>
  db
    .selectFrom('user_file')
    .selectAll()
    .where('user_id', '=', user_id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()

/** The bytes go too, unless another file has the same. */
export const deleteUserFile = ({ db, blobs }: Store, owner: Owner, id: string): Promise<void> =>
  blobs.exclusively(async () => removeFile({ db, blobs }, await getUserFile(db, owner, id)))

/** Those of the ids, whoever they belong to, as `deleteUserFile` does it. */
export async function removeUserFiles(store: Store, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await store.blobs.exclusively(async () => {
      const file = await store.db.selectFrom('user_file').selectAll().where('id', '=', id).executeTakeFirst()
      if (file !== undefined) await removeFile(store, file)
    })
  }
}

async function removeFile({ db, blobs }: Store, { id, blob }: Pick<StoredUserFile, 'id' | 'blob'>): Promise<void> {
  const released = (await hasOther(db, blob, id)) ? undefined : await blobs.release(blob)
  try {
    await db.deleteFrom('user_file').where('id', '=', id).execute()
  } catch (error) {
    await released?.keep()
    throw error
  }
  await released?.discard()
}

async function hasOther(db: Queries, blob: string, id: string): Promise<boolean> {
  const other = db.selectFrom('user_file').select('id').where('blob', '=', blob).where('id', '<>', id)
  return (await other.executeTakeFirst()) !== undefined
}

/** Finishes what a crash has interrupted: bytes that a row names are kept, others are gone. */
export const finishUserFiles = ({ db, blobs }: Store): Promise<void> =>
  blobs.exclusively(async () => {
    for (const it of await blobs.unfinished()) {
      if (await hasOther(db, it.name, '')) await it.keep()
      else await it.discard()
    }
  })
