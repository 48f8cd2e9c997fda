import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { getAccess } from '../../../identity/access.ts'
import { handleMcpRequest, MAX_NAME_CHARACTERS } from '../../../tools/mcp-server/server.ts'
import type { BrowserContext } from '../../admission/browser-context.ts'
import { route } from '../../route.ts'
import { API_VERSION } from '../../version.ts'

/** Messages are requests, not documents, so a small limit is enough. */
const MAX_MESSAGE_BYTES = 1 << 20

const DESCRIPTION = `Model Context Protocol server (Streamable HTTP) for assistants and editors. Takes one JSON-RPC message per
request and responds with JSON or an event stream. The server is stateless, so there is no session and nothing to
GET or DELETE. Tools: \`search\` and \`fetch\` require the right \`search\`, \`ask\` the right
\`chat\`. Resources: the sources and document sets that the key can search. See docs/mcp.md.`

const McpMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    method: z.string().max(MAX_NAME_CHARACTERS),
    id: z
      .union([z.string().max(MAX_NAME_CHARACTERS), z.int()])
      .optional()
      .describe('Absent in notifications.'),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'MCPMessage' })

const McpReply = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number()]).nullable().optional().describe('The id of the request message.'),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
  })
  .meta({ id: 'MCPReply' })

const McpEvent = z
  .looseObject({ event: z.string().optional(), data: z.string().describe('A JSON-RPC response.') })
  .meta({ id: 'MCPEvent' })

const mcpProtocol = {
  message: McpMessage,
  accepted: { 202: 'Notification accepted' },
  rejected: {
    400: 'Invalid message, or unsupported protocol version',
    404: 'Unknown method',
    406: 'The header `Accept` does not include both application/json and text/event-stream',
    415: 'The body is not application/json',
  },
}

export const mcpEndpointRoutes = [
  route({
    name: 'sendMcpMessage',
    method: 'POST',
    path: '/mcp',
    access: ['search', 'chat'],
    pool: 'search',
    tag: 'Model Context Protocol',
    summary: 'Send MCP message',
    description: DESCRIPTION,
    bodyLimitBytes: MAX_MESSAGE_BYTES,
    protocol: mcpProtocol,
    reply: McpReply,
    stream: McpEvent,
    errors: ['ORIGIN_REFUSED', 'PAYLOAD_TOO_LARGE'],
    services: ['db', 'retrieve', 'chats', 'logger'],
    handle: ({ subject, services, requestId, releaseSlot, webRequest, browser }) => {
      const request = webRequest()
      checkOrigin(browser)
      const { db, retrieve, chats, logger } = services
      const deps = { db, retrieve, ask: chats.ask, logger, version: API_VERSION, accessOf: getAccess.bind(null, db) }
      return handleMcpRequest(deps, { subject, requestId, releaseSlot }, request)
    },
  }),
]

/** Rejects cross-origin pages, as the specification of MCP requires against DNS rebinding. */
function checkOrigin({ foreignOrigin }: Pick<BrowserContext, 'foreignOrigin'>): void {
  if (foreignOrigin !== null) throw new AppError('ORIGIN_REFUSED', { origin: foreignOrigin.slice(0, 200) })
}
