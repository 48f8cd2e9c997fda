// Recently refused addresses, so that an administrator sees what to approve. The number is limited: a page with a
// million links must not fill the record.
import type { Selectable } from 'kysely'
import {
  type CountedEgressRefusal,
  EGRESS_CALLERS,
  EGRESS_PROFILES,
  EGRESS_RULES,
  type EgressCaller,
} from '../../domain/egress-refusal.ts'
import { DAY_MS } from '../../wire/date-time.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { EgressRefusalRow } from '../database/tables.ts'

const MAX_KEPT = 1_000
const KEPT_MS = 30 * DAY_MS

/** Increments the count of an equal refusal. The oldest are deleted when there are too many, and all after 30 days. */
export const addEgressRefusals = (
  db: Database,
  refusals: readonly CountedEgressRefusal[],
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    for (const refusal of refusals) await upsertRefusal(trx, refusal)
    await trx
      .deleteFrom('egress_refusal')
      .where('last_time', '<', now - KEPT_MS)
      .execute()
    const last = await selectNewestRefusals(trx).select('last_time').offset(MAX_KEPT).limit(1).executeTakeFirst()
    if (last !== undefined) await trx.deleteFrom('egress_refusal').where('last_time', '<=', last.last_time).execute()
  })

/** Returns the newest first. */
export const listEgressRefusals = async (db: Queryable): Promise<CountedEgressRefusal[]> =>
  (await selectNewestRefusals(db).selectAll().limit(MAX_KEPT).execute()).map(toCountedRefusal)

const selectNewestRefusals = (db: Queryable) =>
  db.selectFrom('egress_refusal').orderBy('last_time', 'desc').orderBy('host')

const upsertRefusal = (db: Queryable, { asker: { kind, id }, ...refusal }: CountedEgressRefusal) =>
  db
    .insertInto('egress_refusal')
    .values({ ...refusal, asker: id === null ? kind : `${kind}/${id}` })
    .onConflict((it) =>
      it.columns(['host', 'port', 'rule', 'profile', 'asker']).doUpdateSet((to) => ({
        count: to('egress_refusal.count', '+', to.ref('excluded.count')),
        last_time: to.ref('excluded.last_time'),
      })),
    )
    .execute()

function toCountedRefusal({ asker, rule, profile, ...row }: Selectable<EgressRefusalRow>): CountedEgressRefusal {
  return {
    ...row,
    rule: parseKnownValue(EGRESS_RULES, rule),
    profile: parseKnownValue(EGRESS_PROFILES, profile),
    asker: parseAsker(asker),
  }
}

function parseAsker(text: string): EgressCaller {
  const [kind = '', id] = text.split('/')
  return { kind: parseKnownValue(EGRESS_CALLERS, kind), id: id === undefined ? null : Number(id) }
}

function parseKnownValue<T extends string>(values: readonly T[], text: string): T {
  const value = values.find((it) => it === text)
  if (value === undefined) throw new Error(`the record holds a refusal with the unknown value ${text}`)
  return value
}
