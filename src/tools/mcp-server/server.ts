// The MCP server of Pharos. It is stateless: each request stands on its own, in any revision of the protocol.
import { isPlainObject } from '../../wire/containers.ts'
import type { McpCaller, McpServerDeps } from './tool-result.ts'

export type { McpServerDeps } from './tool-result.ts'

/**
 * Keeps no state between requests, so any process can answer the next one. Never rejects: errors are responses of the
 * protocol. Subscriptions are refused, because there are no notifications.
 */
export async function handleMcpRequest(deps: McpServerDeps, caller: McpCaller, request: Request): Promise<Response> {
  const body = await readMessage(request)
  if (body instanceof Response) return body
  // Loaded with the first request: many services never have one.
  const { createMcpHandler } = await import('@modelcontextprotocol/server')
  const { createMcpServer } = await import('./create-server.ts')
  const handler = createMcpHandler(() => createMcpServer(deps, caller), {
    maxSubscriptions: 0,
    onerror: (error) => deps.logger.debug({ err: error, request_id: caller.requestId }, 'an MCP request was refused'),
  })
  return handler.fetch(request, { parsedBody: body })
}

/** Accepts one message only: a batch would run many searches with the permit of one request. */
async function readMessage(request: Request): Promise<unknown> {
  const text = await request.text()
  try {
    const message: unknown = JSON.parse(text)
    if (Array.isArray(message)) return rpcError(-32_600, 'Batches are not supported. Send one message per request.')
    return hasLongName(message)
      ? rpcError(-32_600, `The id or the method has more than ${MAX_NAME_CHARACTERS} characters.`)
      : message
  } catch {
    return rpcError(-32_700, 'Parse error: the body is not JSON.')
  }
}

/** The limit for a method name and for the id of a message. */
export const MAX_NAME_CHARACTERS = 1_000

const hasLongName = (message: unknown): boolean =>
  isPlainObject(message) &&
  [message.id, message.method].some((it) => typeof it === 'string' && it.length > MAX_NAME_CHARACTERS)

const rpcError = (code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status: 400 })
