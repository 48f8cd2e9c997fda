// The sources that a person may search in: what each holds for them, how fresh it is, and who looks after it.
import { z } from 'zod'
import type { Subject } from '../../../domain/subject.ts'
import { nextRunOf } from '../../../ingestion/pull/next-run.ts'
import { isFailing } from '../../../ingestion/pull/pair-listing.ts'
import type { Queryable } from '../../../store/database/database.ts'
import { type CcPairListing, listCcPairsWithPushed, listReadablePairs } from '../../../store/sources/cc-pairs.ts'
import { mapPairKeepers, type PairKeeper } from '../../../store/sources/managed-pairs.ts'
import { listSchedules, type PairSchedule } from '../../../store/sources/schedules.ts'
import { nullish, wireBoolean } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { isoOrNull } from '../../wire/iso.ts'

const FRESHNESS = ['up_to_date', 'reading', 'not_read_yet', 'failing', 'paused', 'pushed'] as const

const BasicCcPairInfo = z
  .object({
    has_successful_run: z.boolean(),
    source: z.string(),
    status: z.string(),
    cc_pair_id: z.int(),
    name: z.string(),
    documents: z.int().describe('How many of its documents the caller may read.'),
    freshness: z
      .enum(FRESHNESS)
      .describe('`failing`: its last run failed. `pushed`: nothing reads the source, documents are sent.'),
    last_success: z.iso
      .datetime()
      .nullable()
      .describe('When its source was last read, or a document was last indexed.'),
    next_run_at: z.iso.datetime().nullable(),
    looked_after_by: z
      .object({ name: z.string().nullable(), email: z.string() })
      .nullable()
      .describe('The person who connected it. Null if an administrator’s key did, or the person left.'),
  })
  .meta({ id: 'BasicCCPairInfo' })

interface PairFacts {
  schedule: PairSchedule | undefined
  documents: number
  keeper: PairKeeper | null
  now: number
}

export const readablePairRoutes = [
  route({
    name: 'listReadableCcPairs',
    method: 'GET',
    path: '/manage/connector-status',
    access: 'search',
    tag: 'Connectors',
    summary: 'List searchable connector-credential pairs',
    description:
      'Lists the pairs that the key may search, and those with a document that it may read. Keys that manage connectors see all pairs.',
    query: z.object({
      with_pushed: nullish(wireBoolean()).describe('Includes the built-in pair, if the key may read a document in it.'),
    }),
    reply: z.array(BasicCcPairInfo),
    services: ['db', 'indexer', 'countByPair', 'now'],
    handle: async ({ query, subject, services: { db, indexer, countByPair, now } }) => {
      const counts = await countByPair(subject)
      const pairs = (await listPairs(db, subject, indexer.progress().indexed_seq, counts)).filter(
        (it) => it.source !== 'ingestion_api' || (query.with_pushed === true && counts.has(it.cc_pair_id)),
      )
      const ids = pairs.map((it) => it.cc_pair_id)
      const schedules = new Map((await listSchedules(db, ids)).map((it) => [it.cc_pair_id, it]))
      const keepers = await mapPairKeepers(db, ids)
      return pairs.map((pair) =>
        basicCcPairInfo(pair, {
          schedule: schedules.get(pair.cc_pair_id),
          documents: counts.get(pair.cc_pair_id) ?? 0,
          keeper: keepers.get(pair.cc_pair_id) ?? null,
          now: now(),
        }),
      )
    },
  }),
]

async function listPairs(
  db: Queryable,
  subject: Subject,
  position: number,
  counts: ReadonlyMap<number, number>,
): Promise<CcPairListing[]> {
  if (subject.rights.has('connectors')) return listCcPairsWithPushed(db, position, 'all')
  const readable = [...(await listReadablePairs(db, subject.groups)), ...counts.keys()]
  const pairs = await listCcPairsWithPushed(db, position, [...new Set(readable)])
  return pairs.filter((it) => it.status !== 'DELETING')
}

function basicCcPairInfo(
  { cc_pair_id, name, source, status, indexed, last_indexed_at }: CcPairListing,
  { schedule, documents, keeper, now }: PairFacts,
): z.infer<typeof BasicCcPairInfo> {
  const next = schedule && nextRunOf(schedule, now)
  return {
    ...{ cc_pair_id, name, source, status, documents },
    has_successful_run: indexed > 0,
    freshness: freshnessOf(schedule, status),
    last_success: isoOrNull(schedule === undefined ? last_indexed_at : schedule.last_success),
    next_run_at: next?.state === 'waiting' ? isoOrNull(next.until) : null,
    looked_after_by: keeper,
  }
}

function freshnessOf(schedule: PairSchedule | undefined, status: string): (typeof FRESHNESS)[number] {
  if (status === 'PAUSED') return 'paused'
  if (schedule === undefined) return 'pushed'
  if (isFailing(schedule)) return 'failing'
  if (schedule.open?.status === 'in_progress') return 'reading'
  return schedule.last === null ? 'not_read_yet' : 'up_to_date'
}
