// Consents that let a tool or an MCP server act for a user, and the tokens that it received.
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { PassthroughRecipient } from '../../domain/tools/passthrough.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { CallTokenRow } from '../database/passthrough-tables.ts'

export interface StoredConsent extends PassthroughRecipient {
  consent_id: number
  /** Name of the tool or server. */
  name: string
  given_at: number
}

type ConsentOwner = Pick<Subject, 'email' | 'user_id'>

export async function hasConsentedToPassthrough(
  db: Queryable,
  subject: ConsentOwner,
  { kind, id }: PassthroughRecipient,
): Promise<boolean> {
  const row = await db
    .selectFrom('passthrough_consent')
    .select('id')
    .where('owner', '=', subject.user_id)
    .where('recipient_kind', '=', kind)
    .where('recipient_id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** A repeated consent changes nothing. */
export async function insertPassthroughConsent(
  db: Queryable,
  subject: ConsentOwner,
  { kind, id }: PassthroughRecipient,
  now: number,
): Promise<void> {
  await db
    .insertInto('passthrough_consent')
    .values({ owner: subject.user_id, recipient_kind: kind, recipient_id: id, given_at: now })
    .onConflict((it) => it.columns(['owner', 'recipient_kind', 'recipient_id']).doNothing())
    .execute()
}

/** Lists the subject's own consents, in order of their ids. */
export async function listPassthroughConsents(db: Queryable, subject: ConsentOwner): Promise<StoredConsent[]> {
  const rows = await db
    .selectFrom('passthrough_consent')
    .leftJoin('tool', (join) =>
      join
        .onRef('tool.id', '=', 'recipient_id')
        .on('recipient_kind', '=', 'tool' satisfies PassthroughRecipient['kind']),
    )
    .leftJoin('mcp_server', (join) =>
      join
        .onRef('mcp_server.id', '=', 'recipient_id')
        .on('recipient_kind', '=', 'mcp_server' satisfies PassthroughRecipient['kind']),
    )
    .select(['passthrough_consent.id', 'recipient_kind', 'recipient_id', 'given_at'])
    .select(['tool.name as tool_name', 'mcp_server.name as server_name'])
    .where('owner', '=', subject.user_id)
    .orderBy('passthrough_consent.id')
    .execute()
  return rows.map((row) => ({
    consent_id: row.id,
    kind: row.recipient_kind,
    id: row.recipient_id,
    name: row.tool_name ?? row.server_name ?? '',
    given_at: row.given_at,
  }))
}

/**
 * Also revokes the tokens that the recipient received. CONSENT_NOT_FOUND: it does not exist or belongs to another user.
 */
export const deletePassthroughConsent = (db: Database, subject: ConsentOwner, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const row = await trx
      .deleteFrom('passthrough_consent')
      .where('id', '=', id)
      .where('owner', '=', subject.user_id)
      .returning(['recipient_kind', 'recipient_id'])
      .executeTakeFirst()
    if (row === undefined) throw new AppError('CONSENT_NOT_FOUND')
    await trx
      .deleteFrom('call_token')
      .where('owner', '=', subject.user_id)
      .where('recipient_kind', '=', row.recipient_kind)
      .where('recipient_id', '=', row.recipient_id)
      .execute()
  })

/** Ends all consents to the recipient and revokes its tokens, because they were given to what it was before. */
export async function revokeConsentsAndTokens(trx: Queryable, { kind, id }: PassthroughRecipient): Promise<void> {
  for (const table of ['passthrough_consent', 'call_token'] as const) {
    await trx.deleteFrom(table).where('recipient_kind', '=', kind).where('recipient_id', '=', id).execute()
  }
}

export async function insertCallToken(db: Queryable, token: Omit<CallTokenRow, 'id'>): Promise<void> {
  await db.insertInto('call_token').values(token).execute()
}

export const findCallToken = (db: Queryable, kid: string): Promise<Omit<CallTokenRow, 'id'> | undefined> =>
  db
    .selectFrom('call_token')
    .select(['kid', 'secret_hash', 'owner', 'owner_credential', 'recipient_kind', 'recipient_id', 'expires_at'])
    .where('kid', '=', kid)
    .executeTakeFirst()

export async function expireCallTokens(db: Queryable, now: number): Promise<void> {
  await db.deleteFrom('call_token').where('expires_at', '<=', now).execute()
}
