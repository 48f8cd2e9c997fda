// The queue of files of which a model is to make a text, and what it said.
import type { Selectable } from 'kysely'
import type {
  FileForModel,
  ModelContent,
  ModelContents,
  ModelTextKind,
  ModelTextState,
} from '../../domain/made-texts/model-text.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'
import { FILE_GONE } from '../recognition/recognition.ts'
import type { ModelTextRow } from './model-text-tables.ts'

export type QueuedModelFile = Selectable<ModelTextRow>

/** Adds files to the queue; a known file stays as it is, unless its bytes were gone or its text was removed. */
export async function queueModelFiles(
  db: Database,
  files: readonly { blob: string; kind: ModelTextKind; name: string }[],
  now: number,
): Promise<void> {
  if (files.length === 0) return
  // PostgreSQL refuses a statement that meets a row twice, and two that lock rows in different orders wait for each other.
  const named = new Map(files.map((it) => [`${it.blob} ${it.kind}`, it]))
  const ordered = [...named].sort(([one], [other]) => (one < other ? -1 : 1))
  await db
    .insertInto('model_text')
    .values(ordered.map(([, { blob, kind, name }]) => ({ blob, kind, name, queued_at: now })))
    .onConflict((it) =>
      it
        .columns(['blob', 'kind'])
        .doUpdateSet({ state: 'waiting', error: null, finished_at: null, attempts: 0, retry_at: 0 })
        .where((of) =>
          of.or([
            of('model_text.state', '=', 'removed'),
            of.and([of('model_text.state', '=', 'failed'), of('model_text.error', '=', FILE_GONE)]),
          ]),
        ),
    )
    .execute()
}

const WRITTEN_NOW = `exists (select 1 from document where id = ?1 and seq = (select value from sequence where name = 'change'))`

/** The statements that follow the write of a document: its files wait for their texts. Nothing if it was not written. */
export const modelTextStatements = (documentId: string, files: readonly FileForModel[], now: number): SqlStatement[] =>
  files.flatMap(({ blob, kind, name, isSettled }) => [
    {
      sql: `insert into model_text (blob, kind, name, queued_at) select ?2, ?3, ?4, cast(?5 as bigint) where ${WRITTEN_NOW}
        on conflict (blob, kind) do nothing`,
      parameters: [documentId, blob, kind, name, now],
    },
    {
      sql: `insert into model_text_document (document_id, blob, kind, is_settled) select ?1, ?2, ?3, cast(?4 as bigint) where ${WRITTEN_NOW}
        on conflict (document_id, blob, kind) do update set is_settled = excluded.is_settled`,
      parameters: [documentId, blob, kind, isSettled ? 1 : 0],
    },
  ])

/** The answers of models about those of the files that are read; others are absent. */
export async function mapModelContents(
  db: Queryable,
  kind: ModelTextKind,
  blobs: readonly string[],
): Promise<ModelContents> {
  const rows = await db
    .selectFrom('model_text')
    .select(['blob', 'content'])
    .where('blob', 'in', ['', ...blobs])
    .where('kind', '=', kind)
    .where('state', '=', 'read')
    .execute()
  return new Map(
    rows.flatMap((it): [string, ModelContent][] => (it.content === null ? [] : [[it.blob, JSON.parse(it.content)]])),
  )
}

export const findModelText = (db: Queryable, blob: string, kind: ModelTextKind): Promise<QueuedModelFile | undefined> =>
  db.selectFrom('model_text').selectAll().where('blob', '=', blob).where('kind', '=', kind).executeTakeFirst()

/** Nothing is spent on the file of a deleted document. */
const selectShown = (db: Queryable, kind: ModelTextKind) =>
  db
    .selectFrom('model_text')
    .where('model_text.kind', '=', kind)
    .where('state', '=', 'waiting')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('model_text_document')
          .innerJoin('document', 'document.id', 'document_id')
          .select('document_id')
          .whereRef('model_text_document.blob', '=', 'model_text.blob')
          .whereRef('model_text_document.kind', '=', 'model_text.kind')
          .where('deleted_at', 'is', null),
      ),
    )

/** The file that waits longest, is due and is in a document; undefined if there is none. */
export const nextDueModelFile = (
  db: Queryable,
  kind: ModelTextKind,
  now: number,
  { isAfterRecognition = false }: { isAfterRecognition?: boolean } = {},
): Promise<QueuedModelFile | undefined> =>
  selectShown(db, kind)
    .selectAll()
    .where('retry_at', '<=', now)
    .$if(isAfterRecognition, (it) =>
      it.where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('recognition')
              .select('recognition.blob')
              .whereRef('recognition.blob', '=', 'model_text.blob')
              .where('recognition.state', '=', 'waiting'),
          ),
        ),
      ),
    )
    .orderBy('queued_at')
    .orderBy('blob')
    .limit(1)
    .executeTakeFirst()

export async function nextModelRetryAt(db: Queryable, kind: ModelTextKind): Promise<number | null> {
  const row = await selectShown(db, kind)
    .select((it) => it.fn.min('retry_at').as('retry_at'))
    .executeTakeFirst()
  return row?.retry_at ?? null
}

export type FileKey = Pick<QueuedModelFile, 'blob' | 'kind'>

/** `error` is why there is no text, or null. Nothing changes if the file no longer waits. */
export async function finishModelFile(
  db: Database,
  { blob, kind }: FileKey,
  result: {
    state: Exclude<ModelTextState, 'waiting' | 'removed'>
    content: ModelContent | null
    model: string | null
    error: string | null
  },
  now: number,
): Promise<void> {
  const content = result.content === null ? null : JSON.stringify(result.content)
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('model_text')
      .set({ ...result, content, finished_at: now })
      .where('blob', '=', blob)
      .where('kind', '=', kind)
      .where('state', '=', 'waiting')
      .execute()
    // Documents that were settled without the text, since it had failed or was removed before.
    await trx
      .updateTable('model_text_document')
      .set({ is_settled: 0 })
      .where('blob', '=', blob)
      .where('kind', '=', kind)
      .where('is_settled', '=', 1)
      .execute()
  })
}

export async function postponeModelFile(
  db: Database,
  { blob, kind }: FileKey,
  { error, retryAt }: { error: string; retryAt: number },
): Promise<void> {
  await db
    .updateTable('model_text')
    .set((it) => ({ error, retry_at: retryAt, attempts: it('attempts', '+', 1) }))
    .where('blob', '=', blob)
    .where('kind', '=', kind)
    .execute()
}

/** Failed files wait again. Returns how many there were. */
export async function retryFailedModelFiles(db: Database, kind: ModelTextKind): Promise<number> {
  const failed = db.selectFrom('model_text').select('blob').where('kind', '=', kind).where('state', '=', 'failed')
  return db.transaction().execute(async (trx) => {
    await trx
      .updateTable('model_text_document')
      .set({ is_settled: 0 })
      .where('kind', '=', kind)
      .where('blob', 'in', failed)
      .execute()
    const { numUpdatedRows } = await trx
      .updateTable('model_text')
      .set({ state: 'waiting', error: null, retry_at: 0, attempts: 0, finished_at: null })
      .where('kind', '=', kind)
      .where('state', '=', 'failed')
      .executeTakeFirstOrThrow()
    return Number(numUpdatedRows)
  })
}

export type ModelTextCounts = Record<ModelTextState, number>

export async function countModelFiles(db: Queryable, kind: ModelTextKind): Promise<ModelTextCounts> {
  const rows = await db
    .selectFrom('model_text')
    .where('kind', '=', kind)
    .groupBy('state')
    .select((it) => ['state' as const, it.fn.countAll<number>().as('count')])
    .execute()
  const counts = { waiting: 0, read: 0, failed: 0, skipped: 0, removed: 0 }
  for (const { state, count } of rows) counts[state] = Number(count)
  return counts
}

export interface DocumentModelFile extends Pick<QueuedModelFile, 'blob' | 'kind' | 'name' | 'state' | 'error'> {
  document_id: string
}

/** The state of the files that the documents show. */
export const listModelFilesOfDocuments = (db: Queryable, ids: readonly string[]): Promise<DocumentModelFile[]> =>
  db
    .selectFrom('model_text_document')
    .innerJoin('model_text', (join) =>
      join
        .onRef('model_text.blob', '=', 'model_text_document.blob')
        .onRef('model_text.kind', '=', 'model_text_document.kind'),
    )
    .select(['document_id', 'model_text.blob', 'model_text.kind', 'name', 'state', 'error'])
    .where('document_id', 'in', ['', ...ids])
    .orderBy('document_id')
    .orderBy('model_text.blob')
    .execute()

/** Documents with a file that is read or has failed since, and that do not have its text yet. */
export async function listDocumentsWithoutText(db: Queryable, kind: ModelTextKind, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('model_text_document')
    .innerJoin('model_text', (join) =>
      join
        .onRef('model_text.blob', '=', 'model_text_document.blob')
        .onRef('model_text.kind', '=', 'model_text_document.kind'),
    )
    .select('document_id')
    .distinct()
    .where('model_text_document.kind', '=', kind)
    .where('is_settled', '=', 0)
    .where('state', '<>', 'waiting')
    .orderBy('document_id')
    .limit(limit)
    .execute()
  return rows.map((it) => it.document_id)
}
