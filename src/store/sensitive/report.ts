// Findings, for administrators: by source, by connector and by document.
import { type FindingPlace, SENSITIVE_KINDS, type SensitiveKind } from '../../domain/sensitive/kinds.ts'
import type { Queryable } from '../database/database.ts'
import { listPairsOfDocuments, selectIdsOfPairs } from '../documents/lists.ts'

export const FINDING_STATES = ['open', 'dismissed', 'quarantined', 'released'] as const
export type FindingState = (typeof FINDING_STATES)[number]

export interface FindingFilter {
  source: string | null
  kind: SensitiveKind | null
  ccPairId: number | null
  state: FindingState | null
}

/** Findings of the present text of documents that are not deleted. */
const selectFindings = (db: Queryable) =>
  db
    .selectFrom('sensitive_finding as finding')
    .innerJoin('document', (join) =>
      join.onRef('document.id', '=', 'finding.document_id').onRef('document.sensitive_text', '=', 'finding.text_hash'),
    )
    .where('document.deleted_at', 'is', null)

export interface KindCount {
  kind: SensitiveKind
  documents: number
  /** How often it was found in them. */
  count: number
}

type KindRow = { kind: SensitiveKind }
const kindOrder = (a: KindRow, b: KindRow): number => SENSITIVE_KINDS.indexOf(a.kind) - SENSITIVE_KINDS.indexOf(b.kind)

const selectOpenFindings = (db: Queryable) =>
  selectFindings(db).where((it) =>
    it.or([it('finding.dismissed_count', 'is', null), it('finding.dismissed_count', '<>', it.ref('finding.count'))]),
  )

/** Counts findings that are not dismissed. */
export async function countFindingsBySource(db: Queryable): Promise<(KindCount & { source: string })[]> {
  const rows = await selectOpenFindings(db)
    .groupBy(['document.source', 'finding.kind'])
    .select(['document.source', 'finding.kind'])
    .select((it) => [it.fn.countAll<number>().as('documents'), it.fn.sum<number>('finding.count').as('count')])
    .orderBy('document.source')
    .execute()
  return rows.toSorted((a, b) => (a.source === b.source ? kindOrder(a, b) : 0))
}

/** Does the same by connector. A document of two connectors counts for both. */
export async function countFindingsByPair(
  db: Queryable,
): Promise<(KindCount & { cc_pair_id: number; name: string })[]> {
  const rows = await selectOpenFindings(db)
    .innerJoin('document_cc_pair as place', 'place.document_id', 'document.id')
    .innerJoin('cc_pair', 'cc_pair.id', 'place.cc_pair_id')
    .groupBy(['cc_pair.id', 'cc_pair.name', 'finding.kind'])
    .select(['cc_pair.id as cc_pair_id', 'cc_pair.name', 'finding.kind'])
    .select((it) => [it.fn.countAll<number>().as('documents'), it.fn.sum<number>('finding.count').as('count')])
    .execute()
  return rows.toSorted((a, b) => a.cc_pair_id - b.cc_pair_id || kindOrder(a, b))
}

/** Documents that wait to be searched, and those in quarantine. */
export async function countUnsearched(db: Queryable): Promise<{ unsearched: number; quarantined: number }> {
  const living = db.selectFrom('document').select((it) => it.fn.countAll<number>().as('count'))
  const unsearched = await living.where('sensitive_text', 'is', null).executeTakeFirstOrThrow()
  const held = living.where('quarantined_at', 'is not', null).where('deleted_at', 'is', null)
  return { unsearched: unsearched.count, quarantined: (await held.executeTakeFirstOrThrow()).count }
}

export interface ListedFinding {
  kind: SensitiveKind
  is_secret: boolean
  count: number
  places: FindingPlace[]
  /** Null unless an administrator has said that this count is no problem. */
  dismissed_at: number | null
}

export interface SensitiveDocument {
  document_id: string
  seq: number
  /** May hold what was found. */
  semantic_identifier: string
  source: string
  found_at: number
  quarantined_at: number | null
  /** Null unless an administrator has released the present text. */
  released_at: number | null
  cc_pairs: { id: number; name: string }[]
  findings: ListedFinding[]
}

/** Lists documents with findings, newest changes first. `before` limits the list to lower sequence numbers. */
export async function listSensitiveDocuments(
  db: Queryable,
  filter: FindingFilter & { documentId?: string },
  { before, limit }: { before: number | null; limit: number },
): Promise<SensitiveDocument[]> {
  const rows = await selectDocuments(db, filter)
    .$if(before !== null, (it) => it.where('document.seq', '<', before ?? 0))
    .orderBy('document.seq', 'desc')
    .limit(limit)
    .execute()
  const ids = rows.map((it) => it.document_id)
  const pairs = await listPairsOfDocuments(db, ids)
  const findings = await mapFindings(db, ids)
  return rows.map(({ released_text, sensitive_text, released_at, ...row }) => ({
    ...row,
    released_at: released_text === sensitive_text ? released_at : null,
    cc_pairs: pairs.get(row.document_id) ?? [],
    findings: findings.get(row.document_id) ?? [],
  }))
}

function selectDocuments(
  db: Queryable,
  { source, kind, ccPairId, state, documentId }: FindingFilter & { documentId?: string },
) {
  const found = (state === 'open' ? selectOpenFindings(db) : selectFindings(db))
    .select('finding.document_id')
    .$if(kind !== null, (it) => it.where('finding.kind', '=', kind ?? 'jwt'))
    .$if(state === 'dismissed', (it) => it.whereRef('finding.dismissed_count', '=', 'finding.count'))
  return db
    .selectFrom('document')
    .innerJoin('sensitive_document as stated', 'stated.document_id', 'document.id')
    .select(['document.id as document_id', 'document.seq', 'document.semantic_identifier', 'document.source'])
    .select(['stated.found_at', 'stated.released_text', 'stated.released_at'])
    .select(['document.sensitive_text', 'document.quarantined_at'])
    .where('document.deleted_at', 'is', null)
    .where('document.id', 'in', found)
    .$if(documentId !== undefined, (it) => it.where('document.id', '=', documentId ?? ''))
    .$if(source !== null, (it) => it.where('document.source', '=', source ?? ''))
    .$if(ccPairId !== null, (it) => it.where('document.id', 'in', selectIdsOfPairs(db, [ccPairId ?? -1])))
    .$if(state === 'quarantined', (it) => it.where('document.quarantined_at', 'is not', null))
    .$if(state === 'released', (it) => it.whereRef('stated.released_text', '=', 'document.sensitive_text'))
}

async function mapFindings(db: Queryable, ids: readonly string[]): Promise<Map<string, ListedFinding[]>> {
  const rows = await selectFindings(db)
    .select(['finding.document_id', 'kind', 'is_secret', 'count', 'places', 'dismissed_count', 'dismissed_at'])
    .where('finding.document_id', 'in', ['', ...ids])
    .execute()
  const listed = rows.toSorted(kindOrder).map(({ document_id, dismissed_count, ...it }) => ({
    document_id,
    kind: it.kind,
    is_secret: it.is_secret === 1,
    count: it.count,
    places: JSON.parse(it.places),
    dismissed_at: dismissed_count === it.count ? it.dismissed_at : null,
  }))
  const grouped = Map.groupBy(listed, (it) => it.document_id)
  return new Map([...grouped].map(([id, found]) => [id, found.map(({ document_id: _, ...it }) => it)]))
}
