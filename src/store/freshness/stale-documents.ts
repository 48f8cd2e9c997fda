// Documents by age: those that nobody changed, opened or verified for long, and those of one owner.
import { type Expression, type SqlBool, sql } from 'kysely'
import type { DocumentOwner } from '../../domain/document.ts'
import type { VerificationState } from '../../domain/freshness/verification.ts'
import type { Queryable } from '../database/database.ts'
import { selectIdsOfPairs } from '../documents/lists.ts'
import { type ClickThreshold, selectOpened } from './clicks.ts'

export interface AgedDocument {
  id: string
  seq: number
  semantic_identifier: string
  link: string | null
  source: string
  primary_owners: DocumentOwner[]
  /** Epoch milliseconds: when it changed in its source, or if the source does not say, when it was accepted. */
  changed_at: number
}

/** The last item of the previous page. */
export type AgePlace = Pick<AgedDocument, 'changed_at' | 'seq'>

export interface StaleFilter {
  source: string | null
  ccPairId: number | null
  /** The key of the address of an owner. */
  ownerKey: string | null
  /** Epoch milliseconds: not changed since. */
  changedBefore: number | null
  /** Not opened since, by as many people as `clicks` says. */
  notOpenedSince: number | null
  state: VerificationState | null
}

const AGE = sql<number>`coalesce(document.doc_updated_at, document.accepted_at)`
const CHANGED = sql<SqlBool>`coalesce(document.text_changed_at, 0) > stated.verified_at`

/**
 * Lists documents that can be found, the longest unchanged first. `pairs` limits the list to documents of these cc-pairs.
 */
export async function listStaleDocuments(
  db: Queryable,
  filter: StaleFilter & { pairs: 'all' | readonly number[] },
  { after, limit, now, clicks }: { after: AgePlace | null; limit: number; now: number; clicks: ClickThreshold },
): Promise<AgedDocument[]> {
  const { source, ccPairId, ownerKey, changedBefore, notOpenedSince, state, pairs } = filter
  const rows = await selectAged(db)
    .$if(pairs !== 'all', (it) => it.where('document.id', 'in', selectIdsOfPairs(db, pairs === 'all' ? [] : pairs)))
    .$if(ccPairId !== null, (it) => it.where('document.id', 'in', selectIdsOfPairs(db, [ccPairId ?? -1])))
    .$if(source !== null, (it) => it.where('document.source', '=', source ?? ''))
    .$if(ownerKey !== null, (it) => it.where('document.id', 'in', selectIdsOfOwner(db, ownerKey ?? '')))
    .$if(changedBefore !== null, (it) => it.where(AGE, '<', changedBefore ?? 0))
    .$if(notOpenedSince !== null && Number.isFinite(clicks.minPeople), (it) =>
      it.where('document.id', 'not in', selectOpenedSince(db, notOpenedSince ?? 0, clicks)),
    )
    .$if(state !== null, (it) => it.where(inState(state ?? 'never', now)))
    .$if(after !== null, (it) =>
      it
        .where(AGE, '>=', after?.changed_at ?? 0)
        .where((of) => of.or([of(AGE, '>', after?.changed_at ?? 0), of('document.seq', '>', after?.seq ?? 0)])),
    )
    .orderBy(AGE)
    .orderBy('document.seq')
    .limit(limit)
    .execute()
  return rows.map(toAgedDocument)
}

const selectIdsOfOwner = (db: Queryable, ownerKey: string) =>
  db.selectFrom('document_owner').select('document_id').where('email_key', '=', ownerKey)

const selectOpenedSince = (db: Queryable, since: number, clicks: ClickThreshold) =>
  db
    .selectFrom(selectOpened(db, clicks).as('opened'))
    .select('opened.document_id')
    .where('opened.last_click', '>=', since)

function inState(state: VerificationState, now: number): Expression<SqlBool> {
  switch (state) {
    case 'never':
      return sql`stated.document_id is null`
    case 'changed':
      return CHANGED
    case 'expired':
      return sql`stated.verified_until <= ${now} and not ${CHANGED}`
    case 'valid':
      return sql`stated.verified_until > ${now} and not ${CHANGED}`
  }
}

/** The place of a document among those of its owner: 0 needs a verification, 1 has one. */
export interface OwnedDocument extends AgedDocument {
  rank: number
}
export type OwnedPlace = AgePlace & Pick<OwnedDocument, 'rank'>

/** Lists documents that can be found and name this owner: those to verify first, each part the longest unchanged first. */
export async function listOwnedDocuments(
  db: Queryable,
  ownerKey: string,
  { after, limit, now }: { after: OwnedPlace | null; limit: number; now: number },
): Promise<OwnedDocument[]> {
  const rank = sql<number>`case when ${inState('valid', now)} then 1 else 0 end`
  const rows = await selectAged(db)
    .select(rank.as('rank'))
    .where('document.id', 'in', selectIdsOfOwner(db, ownerKey))
    .$if(after !== null, (it) =>
      it.where((of) =>
        of.or([
          of(rank, '>', after?.rank ?? 0),
          of.and([
            of(rank, '=', after?.rank ?? 0),
            of.or([
              of(AGE, '>', after?.changed_at ?? 0),
              of.and([of(AGE, '=', after?.changed_at ?? 0), of('document.seq', '>', after?.seq ?? 0)]),
            ]),
          ]),
        ]),
      ),
    )
    .orderBy('rank')
    .orderBy(AGE)
    .orderBy('document.seq')
    .limit(limit)
    .execute()
  return rows.map(({ rank: place, ...row }) => ({ ...toAgedDocument(row), rank: Number(place) }))
}

const selectAged = (db: Queryable) =>
  db
    .selectFrom('document')
    .leftJoin('document_verification as stated', 'stated.document_id', 'document.id')
    .select(['document.id', 'document.seq', 'document.semantic_identifier', 'document.link', 'document.source'])
    .select(['document.primary_owners', AGE.as('changed_at')])
    .where('document.deleted_at', 'is', null)
    .where('document.hidden_at', 'is', null)
    .where('document.quarantined_at', 'is', null)

const toAgedDocument = (row: Omit<AgedDocument, 'primary_owners'> & { primary_owners: string }): AgedDocument => ({
  ...row,
  primary_owners: JSON.parse(row.primary_owners),
  changed_at: Number(row.changed_at),
})
