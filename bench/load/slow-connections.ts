// Connections that cost the client nothing: idle ones, and ones that send a header byte by byte.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const IDLE = 1_000
const DRIPPING = 200
const DRIP_MS = 500
const GIVE_UP_MS = 60_000

export interface SlowConnections {
  /** Waits until the slow connections are closed, or a minute. Returns their number and the lifetime of the last. */
  end(): Promise<{ cut: number; slowest: number }>
}

export async function openSlowConnections(url: string): Promise<SlowConnections> {
  const { hostname, port } = new URL(url)
  const open = async () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const idle: Socket[] = []
  for (let at = 0; at < IDLE; at++) idle.push(await idleAfterOneRequest(await open()))
  const dripping: Socket[] = []
  for (let at = 0; at < DRIPPING; at++) dripping.push(await open())
  const lives = dripping.map(drip)
  return {
    async end() {
      const ages = await Promise.all(lives)
      for (const it of [...idle, ...dripping]) it.destroy()
      return { cut: ages.filter((it) => it < GIVE_UP_MS).length, slowest: Math.max(...ages) }
    },
  }
}

async function idleAfterOneRequest(socket: Socket): Promise<Socket> {
  socket.write('GET /health HTTP/1.1\r\nHost: here.test\r\n\r\n')
  await once(socket, 'data')
  return socket
}

/** Returns the milliseconds until the service closed the connection. */
async function drip(socket: Socket): Promise<number> {
  const begin = performance.now()
  let isOpen = true
  socket.on('close', () => {
    isOpen = false
  })
  socket.resume()
  socket.write('GET /health HTTP/1.1\r\nHost: here.test\r\nX-Drip: ')
  while (isOpen && performance.now() - begin < GIVE_UP_MS) {
    socket.write('a')
    await delay(DRIP_MS)
  }
  return Math.min(performance.now() - begin, GIVE_UP_MS)
}
