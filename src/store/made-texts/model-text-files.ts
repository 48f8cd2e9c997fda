// How long the files of which models make texts, and these texts, are kept.
import { sql } from 'kysely'
import type { Database, Queryable } from '../database/database.ts'

/** Whether the bytes wait for the text of a model. */
export async function isWaitingForModel(db: Queryable, blob: string): Promise<boolean> {
  const row = db.selectFrom('model_text').select('blob').where('blob', '=', blob).where('state', '=', 'waiting')
  return (await row.executeTakeFirst()) !== undefined
}

/** Whether a document that a connector read waits for the text of these bytes. */
export async function isModelFileNeeded(db: Queryable, blob: string): Promise<boolean> {
  const waiting = db
    .selectFrom('model_text_document')
    .innerJoin('model_text', (join) =>
      join
        .onRef('model_text.blob', '=', 'model_text_document.blob')
        .onRef('model_text.kind', '=', 'model_text_document.kind'),
    )
    .innerJoin('document', 'document.id', 'document_id')
    .select('document_id')
    .where('model_text.blob', '=', blob)
    .where('state', '=', 'waiting')
    .where('from_ingestion_api', '=', 0)
  return (await waiting.executeTakeFirst()) !== undefined
}

/** For a file whose bytes are deleted. Documents keep the text that they have. */
export async function forgetModelTexts(db: Queryable, blob: string): Promise<void> {
  await db.deleteFrom('model_text_document').where('blob', '=', blob).execute()
  await db.deleteFrom('model_text').where('blob', '=', blob).execute()
}

/** Forgets which documents showed a file, finished before that time, that their newest version no longer shows. */
export async function forgetReplacedModelFiles(db: Database, before: number): Promise<void> {
  const finished = db.selectFrom('model_text').select('blob').where('finished_at', '<', before)
  await db
    .deleteFrom('model_text_document')
    .where('blob', 'in', finished)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('document')
            .select('id')
            .whereRef('id', '=', 'model_text_document.document_id')
            // The name of the bytes is a hash, so it has no sign that a pattern treats specially.
            .where(sql<boolean>`sections like '%' || model_text_document.blob || '%'`),
        ),
      ),
    )
    .execute()
}

/** Files that were finished before that time, and that no document shows and no upload has. */
export async function listUnusedModelFiles(db: Queryable, before: number): Promise<string[]> {
  const rows = await db
    .selectFrom('model_text')
    .select('blob')
    .distinct()
    .where('finished_at', '<', before)
    .where('blob', 'not in', db.selectFrom('model_text_document').select('blob'))
    .where('blob', 'not in', db.selectFrom('recognition_document').select('blob'))
    .where('blob', 'not in', db.selectFrom('user_file').select('blob'))
    .execute()
  return rows.map((it) => it.blob)
}
