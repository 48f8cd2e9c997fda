// Ends what others granted or agreed to when a remote server changes.

import { canGrantPassthrough, canShareTools, type Subject } from '../../domain/subject.ts'
import { NO_PASSTHROUGH_GRANT } from '../../domain/tools/passthrough.ts'
import type { Queryable } from '../database/database.ts'
import { revokeConsentsAndTokens } from './passthrough.ts'

/** Leaves the server to its owner: personas of other users lose its tools. */
export async function unshareMcpServer(trx: Queryable, id: number): Promise<void> {
  const { user_id } = await trx
    .updateTable('mcp_server')
    .set({ is_public: 0, users: '[]', groups: '[]' })
    .where('id', '=', id)
    .returning('user_id')
    .executeTakeFirstOrThrow()
  await trx.updateTable('tool').set({ is_public: 0 }).where('mcp_server_id', '=', id).execute()
  const tools = trx.selectFrom('tool').select('id').where('mcp_server_id', '=', id)
  const others = trx
    .selectFrom('persona')
    .select('id')
    .where((it) => it.or([it('user_id', 'is', null), it('user_id', '!=', user_id)]))
  await trx.deleteFrom('persona_tool').where('tool_id', 'in', tools).where('persona_id', 'in', others).execute()
}

/**
 * Revokes what the subject could not grant itself. Consents always end, because people gave them to the former server.
 * A subject who may share it stays responsible for the new one.
 */
export async function revokeMcpGrants(trx: Queryable, subject: Subject, id: number): Promise<void> {
  await revokeConsentsAndTokens(trx, { kind: 'mcp_server', id })
  if (!canGrantPassthrough(subject)) {
    await trx.updateTable('mcp_server').set(NO_PASSTHROUGH_GRANT).where('id', '=', id).execute()
  }
  if (!subject.rights.has('admin')) {
    await trx.updateTable('mcp_server').set({ tool_policies: '{}' }).where('id', '=', id).execute()
  }
  if (!canShareTools(subject)) await unshareMcpServer(trx, id)
}

/** The server must be connected again and its tools chosen again. */
export async function disconnectMcpServer(trx: Queryable, id: number): Promise<void> {
  await trx.updateTable('mcp_server').set({ status: 'CREATED' }).where('id', '=', id).execute()
  await trx.updateTable('tool').set({ enabled: 0 }).where('mcp_server_id', '=', id).execute()
}
