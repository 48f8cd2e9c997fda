// Documents that the runs of a pair skipped on purpose, with the reasons.
import { type CompiledQuery, type Selectable, sql } from 'kysely'
import type { SkippedDocumentRow } from '../database/connector-run-tables.ts'
import type { Database, Queryable } from '../database/database.ts'
import { digestOfKey, type OffsetPage } from './index-attempts.ts'
import type { PairLease } from './schedules.ts'

export type SkippedDocument = Selectable<SkippedDocumentRow>

export interface NewSkippedDocument {
  document_id: string
  document_link: string | null
  reason: string
}

/**
 * Statements for the transaction of a batch. They change nothing once the lease is lost. `read` holds ids of documents
 * that the batch did read, so they are no longer skipped.
 */
export function skipStatements(
  db: Database,
  { cc_pair_id, fence }: PairLease,
  attemptId: number,
  { skipped, read }: { skipped: readonly NewSkippedDocument[]; read: readonly string[] },
  now: number,
): CompiledQuery[] {
  const held = db
    .selectFrom('cc_pair_schedule')
    .where('cc_pair_schedule.cc_pair_id', '=', cc_pair_id)
    .where('fence', '=', fence)
  const removal = db
    .deleteFrom('skipped_document')
    .where('cc_pair_id', '=', cc_pair_id)
    .where('key', 'in', ['', ...read.map(digestOfKey)])
    .where((it) => it.exists(held.select('fence')))
  const insertion = ({ document_id, document_link, reason }: NewSkippedDocument) =>
    db
      .insertInto('skipped_document')
      .columns(['cc_pair_id', 'key', 'document_id', 'document_link', 'reason', 'index_attempt_id', 'time_created'])
      .expression(
        held.select((select) => [
          'cc_pair_id',
          select.val(digestOfKey(document_id)).as('key'),
          select.val(document_id).as('document_id'),
          select.val(document_link).as('document_link'),
          select.val(reason).as('reason'),
          select.val(attemptId).as('index_attempt_id'),
          select.val(now).as('time_created'),
        ]),
      )
      .onConflict((it) =>
        it
          .columns(['cc_pair_id', 'key'])
          .doUpdateSet({ document_link, reason, index_attempt_id: attemptId, time_created: now }),
      )
  return [...(read.length > 0 ? [removal.compile()] : []), ...skipped.map((it) => insertion(it).compile())]
}

/** Counts documents of a pair skipped at or after `since`. */
export async function countSkippedDocuments(db: Queryable, cc_pair_id: number, since: number): Promise<number> {
  const { count } = await db
    .selectFrom('skipped_document')
    .select((it) => it.fn.countAll<number>().as('count'))
    .where('cc_pair_id', '=', cc_pair_id)
    .where('time_created', '>=', since)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Call it after a run that read everything since `since`: what it did not skip again is gone from the source or was
 * read.
 */
export async function trimSkippedDocuments(db: Database, cc_pair_id: number, since: number): Promise<void> {
  await db
    .deleteFrom('skipped_document')
    .where('cc_pair_id', '=', cc_pair_id)
    .where('time_created', '<', since)
    .execute()
}

/** The reasons of files that were skipped because they are scans or pictures, as `like` patterns. */
const SCAN_REASONS = [
  '%images without text.',
  ...['png', 'jpg', 'jpeg', 'tif', 'tiff'].map((it) => `%No text can be extracted from this kind of file: %.${it}`),
]

/** The reasons of recordings that were skipped because no model made transcripts, as `like` patterns. */
const RECORDING_REASONS = [
  '%No transcription model is set up.%',
  ...['mp3', 'm4a', 'mp4', 'wav', 'ogg', 'oga', 'opus', 'flac', 'webm'].map(
    (it) => `%No text can be extracted from this kind of file: %.${it}`,
  ),
]

/** Scans and pictures that were skipped, for example before their text could be recognised. At most `limit`. */
export const listSkippedScans = (db: Queryable, limit: number) => listSkippedBecause(db, SCAN_REASONS, limit)

/** Recordings that were skipped, for example before a transcription model was set up. At most `limit`. */
export const listSkippedRecordings = (db: Queryable, limit: number) => listSkippedBecause(db, RECORDING_REASONS, limit)

const listSkippedBecause = (
  db: Queryable,
  patterns: readonly string[],
  limit: number,
): Promise<Pick<SkippedDocument, 'cc_pair_id' | 'document_id'>[]> =>
  db
    .selectFrom('skipped_document')
    .select(['cc_pair_id', 'document_id'])
    .where((it) => it.or(patterns.map((pattern) => sql<boolean>`lower(reason) like lower(${pattern})`)))
    .orderBy('cc_pair_id')
    .orderBy('document_id')
    .limit(limit)
    .execute()

/** Returns them in order of document ids. */
export async function listSkippedDocuments(
  db: Queryable,
  cc_pair_id: number,
  { limit, offset }: OffsetPage,
): Promise<{ skipped: SkippedDocument[]; total: number }> {
  const own = db.selectFrom('skipped_document').where('cc_pair_id', '=', cc_pair_id)
  const skipped = await own.selectAll().orderBy('document_id').limit(limit).offset(offset).execute()
  const { total } = await own.select((it) => it.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { skipped, total }
}
