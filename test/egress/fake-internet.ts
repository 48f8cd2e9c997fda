// A fake internet on loopback: names, public addresses mapped to local servers, and a canary for every other
// connection. The policy is the real one; only the resolver and the final connect are replaced.
import assert from 'node:assert/strict'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import type { EgressRefusal } from '../../src/domain/egress-refusal.ts'
import {
  type Egress,
  EgressError,
  type EgressReason,
  type EgressRequest,
  type EgressResponse,
  type EgressSettings,
  type Network,
  openEgress,
} from '../../src/egress/egress.ts'
import { systemNetwork } from '../../src/egress/transport/network.ts'

type Resolver = () => string[]

export interface FakeInternet {
  egress: Egress
  /** Resolved names, and addresses and ports of connections. */
  asked: string[]
  opened: string[]
  /** Recorded refusals. */
  refusals: EgressRefusal[]
  /** The server that receives all unexpected connections. */
  canary: Canary
  name(name: string, ...addresses: string[]): void
  /** One answer per lookup; the last one repeats. */
  names(name: string, ...answers: string[][]): void
  place(address: string, port: number, server: Server): Promise<void>
  /** A public site at http://NAME that records its requests. */
  site(name: string, listener: RequestListener, place?: { address?: string; port?: number }): Promise<void>
  fetch(url: string, request?: Partial<EgressRequest>): Promise<EgressResponse>
}

export interface Canary {
  port: number
  connections: number
}

export const PUBLIC = '93.184.216.34'
export const asker = { kind: 'tool' as const, id: 7 }

export async function openFakeInternet(settings: Partial<Omit<EgressSettings, 'network'>> = {}): Promise<FakeInternet> {
  const resolvers = new Map<string, Resolver>()
  const placed = new Map<string, number>()
  const canary = await startCanary('127.0.0.3')
  const [asked, opened]: string[][] = [[], []]
  const refusals: EgressRefusal[] = []
  const network: Network = {
    async resolve(name) {
      asked!.push(name)
      const resolver = resolvers.get(name)
      if (resolver === undefined) throw new Error(`ENOTFOUND ${name}`)
      return resolver()
    },
    open(addresses, port, signal) {
      opened!.push(`${addresses[0]} ${port}`)
      const here = placed.get(`${addresses[0]} ${port}`)
      return systemNetwork.open([here ? '127.0.0.2' : '127.0.0.3'], here ?? canary.port, signal)
    },
    ownAddresses: () => ['192.0.2.7', 'fe80::1'],
  }
  const egress = openEgress({
    allow: '',
    proxy: '',
    own: () => [],
    isApproved: async () => false,
    onRefused: (refusal) => void refusals.push(refusal),
    ...settings,
    network,
  })
  after(() => egress.close())
  const internet: FakeInternet = {
    egress,
    asked: asked!,
    opened: opened!,
    refusals,
    canary,
    name: (name, ...addresses) => void resolvers.set(name, () => addresses),
    names: (name, ...answers) => {
      let at = 0
      resolvers.set(name, () => answers[Math.min(at++, answers.length - 1)]!)
    },
    async place(address, port, server) {
      placed.set(`${address} ${port}`, await listen(server, '127.0.0.2'))
    },
    async site(name, listener, { address = PUBLIC, port = 80 } = {}) {
      internet.name(name, address)
      await internet.place(address, port, createHttpServer(listener))
    },
    fetch: (url, request) =>
      egress.fetch(url, { profile: 'public-only', asker, signal: AbortSignal.timeout(20_000), ...request }),
  }
  return internet
}

/** A test for a row of the table "Outbound". Fails if the canary was reached. */
export function row(
  name: string,
  settings: Partial<EgressSettings>,
  body: (internet: FakeInternet) => Promise<void>,
): void {
  test(name, async () => {
    const internet = await openFakeInternet(settings)
    await body(internet)
    assert.equal(internet.canary.connections, 0, 'the canary was reached')
  })
}

export async function startCanary(host: string, wantedPort = 0): Promise<Canary> {
  const canary: Canary = { port: 0, connections: 0 }
  const server = createServer((socket) => {
    canary.connections += 1
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret')
  })
  canary.port = await listen(server, host, wantedPort)
  return canary
}

/** A server that responds with these bytes, then continues with `and`. */
export function rawServer(bytes: string | Buffer, and: (socket: Socket) => void = (socket) => socket.end()): Server {
  return createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(bytes)
      and(socket)
    })
  })
}

export const tlsServer = (options: TlsOptions, text: string): Server =>
  createTlsServer(options, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`),
    )
  }).on('tlsClientError', () => {})

export async function listen(server: Server, host: string, port = 0): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.once('close', () => sockets.delete(socket))))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

export async function refuses(promise: Promise<EgressResponse>, reason: EgressReason, what = ''): Promise<EgressError> {
  const failure = await promise
    .then((answer) => answer.bytes())
    .then(
      () => undefined,
      (error) => error,
    )
  assert.ok(failure instanceof EgressError, `${what} was not refused: ${failure}`)
  assert.equal(failure.reason, reason, `${what}: ${failure.message}`)
  return failure
}
