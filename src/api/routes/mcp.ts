import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { readableBy } from '../../identity/access.ts'
import { answerMcp } from '../../tools/mcp-server.ts'
import { route } from '../route.ts'
import { VERSION } from '../version.ts'

/** A question, not a document: whoever sends more has mistaken the address. */
const MAX_MESSAGE_BYTES = 1 << 20

const DESCRIPTION = `The server of the Model Context Protocol (Streamable HTTP) for assistants and editors: a message of
JSON-RPC a request, answered as JSON or as a stream of events. Nothing is kept between two requests, so there is no
session and nothing to GET or DELETE. Tools: \`search\` and \`fetch\` with the right \`search\`, \`ask\` with the right
\`chat\`. Resources: the sources and document sets in which the key finds something. See docs/mcp.md.`

const Message = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    method: z.string(),
    id: z.union([z.string(), z.int()]).optional().describe('Absent in a notification.'),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'MCPMessage' })

const Reply = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number()]).nullable().optional().describe('That of the message, as it was sent.'),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
  })
  .meta({ id: 'MCPReply' })

const Event = z
  .looseObject({ event: z.string().optional(), data: z.string().describe('A reply as JSON.') })
  .meta({ id: 'MCPEvent' })

const protocol = {
  message: Message,
  taken: { 202: 'A notification was taken' },
  refused: {
    400: 'No message of the protocol, or of a revision that is not spoken',
    404: 'No such method',
    406: 'The header `Accept` does not name both application/json and text/event-stream',
    415: 'The body is not application/json',
  },
}

export const mcpRoutes = [
  route({
    method: 'POST',
    path: '/mcp',
    access: ['search', 'chat'],
    lane: 'search',
    tag: 'Model Context Protocol',
    summary: 'Answer a message of the Model Context Protocol',
    description: DESCRIPTION,
    bodyLimitBytes: MAX_MESSAGE_BYTES,
    protocol,
    reply: Reply,
    stream: Event,
    errors: ['ORIGIN_REFUSED', 'PAYLOAD_TOO_LARGE'],
    handle: ({ subject, services, requestId, giveWay, webRequest }) => {
      const request = webRequest()
      checkOrigin(request.headers)
      const { db, retrieve, talk, logger } = services
      const needs = { db, retrieve, ask: talk.ask, logger, version: VERSION, accessOf: readableBy.bind(null, db) }
      return answerMcp(needs, { subject, requestId, giveWay }, request)
    },
  }),
]

/** A page of another address has no business here, whichever key it holds: so the protocol has it. */
function checkOrigin(headers: Headers): void {
  const origin = headers.get('origin')
  if (origin === null || URL.parse(origin)?.host === headers.get('host')) return
  throw new AppError('ORIGIN_REFUSED', { origin: origin.slice(0, 200) })
}
