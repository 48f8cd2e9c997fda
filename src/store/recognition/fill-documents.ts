// Gives documents the texts that were made of their pictures and recordings, as a new version that the indexes follow.
import { contentWarnings, type DocumentSection, MAX_SECTIONS, MAX_TEXT } from '../../domain/document.ts'
import { fillRecordings } from '../../domain/made-texts/transcript.ts'
import { fillSections } from '../../domain/pictures/recognition.ts'
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'
import { contentHash, storedFields } from '../documents/details/content-hash.ts'
import { scanWarnings } from '../documents/warnings.ts'
import { fillKnownCaptions } from '../made-texts/captions.ts'
import { mapModelContents } from '../made-texts/model-texts.ts'
import { findingStatements, scanContent, sensitiveTextSql } from '../sensitive/findings.ts'
import { mapReadPages } from './recognition.ts'

/** Documents with a picture that is read or has failed since, and that do not have its text yet. */
export async function listUnsettledDocuments(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('recognition_document')
    .innerJoin('recognition', 'recognition.blob', 'recognition_document.blob')
    .select('document_id')
    .distinct()
    .where('is_settled', '=', 0)
    .where('state', '<>', 'waiting')
    .orderBy('document_id')
    .limit(limit)
    .execute()
  return rows.map((it) => it.document_id)
}

/**
 * Adds the texts and the captions of its pictures and the transcripts of its recordings to the document, and takes away captions
 * that were deleted. Returns the number of the change and its size; null if nothing changed. A newer version that comes meanwhile wins.
 */
export async function fillDocument(
  db: Database,
  id: string,
  now: number,
): Promise<{ seq: number; addedBytes: number } | null> {
  const row = await db.selectFrom('document').selectAll().where('id', '=', id).executeTakeFirst()
  const sections = await fillStored(db, id, row === undefined ? [] : JSON.parse(row.sections))
  const body = JSON.stringify(sections)
  const settle = settleStatements(id, row?.version ?? 0)
  if (row === undefined || body === row.sections) {
    await commitStatements(db, settle)
    return null
  }
  const noText = contentWarnings({ sections }).includes('no_text') ? 1 : 0
  const warnings = scanWarnings({ ...row, sections })
  const hash = contentHash(storedFields(row), body)
  const found = await scanContent({ ...row, metadata: JSON.parse(row.metadata), sections })
  const [, , , written] = await commitStatements(db, [
    { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
    ...settle,
    {
      sql: `update document set sections = ?3, body_bytes = ?4, content_hash = ?5, no_text = ?6, warnings = ?7,
          changed_at = ?8, sensitive_text = ${sensitiveTextSql('?9')}, quarantined_at = null, version = version + 1, seq = (select value from sequence where name = 'change')
        where id = ?1 and version = ?2 returning seq`,
      parameters: [id, row.version, body, body.length, hash, noText, warnings, now, found.textHash],
    },
    ...findingStatements(id, found, now),
  ])
  const seq = written?.[0]?.seq
  return seq === undefined ? null : { seq: Number(seq), addedBytes: body.length }
}

async function fillStored(db: Queryable, id: string, stored: readonly DocumentSection[]): Promise<DocumentSection[]> {
  const links = await db.selectFrom('recognition_document').select('blob').where('document_id', '=', id).execute()
  const pages = await mapReadPages(
    db,
    links.map((it) => it.blob),
  )
  const files = await db.selectFrom('model_text_document').select('blob').where('document_id', '=', id).execute()
  const contents = await mapModelContents(
    db,
    'transcript',
    files.map((it) => it.blob),
  )
  const limits = { maxLength: MAX_TEXT, maxSections: MAX_SECTIONS }
  return fillKnownCaptions(db, fillRecordings(fillSections(stored, pages, MAX_TEXT), contents, limits))
}

/** The texts that are known now are in the version; a newer version settles itself. */
const settleStatements = (id: string, version: number): [SqlStatement, SqlStatement] => [
  {
    sql: `update recognition_document set is_settled = 1 where document_id = ?1 and blob in
      (select blob from recognition where state <> 'waiting')
      and not exists (select 1 from document where id = ?1 and version <> ?2)`,
    parameters: [id, version],
  },
  {
    sql: `update model_text_document set is_settled = 1 where document_id = ?1 and exists
      (select 1 from model_text where model_text.blob = model_text_document.blob
        and model_text.kind = model_text_document.kind and state <> 'waiting')
      and not exists (select 1 from document where id = ?1 and version <> ?2)`,
    parameters: [id, version],
  },
]
