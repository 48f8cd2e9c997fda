// The queue of files in which text is to be recognised, and what was read.
import { type Selectable, sql } from 'kysely'
import type { RecognisedPage, RecognitionState } from '../../domain/pictures/recognition.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'
import type { RecognitionRow } from './recognition-tables.ts'

export interface Recognition extends Omit<Selectable<RecognitionRow>, 'pages'> {
  pages: RecognisedPage[]
}

const toRecognition = (row: Selectable<RecognitionRow>): Recognition => ({ ...row, pages: JSON.parse(row.pages) })

/** The error of a file whose bytes are gone. */
export const FILE_GONE = 'The file was deleted.'

/** Adds files to the queue; a known file stays as it is, unless its bytes were gone. */
export async function queueFiles(
  db: Database,
  files: readonly { blob: string; name: string }[],
  now: number,
): Promise<void> {
  if (files.length === 0) return
  // PostgreSQL refuses a statement that meets a row twice, and two that lock rows in different orders wait for each other.
  const names = new Map(files.map(({ blob, name }) => [blob, name]))
  const rows = [...names].map(([blob, name]) => ({ blob, name, queued_at: now }))
  await db
    .insertInto('recognition')
    .values(rows.sort((one, other) => (one.blob < other.blob ? -1 : 1)))
    .onConflict((it) =>
      it
        .column('blob')
        .doUpdateSet({ state: 'waiting', error: null, finished_at: null })
        .where('recognition.state', '=', 'failed')
        .where('recognition.error', '=', FILE_GONE),
    )
    .execute()
}

const WRITTEN_NOW = `exists (select 1 from document where id = ?1 and seq = (select value from sequence where name = 'change'))`

/**
 * The statements that follow the write of a document: its pictures wait for their text. They do nothing if the document
 * was not written. `isSettled`: the document has the text already.
 */
export const pictureStatements = (
  documentId: string,
  pictures: readonly { blob: string; name: string; isSettled: boolean }[],
  now: number,
): SqlStatement[] =>
  pictures.flatMap(({ blob, name, isSettled }) => [
    {
      sql: `insert into recognition (blob, name, queued_at) select ?2, ?3, cast(?4 as bigint) where ${WRITTEN_NOW}
        on conflict (blob) do nothing`,
      parameters: [documentId, blob, name, now],
    },
    {
      sql: `insert into recognition_document (document_id, blob, is_settled) select ?1, ?2, cast(?3 as bigint) where ${WRITTEN_NOW}
        on conflict (document_id, blob) do update set is_settled = excluded.is_settled`,
      parameters: [documentId, blob, isSettled ? 1 : 0],
    },
  ])

/** The pages of those of the files that are read; others are absent. */
export async function mapReadPages(
  db: Queryable,
  blobs: readonly string[],
): Promise<Map<string, readonly RecognisedPage[]>> {
  const rows = await db
    .selectFrom('recognition')
    .select(['blob', 'pages'])
    .where('blob', 'in', ['', ...blobs])
    .where('state', '=', 'read')
    .execute()
  return new Map(rows.map((it) => [it.blob, JSON.parse(it.pages)]))
}

export async function findRecognition(db: Queryable, blob: string): Promise<Recognition | undefined> {
  const row = await db.selectFrom('recognition').selectAll().where('blob', '=', blob).executeTakeFirst()
  return row === undefined ? undefined : toRecognition(row)
}

/** The file that waits longest and is due; undefined if there is none. */
export async function nextDueFile(db: Queryable, now: number): Promise<Recognition | undefined> {
  const row = await db
    .selectFrom('recognition')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('retry_at', '<=', now)
    .orderBy('queued_at')
    .orderBy('blob')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : toRecognition(row)
}

export async function nextRecognitionRetryAt(db: Queryable): Promise<number | null> {
  const row = await db
    .selectFrom('recognition')
    .select((it) => it.fn.min('retry_at').as('retry_at'))
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  return row?.retry_at ?? null
}

/** Keeps the pages read so far, so that a restart does not read them again. */
export async function savePages(db: Database, blob: string, pages: readonly RecognisedPage[]): Promise<void> {
  await db
    .updateTable('recognition')
    .set({ pages: JSON.stringify(pages) })
    .where('blob', '=', blob)
    .execute()
}

/** `error` is why the file has no text, or null. */
export async function finishFile(
  db: Database,
  blob: string,
  { state, error, now }: { state: Exclude<RecognitionState, 'waiting'>; error: string | null; now: number },
): Promise<void> {
  await db.updateTable('recognition').set({ state, error, finished_at: now }).where('blob', '=', blob).execute()
}

export async function postponeFile(
  db: Database,
  blob: string,
  { error, retryAt }: { error: string; retryAt: number },
): Promise<void> {
  await db
    .updateTable('recognition')
    .set((it) => ({ error, retry_at: retryAt, attempts: it('attempts', '+', 1) }))
    .where('blob', '=', blob)
    .execute()
}

/** Files that were not or not wholly read wait again; pages that were read stay. Returns how many there were. */
export async function retryFailedFiles(db: Database): Promise<number> {
  const failed = await db
    .selectFrom('recognition')
    .select(['blob', 'pages'])
    .where('state', '<>', 'waiting')
    .where('error', 'is not', null)
    .execute()
  for (const { blob, pages } of failed) {
    const before: RecognisedPage[] = JSON.parse(pages)
    const read = before.filter((it) => 'text' in it)
    const again = { state: 'waiting', error: null, retry_at: 0, attempts: 0, finished_at: null } as const
    await db
      .updateTable('recognition')
      .set({ ...again, pages: JSON.stringify(read) })
      .where('blob', '=', blob)
      .execute()
    await db.updateTable('recognition_document').set({ is_settled: 0 }).where('blob', '=', blob).execute()
  }
  return failed.length
}

/** Whether a document that a connector read waits for the text of these bytes. */
export async function isScanNeeded(db: Queryable, blob: string): Promise<boolean> {
  const waiting = db
    .selectFrom('recognition_document')
    .innerJoin('recognition', 'recognition.blob', 'recognition_document.blob')
    .innerJoin('document', 'document.id', 'document_id')
    .select('document_id')
    .where('recognition.blob', '=', blob)
    .where('state', '=', 'waiting')
    .where('from_ingestion_api', '=', 0)
  return (await waiting.executeTakeFirst()) !== undefined
}

/** Whether the bytes wait for their text. */
export async function isWaitingScan(db: Queryable, blob: string): Promise<boolean> {
  const row = db.selectFrom('recognition').select('blob').where('blob', '=', blob).where('state', '=', 'waiting')
  return (await row.executeTakeFirst()) !== undefined
}

/** For a file whose bytes are deleted. Documents keep the text that they have. */
export async function forgetRecognition(db: Queryable, blob: string): Promise<void> {
  await db.deleteFrom('recognition_document').where('blob', '=', blob).execute()
  await db.deleteFrom('recognition').where('blob', '=', blob).execute()
}

/** Forgets which documents showed a file, finished before that time, that their newest version no longer shows. */
export async function forgetReplacedPictures(db: Database, before: number): Promise<void> {
  const finished = db.selectFrom('recognition').select('blob').where('finished_at', '<', before)
  await db
    .deleteFrom('recognition_document')
    .where('blob', 'in', finished)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('document')
            .select('id')
            .whereRef('id', '=', 'recognition_document.document_id')
            // The name of the bytes is a hash, so it has no sign that a pattern treats specially.
            .where(sql<boolean>`sections like '%' || recognition_document.blob || '%'`),
        ),
      ),
    )
    .execute()
}

/** Files that were finished before that time, and that no document shows and no upload has. */
export async function listUnusedFiles(db: Queryable, before: number): Promise<string[]> {
  const rows = await db
    .selectFrom('recognition')
    .select('blob')
    .where('finished_at', '<', before)
    .where('blob', 'not in', db.selectFrom('recognition_document').select('blob'))
    .where('blob', 'not in', db.selectFrom('user_file').select('blob'))
    .execute()
  return rows.map((it) => it.blob)
}

export interface RecognitionCounts {
  waiting: number
  read: number
  /** Files that were not or not wholly read. */
  failed: number
}

export async function countRecognitions(db: Queryable): Promise<RecognitionCounts> {
  const rows = await db
    .selectFrom('recognition')
    .groupBy(['state', (it) => it('error', 'is', null)])
    .select((it) => ['state' as const, it.fn.count<number>('error').as('failed'), it.fn.countAll<number>().as('all')])
    .execute()
  const counts = { waiting: 0, read: 0, failed: 0 }
  for (const { state, failed, all } of rows)
    counts[state === 'read' && Number(failed) > 0 ? 'failed' : state] += Number(all)
  return counts
}

export interface DocumentPicture {
  document_id: string
  blob: string
  name: string
  state: RecognitionState
  error: string | null
  retry_at: number
}

/** The state of the pictures that the documents show. */
export const listPicturesOfDocuments = (db: Queryable, ids: readonly string[]): Promise<DocumentPicture[]> =>
  db
    .selectFrom('recognition_document')
    .innerJoin('recognition', 'recognition.blob', 'recognition_document.blob')
    .select(['document_id', 'recognition.blob', 'name', 'state', 'error', 'retry_at'])
    .where('document_id', 'in', ['', ...ids])
    .orderBy('document_id')
    .orderBy('recognition.blob')
    .execute()
