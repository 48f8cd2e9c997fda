// Documents that nobody changed, opened or verified for long.
import { z } from 'zod'
import { VERIFICATION_STATES } from '../../../domain/freshness/verification.ts'
import { minQueryPeople } from '../../../domain/settings.ts'
import { emailKeyOf } from '../../../domain/subject.ts'
import type { Queryable } from '../../../store/database/database.ts'
import { listPairsOfDocuments } from '../../../store/documents/lists.ts'
import { type ClickThreshold, mapLastClicks } from '../../../store/freshness/clicks.ts'
import { type AgePlace, listStaleDocuments } from '../../../store/freshness/stale-documents.ts'
import { mapVerifications } from '../../../store/freshness/verifications.ts'
import { getSettings } from '../../../store/settings/settings.ts'
import { listManagedPairs } from '../../../store/sources/managed-pairs.ts'
import { DAY_MS, daysBefore } from '../../../wire/date-time.ts'
import { nullish, WITHOUT_NUL, wireDateTime, wireEnum, wireInteger, wireString } from '../../../wire/schemas.ts'
import { collectReadable } from '../../checks/readable-rows.ts'
import { type RouteCall, route } from '../../route.ts'
import { agedDocumentView, agedFields } from '../../views/freshness/aged-document.ts'
import { iso } from '../../wire/iso.ts'

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 25
/** The opaque cursor: age and sequence number of the last item. */
const CURSOR = /^(-?\d{1,16})-(\d{1,16})$/

function parseCursor(text: string | null): AgePlace | null {
  const [, changedAt, seq] = CURSOR.exec(text ?? '') ?? []
  return changedAt === undefined ? null : { changed_at: Number(changedAt), seq: Number(seq) }
}

const StaleDocument = z
  .object({
    ...agedFields,
    cc_pairs: z.array(z.object({ id: z.int(), name: z.string() })),
    last_click_on: z.iso
      .date()
      .nullable()
      .describe(
        'The day (UTC) of the last search from which it was opened. Null if fewer than `clicks.min_people` people opened it since `clicks.since`.',
      ),
  })
  .meta({ id: 'StaleDocument' })

const StaleQuery = z.object({
  limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe(`Default: ${DEFAULT_LIMIT}.`),
  after: nullish(wireString({ max: 40, pattern: CURSOR })).describe('`next_after` of the previous page.'),
  source: nullish(wireString({ min: 1, max: 100, pattern: WITHOUT_NUL })).describe('Only documents of this source.'),
  cc_pair_id: nullish(wireInteger({ min: 1 })).describe('Only documents of this connector.'),
  owner: nullish(wireString({ min: 1, max: 320, pattern: WITHOUT_NUL })).describe(
    'Only documents that name this e-mail address as an owner.',
  ),
  changed_before: nullish(wireDateTime()).describe('Only documents that have not changed since.'),
  not_opened_since: nullish(wireDateTime()).describe(
    'Only documents that have not been opened since this day (UTC), by as many people as `clicks.min_people`.',
  ),
  verification: nullish(wireEnum(VERIFICATION_STATES)).describe('Only documents in this state.'),
})
type StaleQuery = z.output<typeof StaleQuery>

export const staleDocumentRoutes = [
  route({
    name: 'listStaleDocuments',
    method: 'GET',
    path: '/admin/stale-documents',
    access: ['connectors', 'curate'],
    tag: 'Ingestion',
    summary: 'List stale documents',
    description:
      'The longest unchanged first, without hidden and quarantined ones. Callers who manage all connectors see every document, curators those of their connectors that they may read.',
    query: StaleQuery,
    reply: z
      .object({
        items: z.array(StaleDocument),
        next_after: z.string().nullable(),
        clicks: z.object({
          since: z.iso.datetime().describe('Clicks are kept as long as the queries that they belong to.'),
          min_people: z.int().nullable().describe('As `query_min_people`. Null: the settings show no clicks at all.'),
        }),
      })
      .meta({ id: 'StaleDocumentPage' }),
    services: ['db', 'now'],
    handle: async (call) => {
      const { db, now } = call.services
      const at = now()
      const clicks = await clickThreshold(db, at)
      const size = call.query.limit ?? DEFAULT_LIMIT
      const found = await listFound(call, { at, clicks, size })
      const ids = found.map((it) => it.id)
      const opened = await mapLastClicks(db, ids, clicks)
      const verifications = await mapVerifications(db, ids)
      const pairs = await listPairsOfDocuments(db, ids)
      const last = found[size - 1]
      return {
        items: found.map((it) => ({
          ...agedDocumentView(it, verifications.get(it.id), at),
          cc_pairs: pairs.get(it.id) ?? [],
          last_click_on: dayOf(opened.get(it.id)),
        })),
        next_after: last === undefined ? null : `${last.changed_at}-${last.seq}`,
        clicks: {
          since: iso(clicks.from),
          min_people: Number.isFinite(clicks.minPeople) ? clicks.minPeople : null,
        },
      }
    },
  }),
]

/** Clicks count under the same rules as the texts of queries. */
async function clickThreshold(db: Queryable, now: number): Promise<ClickThreshold> {
  const settings = await getSettings(db)
  return { from: daysBefore(now, settings.recorded_query_retention_days), minPeople: minQueryPeople(settings) }
}

type StaleCall = Pick<
  RouteCall<unknown, StaleQuery, unknown, 'db' | 'now'>,
  'query' | 'subject' | 'services' | 'signal'
>

async function listFound(
  { query, subject, services: { db }, signal }: StaleCall,
  { at, clicks, size }: { at: number; clicks: ClickThreshold; size: number },
) {
  const pairs = await listManagedPairs(db, subject)
  const filter = {
    pairs,
    source: query.source,
    ccPairId: query.cc_pair_id,
    ownerKey: query.owner === null ? null : emailKeyOf(query.owner),
    changedBefore: query.changed_before,
    // A finer time would tell when a person opened it.
    notOpenedSince: query.not_opened_since === null ? null : query.not_opened_since - (query.not_opened_since % DAY_MS),
    state: query.verification,
  }
  const listAfter = (after: AgePlace | null, limit: number) =>
    listStaleDocuments(db, filter, { after, limit, now: at, clicks })
  const after = parseCursor(query.after)
  if (pairs === 'all') return listAfter(after, size)
  return collectReadable(db, subject, { after, limit: size, signal }, listAfter)
}

const dayOf = (time: number | undefined): string | null => (time === undefined ? null : iso(time).slice(0, 10))
