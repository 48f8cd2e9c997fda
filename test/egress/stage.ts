// A small internet on loopback: names, public addresses that lead to servers here, and a canary wherever else a
// connection might go. The policy under test is the real one; only the resolver and the last step are ours.
import assert from 'node:assert/strict'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import type { Refusal } from '../../src/domain/refusal.ts'
import {
  type Egress,
  type EgressAnswer,
  EgressError,
  type EgressReason,
  type EgressRequest,
  type EgressSettings,
  type Network,
  openEgress,
} from '../../src/egress/egress.ts'
import { systemNetwork } from '../../src/egress/network.ts'

type Resolver = () => string[]

export interface Stage {
  egress: Egress
  /** Every name that was looked up, and every address and port that a connection went to. */
  asked: string[]
  opened: string[]
  /** What was told of refusals. */
  refusals: Refusal[]
  /** What all connections that no server was placed for have reached. */
  canary: Canary
  name(name: string, ...addresses: string[]): void
  /** Another answer for each look-up, the last one for ever. */
  names(name: string, ...answers: string[][]): void
  place(address: string, port: number, server: Server): Promise<void>
  /** A site at http://NAME that is public; its requests are kept. */
  site(name: string, listener: RequestListener, place?: { address?: string; port?: number }): Promise<void>
  fetch(url: string, request?: Partial<EgressRequest>): Promise<EgressAnswer>
}

export interface Canary {
  port: number
  connections: number
}

export const PUBLIC = '93.184.216.34'
export const asker = { kind: 'tool' as const, id: 7 }

export async function openStage(settings: Partial<Omit<EgressSettings, 'network'>> = {}): Promise<Stage> {
  const resolvers = new Map<string, Resolver>()
  const placed = new Map<string, number>()
  const canary = await startCanary('127.0.0.3')
  const [asked, opened]: string[][] = [[], []]
  const refusals: Refusal[] = []
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
  const stage: Stage = {
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
      stage.name(name, address)
      await stage.place(address, port, createHttpServer(listener))
    },
    fetch: (url, request) =>
      egress.fetch(url, { profile: 'public-only', asker, signal: AbortSignal.timeout(20_000), ...request }),
  }
  return stage
}

/** A test of a row of the table "Outbound"; its body says on which stage, and the canary must not have been reached. */
export function row(name: string, settings: Partial<EgressSettings>, body: (stage: Stage) => Promise<void>): void {
  test(name, async () => {
    const stage = await openStage(settings)
    await body(stage)
    assert.equal(stage.canary.connections, 0, 'the canary was reached')
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

/** A server that says these bytes to whoever sends a request, then goes on as `and` says. */
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

export async function refuses(promise: Promise<EgressAnswer>, reason: EgressReason, what = ''): Promise<EgressError> {
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
