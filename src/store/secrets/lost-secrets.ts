// Secrets that no available key opens, because a key is lost or they are damaged, and what replaces them when the
// operator abandons them.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type AuditedAction, SYSTEM_ACTOR } from '../../domain/audit.ts'
import { encodeWebhookSecret } from '../../domain/webhook.ts'
import type { Database, Queryable } from '../database/database.ts'
import { insertAuditEntries } from '../identity/audit.ts'
import { LOST_SECRETS } from '../models/llm-providers.ts'
import { kidExpression, sealedCondition } from './reseal-secrets.ts'
import { SEALED_COLUMNS, type SealedColumn, secretLocation } from './sealed-columns.ts'
import type { SecretBox } from './secret-box.ts'

export interface LostSecret {
  kind: SealedColumn['table']
  id: number
  /** The name by which administrators know the object. */
  name: string
  /** Id of the key that sealed it. */
  kid: string
}

interface LostSecretsDeps {
  db: Database
  /** Opens with all available keys. */
  box: SecretBox
}

const LIST_BATCH = 500

export async function listLostSecrets({ db, box }: { db: Queryable; box: SecretBox }): Promise<LostSecret[]> {
  const lost: LostSecret[] = []
  for (const column of SEALED_COLUMNS) {
    for (let after: number | undefined = -1; after !== undefined; ) {
      const rows: SealedRow[] = await listSealedRows(db, column, after)
      for (const row of rows) if (!canOpen(box, column, row)) lost.push(toLostSecret(column, row))
      after = rows.at(-1)?.id
    }
  }
  return lost
}

/** Abandons all lost secrets in one transaction, with an audit entry each, and returns them. */
export const abandonLostSecrets = ({ db, box }: LostSecretsDeps, now: number): Promise<LostSecret[]> =>
  db.transaction().execute(async (trx) => {
    const lost = await listLostSecrets({ db: trx, box })
    for (const it of lost) await ABANDON_BY_TABLE[it.kind](trx, box, it.id, now)
    await insertAuditEntries(trx, lost.map(auditActOf), now)
    return lost
  })

interface SealedRow {
  id: number
  name: string
  kid: string
  sealed: string
}

const toLostSecret = ({ table }: SealedColumn, { id, name, kid }: SealedRow): LostSecret => ({
  kind: table,
  id,
  name,
  kid,
})

async function listSealedRows(db: Queryable, column: SealedColumn, after: number): Promise<SealedRow[]> {
  const { rows } = await sql<SealedRow>`
    select id, ${NAME_EXPRESSIONS[column.table]} as name, ${kidExpression(column)} as kid, ${sql.ref(column.column)} as sealed
    from ${sql.table(column.table)} where ${sealedCondition(column)} and id > ${after} order by id limit ${LIST_BATCH}`.execute(
    db,
  )
  return rows
}

const NAME_EXPRESSIONS = {
  credential: sql`coalesce(name, source)`,
  tool: sql`name`,
  mcp_server: sql`name`,
  mcp_user_credential: sql`'for MCP server ' || mcp_server_id`,
  mcp_oauth_flow: sql`'a pending sign-in'`,
  webhook: sql`url`,
  oauth_config: sql`name`,
  oauth_token: sql`'a token of OAuth configuration ' || oauth_config_id`,
  oauth_state: sql`'a pending sign-in at OAuth configuration ' || oauth_config_id`,
  tool_failure: sql`operation`,
  llm_provider: sql`name`,
  transcription_model: sql`'the server of transcripts'`,
  person_totp: sql`'the second factor of person ' || person_id`,
  sign_in_provider: sql`name`,
  sign_in_state: sql`'a pending sign-in'`,
  provider_session: sql`'a sign-in at provider ' || provider_id`,
}

function canOpen(box: SecretBox, column: SealedColumn, { id, sealed }: SealedRow): boolean {
  try {
    box.open(sealed, secretLocation(column, id))
    return true
  } catch {
    return false
  }
}

type AbandonSecret = (trx: Queryable, box: SecretBox, id: number, now: number) => Promise<unknown>

/** Objects that would call others without their secret are switched off. */
const ABANDON_BY_TABLE: Record<LostSecret['kind'], AbandonSecret> = {
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
        // Nobody knows this secret; the receiver needs the next one anyway.
        secret: box.seal(encodeWebhookSecret(randomBytes(32)), `webhook/${id}/secret`),
        status: 'paused',
        reason: 'The secret is lost. To continue, PATCH a new "secret" and {"status": "active"}.',
        time_updated: now,
      })
      .where('id', '=', id)
      .execute(),
  oauth_config: (trx, _box, id, now) =>
    trx.updateTable('oauth_config').set({ client_secret: null, time_updated: now }).where('id', '=', id).execute(),
  // The user is asked for consent again.
  oauth_token: (trx, _box, id) => trx.deleteFrom('oauth_token').where('id', '=', id).execute(),
  oauth_state: (trx, _box, id) => trx.deleteFrom('oauth_state').where('id', '=', id).execute(),
  tool_failure: (trx, _box, id) => trx.deleteFrom('tool_failure').where('id', '=', id).execute(),
  llm_provider: (trx, box, id, now) =>
    trx
      .updateTable('llm_provider')
      .set({ secrets: box.seal(JSON.stringify(LOST_SECRETS), `llm_provider/${id}/secrets`), time_updated: now })
      .where('id', '=', id)
      .execute(),
  // Without a server, recordings wait.
  transcription_model: (trx, _box, id) => trx.deleteFrom('transcription_model').where('id', '=', id).execute(),
  // Nobody knows this secret. The person signs in with a recovery code, or an administrator resets the second factor.
  person_totp: (trx, box, id) =>
    trx
      .updateTable('person_totp')
      .set({ secret: box.seal(randomBytes(20).toString('hex'), `person_totp/${id}/secret`) })
      .where('id', '=', id)
      .execute(),
  sign_in_provider: (trx, _box, id, now) =>
    trx
      .updateTable('sign_in_provider')
      .set({ secrets: null, is_enabled: 0, time_updated: now })
      .where('id', '=', id)
      .execute(),
  sign_in_state: (trx, _box, id) => trx.deleteFrom('sign_in_state').where('id', '=', id).execute(),
  // The session goes on; the provider asks the person before it ends its own.
  provider_session: (trx, _box, id) =>
    trx.updateTable('provider_session').set({ id_token: null }).where('id', '=', id).execute(),
}

const auditActOf = ({ kind, id }: LostSecret): AuditedAction => ({
  actor_id: SYSTEM_ACTOR,
  api_key_id: null,
  email: null,
  action: `${kind}.give_up_secret`,
  object_id: String(id),
  outcome: 'success',
  error_code: null,
  fields: SEALED_COLUMNS.filter((it) => it.table === kind).map((it) => it.column),
  request_id: null,
})
