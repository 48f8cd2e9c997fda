// Secrets that no key here opens, because it is lost or they are damaged: which they are, and what takes their place when
// the operator gives them up.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Act, SYSTEM } from '../domain/audit.ts'
import { secretOf } from '../domain/webhook.ts'
import { addAudit } from './audit.ts'
import type { Database, Queries } from './database.ts'
import { LOST_SECRETS } from './llm-providers.ts'
import { isSealed, kidOf } from './reseal.ts'
import { placeIn, SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'
import type { SecretBox } from './secret-box.ts'

export interface LostSecret {
  kind: SealedColumn['table']
  id: number
  /** What its administrator knows it by. */
  name: string
  /** The key that it was sealed with. */
  kid: string
}

interface Needs {
  db: Database
  /** Opens with every key that is here. */
  box: SecretBox
}

const BATCH = 500

export async function listLostSecrets({ db, box }: { db: Queries; box: SecretBox }): Promise<LostSecret[]> {
  const lost: LostSecret[] = []
  for (const column of SEALED_COLUMNS) {
    for (let after: number | undefined = -1; after !== undefined; ) {
      const rows: SealedRow[] = await sealedRows(db, column, after)
      for (const row of rows) if (!opens(box, column, row)) lost.push(lostSecret(column, row))
      after = rows.at(-1)?.id
    }
  }
  return lost
}

/** All of them in one transaction, each with an entry in the audit. Answers what was given up. */
export const giveUpLostSecrets = ({ db, box }: Needs, now: number): Promise<LostSecret[]> =>
  db.transaction().execute(async (trx) => {
    const lost = await listLostSecrets({ db: trx, box })
    for (const it of lost) await GIVE_UP[it.kind](trx, box, it.id, now)
    await addAudit(trx, lost.map(actOf), now)
    return lost
  })

interface SealedRow {
  id: number
  name: string
  kid: string
  sealed: string
}

const lostSecret = ({ table }: SealedColumn, { id, name, kid }: SealedRow): LostSecret => ({
  kind: table,
  id,
  name,
  kid,
})

async function sealedRows(db: Queries, column: SealedColumn, after: number): Promise<SealedRow[]> {
  const { rows } = await sql<SealedRow>`
    select id, ${NAMES[column.table]} as name, ${kidOf(column)} as kid, ${sql.ref(column.column)} as sealed
    from ${sql.table(column.table)} where ${isSealed(column)} and id > ${after} order by id limit ${BATCH}`.execute(db)
  return rows
}

const NAMES = {
  credential: sql`coalesce(name, source)`,
  tool: sql`name`,
  mcp_server: sql`name`,
  mcp_user_credential: sql`'for MCP server ' || mcp_server_id`,
  mcp_oauth_flow: sql`'a sign-in under way'`,
  webhook: sql`url`,
  oauth_config: sql`name`,
  oauth_token: sql`'a token of OAuth configuration ' || oauth_config_id`,
  oauth_state: sql`'a sign-in at OAuth configuration ' || oauth_config_id`,
  tool_failure: sql`operation`,
  llm_provider: sql`name`,
}

function opens(box: SecretBox, column: SealedColumn, { id, sealed }: SealedRow): boolean {
  try {
    box.open(sealed, placeIn(column, id))
    return true
  } catch {
    return false
  }
}

type GiveUp = (trx: Queries, box: SecretBox, id: number, now: number) => Promise<unknown>

/** Nothing goes on with half of what it needs: what would call others without its secret is switched off. */
const GIVE_UP: Record<LostSecret['kind'], GiveUp> = {
  credential: (trx, box, id, now) =>
    trx
      .updateTable('credential')
      .set({ credential_json: box.seal('{}', `credential/${id}/credential_json`), time_updated: now })
      .where('id', '=', id)
      .execute(),
  tool: (trx, box, id, now) =>
    trx
      .updateTable('tool')
      .set({ custom_headers: box.seal('[]', `tool/${id}/custom_headers`), enabled: 0, time_updated: now })
      .where('id', '=', id)
      .execute(),
  mcp_server: (trx, _box, id, now) =>
    trx
      .updateTable('mcp_server')
      .set({ admin_credentials: null, status: 'AWAITING_AUTH', time_updated: now })
      .where('id', '=', id)
      .execute(),
  mcp_user_credential: (trx, _box, id) => trx.deleteFrom('mcp_user_credential').where('id', '=', id).execute(),
  mcp_oauth_flow: (trx, _box, id) => trx.deleteFrom('mcp_oauth_flow').where('id', '=', id).execute(),
  webhook: (trx, box, id, now) =>
    trx
      .updateTable('webhook')
      .set({
        // Nobody knows it: whoever receives must be told the next one anyway.
        secret: box.seal(secretOf(randomBytes(32)), `webhook/${id}/secret`),
        status: 'paused',
        reason: 'Its secret is lost. PATCH it with a new "secret" and {"status": "active"} to go on.',
        time_updated: now,
      })
      .where('id', '=', id)
      .execute(),
  oauth_config: (trx, _box, id, now) =>
    trx.updateTable('oauth_config').set({ client_secret: null, time_updated: now }).where('id', '=', id).execute(),
  // The person is asked for consent again.
  oauth_token: (trx, _box, id) => trx.deleteFrom('oauth_token').where('id', '=', id).execute(),
  oauth_state: (trx, _box, id) => trx.deleteFrom('oauth_state').where('id', '=', id).execute(),
  tool_failure: (trx, _box, id) => trx.deleteFrom('tool_failure').where('id', '=', id).execute(),
  llm_provider: (trx, box, id, now) =>
    trx
      .updateTable('llm_provider')
      .set({ secrets: box.seal(JSON.stringify(LOST_SECRETS), `llm_provider/${id}/secrets`), time_updated: now })
      .where('id', '=', id)
      .execute(),
}

const actOf = ({ kind, id }: LostSecret): Act => ({
  actor_id: SYSTEM,
  api_key_id: null,
  email: null,
  action: `${kind}.give_up_secret`,
  object_id: String(id),
  outcome: 'success',
  error_code: null,
  fields: SEALED_COLUMNS.filter((it) => it.table === kind).map((it) => it.column),
  request_id: null,
})
