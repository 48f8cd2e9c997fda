// What people do with a remote server beside calling its tools: connect it, look what it offers, sign in.
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import { EgressError } from '../egress/egress.ts'
import { changeCredentials, findCredentials } from '../store/mcp-credentials.ts'
import { noteMcpStatus, type StoredMcpServer } from '../store/mcp-servers.ts'
import { type OfferedTool, syncMcpTools } from '../store/mcp-tools.ts'
import { listRemoteTools, type RemoteCall } from './mcp-client.ts'
import { isRefusal, reasonOf } from './mcp-fault.ts'
import type { RemoteNeeds } from './mcp-fetch.ts'
import { holderOf, SignInNeeded } from './mcp-oauth.ts'

/** What the server offers to the asker now; nothing is kept. */
export async function discover(needs: RemoteNeeds, call: RemoteCall): Promise<OfferedTool[]> {
  try {
    return await listRemoteTools(needs, call)
  } catch (error) {
    call.signal.throwIfAborted()
    throw faultOf(error)
  }
}

/** What it offers becomes its tools here, and the server is connected. One that refuses waits for other credentials. */
export async function refresh(needs: RemoteNeeds, call: RemoteCall): Promise<void> {
  const { id, status } = call.server
  await noteMcpStatus(needs.db, id, { status: 'FETCHING_TOOLS' })
  try {
    const offered = await discover(needs, call)
    await syncMcpTools(needs.db, call.server, offered, needs.now())
    await noteMcpStatus(needs.db, id, { status: 'CONNECTED', refreshedAt: needs.now() })
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'MCP_SERVER_REFUSES'
    await noteMcpStatus(needs.db, id, { status: isRefused ? 'AWAITING_AUTH' : status })
    throw error
  }
}

/** A person's own fields for the headers. They are tried before they are kept. */
export async function giveFields(needs: RemoteNeeds, call: RemoteCall, fields: Record<string, string>): Promise<void> {
  await discover(needs, { ...call, fields })
  await changeCredentials(needs, holderOf(call.server, call.subject), (it) => ({ ...it, fields }), needs.now())
}

/** Whether a call for the subject has what it needs, as far as can be told without making one. */
export async function isAuthenticated(needs: RemoteNeeds, server: StoredMcpServer, subject: Subject): Promise<boolean> {
  if (server.auth_type === 'NONE' || server.auth_type === 'PT_OAUTH') return true
  const { fields, tokens } = await findCredentials(needs, holderOf(server, subject))
  return server.auth_type === 'OAUTH' ? tokens !== null : Object.keys(fields).length > 0
}

function faultOf(error: unknown): unknown {
  if (error instanceof AppError || error instanceof EgressError) return error
  const reason = reasonOf(error)
  const code = isRefusal(error, (it) => it instanceof SignInNeeded) ? 'MCP_SERVER_REFUSES' : 'MCP_SERVER_FAILED'
  return new AppError(code, { reason }, { cause: error })
}
