// Writes document versions into the record. Every document that enters the service passes through this file.
import { contentWarnings, type DocumentContent, type DocumentWarning } from '../../domain/document.ts'
import { AppError } from '../../domain/errors.ts'
import { recordingsOf } from '../../domain/made-texts/transcript.ts'
import { picturesOf } from '../../domain/pictures/recognition.ts'
import type { SensitiveContent } from '../../domain/sensitive/scan-document.ts'
import { zip } from '../../domain/values/zip.ts'
import { rowsOfItem } from '../database/commit-statements.ts'
import type { Database, ItemResult, SqlRow, SqlStatement } from '../database/database.ts'
import { ownerStatements } from '../freshness/owners.ts'
import { captionStatements, withKnownCaptions } from '../made-texts/captions.ts'
import { modelTextStatements } from '../made-texts/model-texts.ts'
import { pictureStatements } from '../recognition/recognition.ts'
import { findingStatements, scanContents, sensitiveTextSql } from '../sensitive/findings.ts'
import { contentHash, fieldsOf } from './details/content-hash.ts'
import { type DocumentScope, mapReadableAccess, type WritablePairs } from './scope.ts'
import { scanWarnings } from './warnings.ts'

export interface AcceptedDocument {
  document_id: string
  already_existed: boolean
  /** Sequence number of the newest version in the change stream. */
  seq: number
  /** Size of the content that now has to be indexed; undefined when nothing changed. */
  addedBytes: number | undefined
  warnings: DocumentWarning[]
}

export interface NewDocument {
  content: DocumentContent
  ccPairId: number
  /** The owner from now on, see `Subject.user_id`. Absent when no client pushed the document. */
  pushedBy?: string
  /** Id of the request that brought the document; null when there was none. */
  requestId: string | null
  /**
   * Set when a connector read the document while it held this lease of the pair. Without the lease nothing is written.
   * A connector never overwrites a pushed document, because a user may have edited it.
   */
  pulled?: { fence: number }
}

/**
 * Writes a version of each document together with its sequence number. A version that equals the stored one changes
 * nothing, unless it adds the document to another cc-pair. Items fail independently. CC_PAIR_NOT_FOUND: the cc-pair is
 * unknown, being deleted or not writable. DOCUMENT_NOT_WRITABLE: the stored document also belongs to a pair that is not
 * writable, or the scope neither pushed it nor may read it.
 */
export async function acceptDocuments(
  db: Database,
  scope: DocumentScope,
  documents: readonly NewDocument[],
  now: number,
): Promise<(AcceptedDocument | Error)[]> {
  if (scope === 'all') return (await acceptWithStatements(db, documents, { now, also: [] })).accepted
  const results = await acceptScoped(db, scope, documents, now)
  // Access may have changed between the check and the write, so rejected documents are tried once more.
  const refused = zip(documents, results).flatMap(([document, it]) => (isForeign(it) ? [document] : []))
  if (refused.length === 0) return results
  const second = new Map(zip(refused, await acceptScoped(db, scope, refused, now)))
  return zip(documents, results).map(([document, result]) => second.get(document) ?? result)
}

const isForeign = (result: unknown) => result instanceof AppError && result.code === 'DOCUMENT_NOT_WRITABLE'

async function acceptScoped(
  db: Database,
  scope: Exclude<DocumentScope, 'all'>,
  sent: readonly NewDocument[],
  now: number,
): Promise<(AcceptedDocument | Error)[]> {
  const documents = await withKnownCaptions(db, sent)
  const readable = await mapReadableAccess(db, scope, [...new Set(documents.map((it) => it.content.id))])
  const acceptance = acceptanceSql(scope.pairs)
  const found = await scanContents(documents.map((it) => it.content))
  const items = zip(documents, found).map(([it, sensitive]) => {
    const own = { owner: scope.owner, readable: readable.get(it.content.id) ?? NO_ACCESS }
    return acceptStatements(acceptance, it, sensitive, { now, own })
  })
  const results = await db.commit(items.map((it) => it.statements))
  return zip(items, results).map(([item, result]) => toAcceptedDocument(item, result))
}

/** No stored access list has this text. */
const NO_ACCESS = ''

/**
 * Like `acceptDocuments` for documents that a connector read, or with scope 'all', plus one more item in the same
 * transaction. Returns the rows of its statements as well; throws its error. DOCUMENT_NOT_WRITABLE: the stored document
 * also belongs to a pair that is not writable.
 */
export async function acceptWithStatements(
  db: Database,
  sent: readonly NewDocument[],
  { now, also, writable = 'all' }: { now: number; also: readonly SqlStatement[]; writable?: WritablePairs },
): Promise<{ accepted: (AcceptedDocument | Error)[]; rows: SqlRow[][] }> {
  const documents = await withKnownCaptions(db, sent)
  const acceptance = writable === 'all' ? unscopedAcceptanceSql : acceptanceSql(writable)
  const found = await scanContents(documents.map((it) => it.content))
  const items = zip(documents, found).map(([it, sensitive]) => acceptStatements(acceptance, it, sensitive, { now }))
  const results = await db.commit([...items.map((it) => it.statements), also])
  const accepted = zip(items, results.slice(0, items.length)).map(([item, result]) => toAcceptedDocument(item, result))
  return { accepted, rows: results.slice(items.length).flatMap(rowsOfItem) }
}

function toAcceptedDocument(
  { document: { content, ccPairId }, bytes }: Acceptance,
  result: ItemResult,
): AcceptedDocument | Error {
  if (!result.ok) return result.error
  const [, [before], , [written]] = result.rows as AcceptanceRows
  if (before.pair === null) return new AppError('CC_PAIR_NOT_FOUND', { id: ccPairId })
  if (before.is_foreign !== null) return new AppError('DOCUMENT_NOT_WRITABLE')
  return {
    document_id: content.id,
    already_existed: before.seq !== null,
    seq: Number(written?.seq ?? before.seq),
    addedBytes: written === undefined ? undefined : bytes,
    warnings: contentWarnings(content),
  }
}

/** The rows that the statements of an acceptance return. A selection without a table has one row. */
type AcceptanceRows = [counted: SqlRow[], before: [SqlRow], linked: SqlRow[], written: SqlRow[]]

const SELECT_BEFORE = (isWritable: string, foreign: string) => `select
  (select 1 from cc_pair where id = ?2 and ${isWritable}) as pair,
  (${foreign}) as is_foreign,
  (select seq from document where id = ?1 and deleted_at is null) as seq`
/** Runs first: it serializes concurrent writers, so what an item reads stays true until its end. */
const NEXT_CHANGE_SEQ = `update sequence set value = value + 1 where name = 'change'`
const INSERT_LINK = (target: string) => `insert into document_cc_pair (document_id, cc_pair_id, seq)
  select ?1, id, (select value from sequence where name = 'change') ${target}
  on conflict (document_id, cc_pair_id) do nothing`
const UNLESS_PUSHED =
  'and not exists (select 1 from document where id = ?1 and from_ingestion_api = 1 and deleted_at is null)'
const WHILE_LEASE_HELD = (fence: string) =>
  `and exists (select 1 from cc_pair_schedule as held where held.cc_pair_id = ?2 and held.fence = ${fence})`
const SAME_TITLE = `document.semantic_identifier = excluded.semantic_identifier
      and coalesce(document.title, '') = coalesce(excluded.title, '')`
/**
 * Writes nothing when the stored version is identical, not deleted and not failed, and the document gains no cc-pair.
 */
const UPSERT_DOCUMENT = (target: string) => `insert into document (
    id, seq, version, content_hash, semantic_identifier, title, source, link, doc_updated_at, metadata,
    primary_owners, secondary_owners, external_access, from_ingestion_api, accepted_at, body_bytes, sections,
    request_id, changed_at, warnings, hidden_characters, pushed_by, no_text, sensitive_text, text_report)
  select ?1, (select value from sequence where name = 'change'), 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?19, ?13, ?14, ?15,
    ?16, ?13, ?17, ?18, ?20, ?21, ${sensitiveTextSql('?22')}, ?23
  ${target}
  on conflict (id) do update set
    seq = excluded.seq, version = document.version + 1, content_hash = excluded.content_hash,
    semantic_identifier = excluded.semantic_identifier, title = excluded.title, source = excluded.source,
    link = excluded.link, doc_updated_at = excluded.doc_updated_at, metadata = excluded.metadata,
    primary_owners = excluded.primary_owners, secondary_owners = excluded.secondary_owners,
    external_access = excluded.external_access, from_ingestion_api = excluded.from_ingestion_api, accepted_at = excluded.accepted_at,
    body_bytes = excluded.body_bytes, sections = excluded.sections, deleted_at = null,
    request_id = excluded.request_id, changed_at = excluded.changed_at,
    warnings = excluded.warnings, hidden_characters = excluded.hidden_characters, pushed_by = excluded.pushed_by,
    no_text = excluded.no_text, sensitive_text = excluded.sensitive_text, text_report = excluded.text_report, quarantined_at = null,
    text_changed_at = case when document.sections = excluded.sections and ${SAME_TITLE} then document.text_changed_at
      else excluded.changed_at end,
    held_from_prune = 0, deleted_by = null, deletion_cause = null, trashed_pairs = null
  where (excluded.from_ingestion_api >= document.from_ingestion_api or document.deleted_at is not null)
    and (document.content_hash <> excluded.content_hash or document.deleted_at is not null
      or excluded.from_ingestion_api > document.from_ingestion_api
      or exists (select 1 from document_cc_pair as link
        where link.document_id = document.id and link.cc_pair_id = ?2 and link.seq = excluded.seq)
      or exists (select 1 from receipt
        where receipt.document_id = document.id and receipt.seq = document.seq and receipt.error is not null))
  returning seq`

const selectOtherLinks = (ids: string) => `select 1 from document_cc_pair as link
    where link.document_id = ?1 and link.cc_pair_id not in (${ids})`

/** `owner` and `readable` are the placeholders of the owner and of the access list that the scope may read. */
const selectForeign = (ids: string, owner: string, readable: string) => `${selectOtherLinks(ids)}
  union all select 1 from document as held
    where held.id = ?1 and held.deleted_at is null and held.external_access is not null
      and held.external_access <> ${readable} and (held.pushed_by is null or held.pushed_by <> ${owner})
  limit 1`

/** Builds the SQL of an acceptance. The ids in it are integers of our own, so they may be part of the text. */
function acceptanceSql(writable: WritablePairs) {
  // SQL has no empty list; no pair has the id -1.
  const ids = writable === 'all' ? '' : [-1, ...writable].map(Number).join()
  const isWritable = `cc_pair.status <> 'DELETING'${writable === 'all' ? '' : ` and cc_pair.id in (${ids})`}`
  const foreign = (owner: string, readable: string) =>
    writable === 'all' ? 'select 1 where 1 = 0' : selectForeign(ids, owner, readable)
  const target = (foreignDocument: string) =>
    `from cc_pair where cc_pair.id = ?2 and ${isWritable} and not exists (${foreignDocument})`
  const pulledForeign = writable === 'all' ? foreign('', '') : selectOtherLinks(ids)
  return {
    before: SELECT_BEFORE(isWritable, foreign('?3', '?4')),
    link: INSERT_LINK(target(foreign('?3', '?4'))),
    upsert: UPSERT_DOCUMENT(target(foreign('?20', '?24'))),
    pulledBefore: SELECT_BEFORE(isWritable, `${pulledForeign} limit 1`),
    pulledLink: INSERT_LINK(`${target(pulledForeign)} ${WHILE_LEASE_HELD('?3')} ${UNLESS_PUSHED}`),
    pulledUpsert: UPSERT_DOCUMENT(`${target(pulledForeign)} ${WHILE_LEASE_HELD('?24')}`),
  }
}
interface Acceptance {
  document: NewDocument
  statements: SqlStatement[]
  bytes: number
}

type AcceptanceSql = ReturnType<typeof acceptanceSql>
const unscopedAcceptanceSql = acceptanceSql('all')

function acceptStatements(
  acceptance: AcceptanceSql,
  document: NewDocument,
  found: SensitiveContent,
  { now, own }: { now: number; own?: { owner: string; readable: string } },
): Acceptance {
  const { content, ccPairId, requestId, pushedBy, pulled } = document
  const { id } = content
  const body = JSON.stringify(content.sections)
  const fields = fieldsOf(content)
  const hash = contentHash(fields, body)
  const pair = [id, ccPairId]
  const warningColumns = [scanWarnings(content), content.hidden_characters]
  const row = [...pair, hash, ...fields, now, body.length, body, requestId, ...warningColumns]
  const noText = contentWarnings(content).includes('no_text') ? 1 : 0
  const report = content.report === undefined ? null : JSON.stringify(content.report)
  const scoped = own === undefined ? [] : [own.owner, own.readable]
  const writing =
    pulled === undefined
      ? [
          { sql: acceptance.link, parameters: [...pair, ...scoped] },
          {
            sql: acceptance.upsert,
            parameters: [...row, 1, pushedBy ?? null, noText, found.textHash, report, ...scoped.slice(1)],
          },
        ]
      : [
          { sql: acceptance.pulledLink, parameters: [...pair, pulled.fence] },
          { sql: acceptance.pulledUpsert, parameters: [...row, 0, null, noText, found.textHash, report, pulled.fence] },
        ]
  const before =
    pulled === undefined
      ? { sql: acceptance.before, parameters: [...pair, ...scoped] }
      : { sql: acceptance.pulledBefore, parameters: pair }
  const pictures = pictureStatements(id, picturesOf(content.sections), now)
  const recordings = modelTextStatements(id, recordingsOf(content.sections), now)
  const captions = captionStatements(id, content.sections, now)
  const after = [
    ...pictures,
    ...recordings,
    ...captions,
    ...ownerStatements(content),
    ...findingStatements(id, found, now),
  ]
  const statements = [{ sql: NEXT_CHANGE_SEQ, parameters: [] }, before, ...writing, ...after]
  return { document, statements, bytes: body.length }
}
