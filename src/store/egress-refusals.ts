// Addresses that were lately refused, so that an administrator sees what to open. No more of them than somebody can read:
// a page with a million links must not fill the record.
import type { Selectable } from 'kysely'
import { DAY_MS } from '../domain/date-time.ts'
import { ASKERS, type Asker, type CountedRefusal, PROFILES, RULES } from '../domain/refusal.ts'
import type { Database, Queries } from './database.ts'
import type { EgressRefusalRow } from './tables.ts'

const MAX_KEPT = 1_000
const KEPT_MS = 30 * DAY_MS

/** Counts on where there is one of the same kind; the oldest go when there are too many, and all after 30 days. */
export const addRefusals = (db: Database, refusals: readonly CountedRefusal[], now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    for (const refusal of refusals) await addRefusal(trx, refusal)
    await trx
      .deleteFrom('egress_refusal')
      .where('last_time', '<', now - KEPT_MS)
      .execute()
    const last = await newest(trx).select('last_time').offset(MAX_KEPT).limit(1).executeTakeFirst()
    if (last !== undefined) await trx.deleteFrom('egress_refusal').where('last_time', '<=', last.last_time).execute()
  })

/** The newest first. */
export const listRefusals = async (db: Queries): Promise<CountedRefusal[]> =>
  (await newest(db).selectAll().limit(MAX_KEPT).execute()).map(refusalOf)

const newest = (db: Queries) => db.selectFrom('egress_refusal').orderBy('last_time', 'desc').orderBy('host')

const addRefusal = (db: Queries, { asker: { kind, id }, ...refusal }: CountedRefusal) =>
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

function refusalOf({ asker, rule, profile, ...row }: Selectable<EgressRefusalRow>): CountedRefusal {
  return { ...row, rule: known(RULES, rule), profile: known(PROFILES, profile), asker: askerOf(asker) }
}

function askerOf(text: string): Asker {
  const [kind = '', id] = text.split('/')
  return { kind: known(ASKERS, kind), id: id === undefined ? null : Number(id) }
}

function known<T extends string>(values: readonly T[], text: string): T {
  const value = values.find((it) => it === text)
  if (value === undefined) throw new Error(`the record holds a refusal with the unknown word ${text}`)
  return value
}
