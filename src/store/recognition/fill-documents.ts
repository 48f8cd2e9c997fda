// Gives documents the text that was recognised in their pictures, as a new version that the indexes follow.
import { contentWarnings, type DocumentSection, MAX_TEXT } from '../../domain/document.ts'
import { fillSections } from '../../domain/pictures/recognition.ts'
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable } from '../database/database.ts'
import { contentHash, storedFields } from '../documents/details/content-hash.ts'
import { scanWarnings } from '../documents/warnings.ts'
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
 * Adds the texts of its pictures to the document. Returns the number of the change and its size; null if nothing
 * changed. A newer version that comes meanwhile wins.
 */
export async function fillDocument(
  db: Database,
  id: string,
  now: number,
): Promise<{ seq: number; addedBytes: number } | null> {
  const row = await db.selectFrom('document').selectAll().where('id', '=', id).executeTakeFirst()
  const links = await db.selectFrom('recognition_document').select('blob').where('document_id', '=', id).execute()
  const blobs = links.map((it) => it.blob)
  const pages = await mapReadPages(db, blobs)
  const stored: DocumentSection[] = row === undefined ? [] : JSON.parse(row.sections)
  const sections = fillSections(stored, pages, MAX_TEXT)
  const body = JSON.stringify(sections)
  const settle = {
    sql: `update recognition_document set is_settled = 1 where document_id = ?1 and blob in
      (select blob from recognition where state <> 'waiting')
      and not exists (select 1 from document where id = ?1 and version <> ?2)`,
    parameters: [id, row?.version ?? 0],
  }
  if (row === undefined || body === row.sections) {
    await commitStatements(db, [settle])
    return null
  }
  const noText = contentWarnings({ sections }).includes('no_text') ? 1 : 0
  const warnings = scanWarnings({ ...row, sections })
  const hash = contentHash(storedFields(row), body)
  const found = await scanContent({ ...row, metadata: JSON.parse(row.metadata), sections })
  const [, , written] = await commitStatements(db, [
    { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
    settle,
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
