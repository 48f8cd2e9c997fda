// Which documents are in quarantine, and what administrators decide about findings.
import { sql } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { SensitiveKind } from '../../domain/sensitive/kinds.ts'
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'
import { IN_QUARANTINE } from './findings.ts'

const BATCH = 100

/**
 * Moves documents into quarantine and out of it, as the setting and the findings say now. Returns the number of the last
 * change, null if there was none; more may be left.
 */
export async function reconcileQuarantine(db: Database, now: number): Promise<number | null> {
  const ids = [...(await listUnquarantined(db)), ...(await listReleasable(db))]
  return ids.length === 0
    ? null
    : commitMoves(
        db,
        ids.flatMap((id) => moveStatements(id, now)),
      )
}

async function listUnquarantined(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select distinct document.id from sensitive_finding as secret
    inner join document on document.id = secret.document_id
    where secret.is_secret = 1 and document.quarantined_at is null and ${sql.raw(IN_QUARANTINE)} limit ${sql.lit(BATCH)}`.execute(
    db,
  )
  return rows.map((it) => it.id)
}

async function listReleasable(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from document
    where quarantined_at is not null and not ${sql.raw(IN_QUARANTINE)} limit ${sql.lit(BATCH)}`.execute(db)
  return rows.map((it) => it.id)
}

const NEXT_SEQ = `update sequence set value = value + 1 where name = 'change'`

/** Each move is a change that the index follows. */
const moveStatements = (id: string, now: number): SqlStatement[] => [
  { sql: NEXT_SEQ, parameters: [] },
  {
    sql: `update document set quarantined_at = ?2, seq = (select value from sequence where name = 'change')
      where id = ?1 and quarantined_at is null and ${IN_QUARANTINE} returning seq`,
    parameters: [id, now],
  },
  { sql: NEXT_SEQ, parameters: [] },
  {
    sql: `update document set quarantined_at = null, seq = (select value from sequence where name = 'change')
      where id = ?1 and quarantined_at is not null and not ${IN_QUARANTINE} returning seq`,
    parameters: [id],
  },
]

async function commitMoves(db: Database, statements: readonly SqlStatement[]): Promise<number | null> {
  const rows = await commitStatements(db, statements)
  const seqs = rows.flat().map((it) => Number(it.seq))
  return seqs.length === 0 ? null : Math.max(...seqs)
}

/**
 * Says that the present text of the document may be found although it has secrets, or no longer says it. Returns the
 * number of the change, null if none was needed. FINDING_NOT_FOUND: nothing was found in the document.
 */
export async function setReleased(
  db: Database,
  id: string,
  { isReleased, now }: { isReleased: boolean; now: number },
): Promise<number | null> {
  await requireFinding(db, id, null)
  const decision = {
    sql: `update sensitive_document set released_at = ?2,
      released_text = ${isReleased ? '(select sensitive_text from document where id = ?1)' : 'null'} where document_id = ?1`,
    parameters: [id, isReleased ? now : null],
  }
  return commitMoves(db, [decision, ...moveStatements(id, now)])
}

/**
 * Says that findings of this kind are no problem until their count changes, or no longer says it. Returns what
 * `setReleased` returns. FINDING_NOT_FOUND: the document has none of this kind.
 */
export async function setDismissed(
  db: Database,
  id: string,
  { kind, isDismissed, now }: { kind: SensitiveKind; isDismissed: boolean; now: number },
): Promise<number | null> {
  await requireFinding(db, id, kind)
  const decision = {
    sql: `update sensitive_finding set dismissed_at = ?3, dismissed_count = ${isDismissed ? 'count' : 'null'}
      where document_id = ?1 and kind = ?2`,
    parameters: [id, kind, isDismissed ? now : null],
  }
  return commitMoves(db, [decision, ...moveStatements(id, now)])
}

async function requireFinding(db: Queryable, id: string, kind: SensitiveKind | null): Promise<void> {
  const found = await db
    .selectFrom('sensitive_finding')
    .innerJoin('document', 'document.id', 'document_id')
    .select('document_id')
    .where('document_id', '=', id)
    .whereRef('text_hash', '=', 'sensitive_text')
    .where('deleted_at', 'is', null)
    .$if(kind !== null, (it) => it.where('kind', '=', kind ?? 'jwt'))
    .executeTakeFirst()
  if (found === undefined) throw new AppError('FINDING_NOT_FOUND')
}

const SEARCHED = `select 1 from document where document.id = document_id and document.sensitive_text =`
/** The rows of each table that tell of a text that is no longer there. */
const STALE: readonly [table: string, condition: string][] = [
  ['sensitive_finding', `not exists (${SEARCHED} text_hash)`],
  [
    'sensitive_document',
    `not exists (${SEARCHED} text_hash)
      and (released_text is null or not exists (select 1 from document where document.id = document_id))`,
  ],
]

/**
 * Forgets findings that the newest text no longer has. A release stays for the text that was released. Without any, it
 * writes nothing, so that an idle program leaves its disk alone.
 */
export async function sweepFindings(db: Database): Promise<void> {
  for (const [table, condition] of STALE) {
    const found = await sql`select 1 from ${sql.table(table)} where ${sql.raw(condition)} limit 1`.execute(db)
    if (found.rows.length === 0) continue
    await commitStatements(db, [{ sql: `delete from ${table} where ${condition}`, parameters: [] }])
  }
}

const FORGET_BATCH = 500

/** For the setting `off`: forgets findings, so that their documents are searched again later. Returns how many there were. */
export async function forgetFindings(db: Database): Promise<number> {
  const rows = await db.selectFrom('sensitive_finding').select('document_id').distinct().limit(FORGET_BATCH).execute()
  const statements = rows.flatMap(({ document_id: id }) => [
    { sql: 'update document set sensitive_text = null where id = ?1', parameters: [id] },
    { sql: 'delete from sensitive_finding where document_id = ?1', parameters: [id] },
  ])
  if (statements.length > 0) await commitStatements(db, statements)
  return rows.length
}
