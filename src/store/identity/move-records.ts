// Moves what was filed under the id of a key to the person that the key acts for.
import { sql } from 'kysely'
import type { JsonText } from '../database/column-types.ts'
import type { Queryable } from '../database/database.ts'

/** Columns that hold the id of the creator of a row. Their tables accept any number of rows of one person. */
const CREATOR_COLUMNS = [
  ['credential', 'user_id'],
  ['cc_pair', 'creator'],
  ['connector', 'creator'],
  ['document', 'pushed_by'],
  ['document', 'deleted_by'],
  ['document_verification', 'verified_by'],
  ['tool', 'user_id'],
  ['tool', 'passthrough_granted_by'],
  ['mcp_server', 'user_id'],
  ['mcp_server', 'passthrough_granted_by'],
  ['user_file', 'user_id'],
  ['persona', 'user_id'],
  ['egress_approval', 'user_id'],
  ['recorded_query', 'user_id'],
  ['search_feedback', 'user_id'],
  ['judgement', 'user_id'],
  ['oauth_config', 'user_id'],
  ['oauth_state', 'user_id'],
  ['mcp_oauth_flow', 'user_id'],
  ['tool_failure', 'user_id'],
  ['chat_session', 'owner'],
  ['project', 'owner'],
  ['saved_prompt', 'user_id'],
  ['call_token', 'owner'],
] as const

/** Tables that hold one row of a person for each value of the other columns; the row with the newest time stays. */
const UNIQUE_ROWS = [
  { table: 'recent_query', owner: 'user_id', others: ['query'], time: 'asked_at' },
  { table: 'oauth_token', owner: 'user_id', others: ['oauth_config_id'], time: 'time_updated' },
  { table: 'mcp_user_credential', owner: 'user_id', others: ['mcp_server_id'], time: 'time_updated' },
  { table: 'passthrough_consent', owner: 'owner', others: ['recipient_kind', 'recipient_id'], time: 'given_at' },
] as const

const TABLES_WITH_USERS = ['document_set', 'persona', 'mcp_server'] as const

/** Moves the records of all keys that act for a person. Moving them again changes nothing. */
export async function moveRecordsOfKeys(trx: Queryable): Promise<void> {
  const keys = sql`select user_id from api_key where person_id is not null`
  for (const [table, column] of CREATOR_COLUMNS) {
    const [name, owner] = [sql.table(table), sql.ref(`${table}.${column}`)]
    const person = sql`(select min(person_id) from api_key where user_id = ${owner})`
    await sql`update ${name} set ${sql.ref(column)} = ${person} where ${owner} in (${keys})`.execute(trx)
  }
  for (const it of UNIQUE_ROWS) await moveUniqueRows(trx, it, keys)
  await renameListedUsers(trx)
}

async function moveUniqueRows(
  trx: Queryable,
  { table, owner, others, time }: (typeof UNIQUE_ROWS)[number],
  keys: ReturnType<typeof sql>,
): Promise<void> {
  const [name, id] = [sql.table(table), sql.ref(owner)]
  const columns = sql.join([...others].map((it) => sql.ref(it)))
  const found = await sql<Record<string, string | number>>`
    select ${id} as owner_id, ${sql.ref(time)} as at, ${columns},
      coalesce((select min(person_id) from api_key where user_id = ${sql.ref(`${table}.${owner}`)}), ${id}) as person_id
    from ${name}
    where ${id} in (${keys}) or ${id} in (select person_id from api_key where person_id is not null)
    order by at desc`.execute(trx)
  const kept = new Set<string>()
  for (const { owner_id, at: _, person_id, ...values } of found.rows) {
    const matches = sql.join(
      others.map((it) => sql`${sql.ref(it)} = ${values[it]}`),
      sql` and `,
    )
    const row = JSON.stringify([person_id, others.map((it) => values[it])])
    if (kept.has(row)) await sql`delete from ${name} where ${id} = ${owner_id} and ${matches}`.execute(trx)
    else if (owner_id !== person_id)
      await sql`update ${name} set ${id} = ${person_id} where ${id} = ${owner_id} and ${matches}`.execute(trx)
    kept.add(row)
  }
}

/** Lists of users name people by address, or keys by id. */
async function renameListedUsers(trx: Queryable): Promise<void> {
  const keys = await trx
    .selectFrom('api_key')
    .select(['user_id', 'person_id'])
    .where('person_id', 'is not', null)
    .execute()
  const personOf = new Map(keys.map((it) => [it.user_id, it.person_id]))
  for (const table of TABLES_WITH_USERS) {
    for (const { id, users } of await trx.selectFrom(table).select(['id', 'users']).execute()) {
      const before: string[] = JSON.parse(users)
      const after: JsonText = JSON.stringify([...new Set(before.map((it) => personOf.get(it) ?? it))])
      if (after !== users) await trx.updateTable(table).set({ users: after }).where('id', '=', id).execute()
    }
  }
}
