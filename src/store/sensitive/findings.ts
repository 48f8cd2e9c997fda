// Writes what was found in documents. The statements run in the transaction that writes the document.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isSecretKind } from '../../domain/sensitive/kinds.ts'
import { type ScannedContent, type SensitiveContent, scanDocument } from '../../domain/sensitive/scan-document.ts'
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'

/** Other work runs meanwhile. */
export const scanContent = (content: ScannedContent): Promise<SensitiveContent> =>
  scanDocument(content, () => nextTurn())

/** Looks at each document. */
export async function scanContents(contents: readonly ScannedContent[]): Promise<SensitiveContent[]> {
  const scanned: SensitiveContent[] = []
  for (const it of contents) scanned.push(await scanContent(it))
  return scanned
}

const IS_MODE = (mode: string) =>
  `exists (select 1 from setting where name = 'sensitive_content' and value = '"${mode}"')`

/** The value of `document.sensitive_text`: null while nothing is looked for. The parameter holds the hash. */
export const sensitiveTextSql = (parameter: string): string =>
  `case when ${IS_MODE('off')} then null else ${parameter} end`

/** A secret is in the text, and no administrator has said that it may be. Names a row of `document`. */
const HAS_OPEN_SECRET = `exists (select 1 from sensitive_finding as finding
    where finding.document_id = document.id and finding.text_hash = document.sensitive_text and finding.is_secret = 1
      and (finding.dismissed_count is null or finding.dismissed_count <> finding.count))
  and not exists (select 1 from sensitive_document as stated
    where stated.document_id = document.id and stated.released_text = document.sensitive_text)`

/** Whether the row of `document` belongs into quarantine. */
export const IN_QUARANTINE = `(${IS_MODE('quarantine')} and ${HAS_OPEN_SECRET})`

/** The statements that follow the write of a document that now has this text; they do nothing if it has another one. */
export function findingStatements(id: string, { textHash, findings }: SensitiveContent, now: number): SqlStatement[] {
  if (findings.length === 0) return []
  const hasText = 'exists (select 1 from document where id = ?1 and sensitive_text = ?2)'
  const stated = {
    sql: `insert into sensitive_document (document_id, text_hash, found_at) select ?1, ?2, cast(?3 as bigint) where ${hasText}
      on conflict (document_id) do update set text_hash = excluded.text_hash, found_at = excluded.found_at
      where sensitive_document.text_hash <> excluded.text_hash`,
    parameters: [id, textHash, now],
  }
  const found = findings.map(({ kind, count, places }) => ({
    sql: `insert into sensitive_finding (document_id, kind, text_hash, is_secret, count, places)
      select ?1, ?3, ?2, cast(?4 as bigint), cast(?5 as bigint), ?6 where ${hasText}
      on conflict (document_id, kind) do update set text_hash = excluded.text_hash, count = excluded.count,
        places = excluded.places`,
    parameters: [id, textHash, kind, isSecretKind(kind) ? 1 : 0, count, JSON.stringify(places)],
  }))
  if (!findings.some((it) => isSecretKind(it.kind))) return [stated, ...found]
  return [stated, ...found, quarantineStatement(id, now)]
}

/** Only for a document that this transaction has written: the index follows that change. */
const quarantineStatement = (id: string, now: number): SqlStatement => ({
  sql: `update document set quarantined_at = ?2
    where id = ?1 and seq = (select value from sequence where name = 'change') and ${IN_QUARANTINE}`,
  parameters: [id, now],
})

export interface UnsearchedDocument extends ScannedContent {
  id: string
  seq: number
}

/** Documents that were accepted while nothing was looked for, oldest changes first; at least one if there are any. */
export async function listUnsearchedDocuments(
  db: Queryable,
  { limit, maxBytes }: { limit: number; maxBytes: number },
): Promise<UnsearchedDocument[]> {
  const unsearched = db.selectFrom('document').where('sensitive_text', 'is', null).orderBy('seq')
  const sizes = await unsearched.select(['seq', 'body_bytes']).limit(limit).execute()
  let bytes = 0
  const seqs = sizes.filter((it, at) => {
    bytes += it.body_bytes
    return at === 0 || bytes <= maxBytes
  })
  if (seqs.length === 0) return []
  const rows = await unsearched
    .select(['id', 'seq', 'title', 'semantic_identifier', 'metadata', 'sections'])
    .where(
      'seq',
      'in',
      seqs.map((it) => it.seq),
    )
    .execute()
  return rows.map((it) => ({ ...it, metadata: JSON.parse(it.metadata), sections: JSON.parse(it.sections) }))
}

/** Writes what was found in this version. A newer one is searched by itself. */
export async function writeFindings(
  db: Database,
  { id, seq }: Pick<UnsearchedDocument, 'id' | 'seq'>,
  found: SensitiveContent,
  now: number,
): Promise<void> {
  const searched = {
    sql: `update document set sensitive_text = ${sensitiveTextSql('?3')}
      where id = ?1 and seq = ?2 and sensitive_text is null`,
    parameters: [id, seq, found.textHash],
  }
  await commitStatements(db, [searched, ...findingStatements(id, found, now)])
}
