// Operations on a remote server other than calls: connect it, discover its tools, store credentials.
import { AppError } from '../../domain/errors.ts'
import { canShareTools, type Subject } from '../../domain/subject.ts'
import { EgressError } from '../../egress/egress.ts'
import { changeMcpCredentials, findMcpCredentials } from '../../store/tools/mcp-credentials.ts'
import { type StoredMcpServer, setMcpStatus } from '../../store/tools/mcp-servers.ts'
import { type OfferedTool, syncMcpTools } from '../../store/tools/mcp-tools.ts'
import { canReceiveToken } from '../oauth/passthrough.ts'
import { listRemoteTools, type McpCall } from './client.ts'
import { describeFailure, isAuthFailure } from './failure.ts'
import type { McpClientDeps } from './fetch.ts'
import { credentialHolderOf, SignInRequiredError } from './oauth.ts'

/** Returns the tools that the server currently offers to the caller. Stores nothing. */
export async function discoverTools(deps: McpClientDeps, call: McpCall): Promise<OfferedTool[]> {
  try {
    return await listRemoteTools(deps, call)
  } catch (error) {
    call.signal.throwIfAborted()
    throw await toAppError(error)
  }
}

/**
 * Stores the tools of the server and marks it as connected. A server that refuses access waits for other credentials.
 */
export async function refreshTools(deps: McpClientDeps, call: McpCall): Promise<void> {
  const { id, status } = call.server
  await setMcpStatus(deps.db, id, { status: 'FETCHING_TOOLS' })
  try {
    const offered = await discoverTools(deps, call)
    await syncMcpTools(deps.db, call.server, offered, { now: deps.now(), isTrusted: isTrusted(call) })
    await setMcpStatus(deps.db, id, { status: 'CONNECTED', refreshedAt: deps.now() })
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'MCP_SERVER_REFUSES'
    await setMcpStatus(deps.db, id, { status: isRefused ? 'AWAITING_AUTH' : status })
    throw error
  }
}

/** If no one else uses the server, its owner alone is trusted to accept its tools. */
const isTrusted = ({ server: { is_public, users, groups }, subject }: McpCall): boolean =>
  canShareTools(subject) || !(is_public || users.length > 0 || groups.length > 0)

/** Stores the header fields of a person after testing them. */
export async function saveCredentialFields(
  deps: McpClientDeps,
  call: McpCall,
  fields: Record<string, string>,
): Promise<void> {
  await discoverTools(deps, { ...call, fields })
  await changeMcpCredentials(
    deps,
    credentialHolderOf(call.server, call.subject),
    (it) => ({ ...it, fields }),
    deps.now(),
  )
}

/** Whether credentials for calls of the subject are stored. Does not test them. */
export async function hasCredentials(
  deps: Pick<McpClientDeps, 'db' | 'secrets'>,
  server: StoredMcpServer,
  subject: Subject,
): Promise<boolean> {
  if (server.auth_type === 'NONE') return true
  if (server.auth_type === 'PT_OAUTH') return canReceiveToken(subject, server)
  const { fields, tokens } = await findMcpCredentials(deps, credentialHolderOf(server, subject))
  return server.auth_type === 'OAUTH' ? tokens !== null : Object.keys(fields).length > 0
}

async function toAppError(error: unknown): Promise<unknown> {
  if (error instanceof AppError || error instanceof EgressError) return error
  const reason = await describeFailure(error)
  const code = (await isAuthFailure(error, (it) => it instanceof SignInRequiredError))
    ? 'MCP_SERVER_REFUSES'
    : 'MCP_SERVER_FAILED'
  return new AppError(code, { reason }, { cause: error })
}
