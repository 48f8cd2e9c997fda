// A remote server of the Model Context Protocol, made with the official package, over real HTTP.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { after } from 'node:test'
import { createMcpHandler, type JSONRPCMessage, McpServer, type Transport } from '@modelcontextprotocol/server'
import { z } from 'zod'

export interface Seen {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export interface Remote {
  origin: string
  url: string
  /** Every request, in order. */
  seen: Seen[]
  /** Sees a request before the server does. Returns true if it has answered. */
  guard: ((seen: Seen, response: ServerResponse) => boolean | undefined) | null
  /** Additional tools in `tools/list`. */
  more: (server: McpServer) => void
}

function serverWith(remote: Remote): McpServer {
  const server = new McpServer({ name: 'remote', version: '1' }, { capabilities: { tools: { listChanged: false } } })
  server.registerTool(
    'lookup',
    {
      title: 'Look up',
      description: 'Finds an order.\u200b',
      inputSchema: z.object({ id: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ id }) => ({
      content: [{ type: 'text', text: `Order ${id} is on its way.` }],
      structuredContent: { id, state: 'sent' },
    }),
  )
  server.registerTool(
    'cancel',
    { description: 'Cancels an order.', inputSchema: z.object({ id: z.string() }) },
    ({ id }) => ({
      content: [{ type: 'text', text: `Order ${id} is cancelled.` }],
    }),
  )
  server.registerTool('fail', { annotations: { readOnlyHint: true } }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'The warehouse is closed.' }],
  }))
  server.registerTool('pictures', { annotations: { readOnlyHint: true } }, () => ({
    content: [
      { type: 'image', data: Buffer.alloc(30).toString('base64'), mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'The text of a.' } },
      { type: 'resource_link', uri: 'https://example.com/b', name: 'b', title: 'The file b' },
    ],
  }))
  server.registerTool('huge', { annotations: { readOnlyHint: true } }, () => ({
    content: [{ type: 'text', text: 'x'.repeat(2 << 20) }],
  }))
  server.registerTool(
    'hang',
    { annotations: { readOnlyHint: true } },
    ({ mcpReq }) =>
      new Promise((_, reject) => mcpReq.signal.addEventListener('abort', () => reject(new Error('gone')))),
  )
  remote.more(server)
  return server
}

/** `sse`: the transport of 2024, a stream of events and an address to post to. */
export async function startRemote({ sse = false }: { sse?: boolean } = {}): Promise<Remote> {
  const remote: Remote = { origin: '', url: '', seen: [], guard: null, more: () => {} }
  const handler = createMcpHandler(() => serverWith(remote))
  const sessions = new Map<string, (message: JSONRPCMessage) => void>()
  const http = createServer(async (request, response) => {
    const seen = await seenOf(request)
    remote.seen.push(seen)
    if (remote.guard?.(seen, response) === true) return
    if (sse) return answerSse(remote, sessions, seen, response)
    const { method, path, headers, body } = seen
    const sent = Object.entries(headers).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []))
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const init = { method, headers: sent as [string, string][], signal: gone.signal, ...(body !== '' && { body }) }
    const answer = await handler.fetch(new Request(new URL(path, remote.origin), init))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body === null) return void response.end()
    Readable.fromWeb(answer.body as never)
      .on('error', () => response.destroy())
      .pipe(response)
  })
  after(() => {
    http.closeAllConnections()
    http.close()
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  remote.origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  remote.url = `${remote.origin}${sse ? '/sse' : '/mcp'}`
  return remote
}

async function seenOf(request: IncomingMessage): Promise<Seen> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, body: Buffer.concat(parts).toString() }
}

function answerSse(
  remote: Remote,
  sessions: Map<string, (message: JSONRPCMessage) => void>,
  { method, path, body }: Seen,
  response: ServerResponse,
): void {
  const session = new URL(path, remote.origin).searchParams.get('session')
  if (method === 'POST' && session !== null) {
    sessions.get(session)?.(JSON.parse(body))
    return void response.writeHead(202).end()
  }
  const id = String(sessions.size)
  const event = (name: string, data: string) => response.write(`event: ${name}\ndata: ${data}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  event('endpoint', `/messages?session=${id}`)
  const transport: Transport = {
    start: async () => {},
    send: async (message) => void event('message', JSON.stringify(message)),
    close: async () => void response.end(),
  }
  const server = serverWith(remote)
  void server.connect(transport)
  sessions.set(id, (message) => transport.onmessage?.(message))
  response.on('close', () => void server.close())
}
