// Starts the servers that an operation may need beside the program, and a proxy that reaches only them. Generated addresses
// are not reached.
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { listen } from '../egress/fake-internet.ts'
import { calls, lists, type ModelRequest, type ModelScript, says, startModelServer } from '../model/model-server.ts'
import { type Remote, startRemote } from '../remote-mcp.ts'
import { type Authority, startAuthority } from '../remote-oauth.ts'

/** The operation of `definition` that writes, so that it needs consent. */
const WRITING = 'setTicket'

export interface RemoteServers {
  /** For EGRESS_ALLOW and EGRESS_PROXY. */
  env: Record<string, string>
  /** For `api_base`. Its model `calling` calls the tool `setTicket` before it answers. */
  model: string
  /** Remote MCP servers: one needs no authorization, the other a token of the authority. */
  open: Remote
  guarded: Remote
  authority: Authority
  /** Answers anything that a custom tool may send. */
  site: string
  /** The definition of a custom tool at the site. */
  definition: object
}

export async function startRemoteServers(): Promise<RemoteServers> {
  const { url: model } = await startModelServer(answerOf)
  const [open, guarded] = [await startRemote(), await startRemote()]
  const authority = await startAuthority(guarded)
  const site = `http://${await addressOf(createServer((_, response) => response.end('{"ok":true}')))}`
  const places = [model, open.origin, guarded.origin, authority.origin, site].map((it) => new URL(it).host)
  const proxy = await addressOf(proxyTo(places))
  const env = { EGRESS_ALLOW: places.join(','), EGRESS_PROXY: `http://${proxy}` }
  return { env, model, open, guarded, authority, site, definition: definitionOf(site) }
}

const answerOf = ({ path, body: { model, messages } }: ModelRequest): ModelScript => {
  if (path.endsWith('/models')) return lists('plain', 'calling')
  return model === 'calling' && messages.at(-1).role !== 'tool'
    ? calls({ name: WRITING, arguments: { body: { state: 'closed' } } })
    : says('Yes.')
}

const definitionOf = (url: string) => ({
  openapi: '3.0.0',
  info: { title: 'Tickets', description: 'Tickets' },
  servers: [{ url }],
  paths: {
    '/ticket': {
      put: {
        operationId: WRITING,
        summary: 'Change a ticket',
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
  },
})

function proxyTo(places: readonly string[]): Server {
  return createServer().on('connect', (request, client, head) => {
    client.on('error', () => {})
    if (!places.includes(request.url ?? '')) return client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const { hostname, port } = new URL(`http://${request.url}`)
    const onward = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.write(head)
      client.pipe(onward).pipe(client)
    })
    onward.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('close', () => onward.destroy())
  })
}

/** Returns the host and port of the server, which listens until the test ends. */
export const addressOf = async (server: Server): Promise<string> => `127.0.0.1:${await listen(server, '127.0.0.1')}`
