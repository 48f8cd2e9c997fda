// A local proxy that counts the traffic of a server and can stop in the middle of an answer.
import { type AddressInfo, connect, createServer } from 'node:net'
import { after } from 'node:test'

/** Measures what a run reads. */
export interface TrafficMeter {
  /** Total so far. */
  total(): number | Promise<number>
  /** Resolves when the total is reached. Where possible, nothing more passes until `open`. */
  until(total: number): Promise<void>
  open(): void
}

export interface TestProxy extends TrafficMeter {
  port: number
}

/** Closes after the test, or after the file if opened at top level. */
export async function openProxy(to: number): Promise<TestProxy> {
  let total = 0
  let limit = Number.POSITIVE_INFINITY
  let reached = () => {}
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy())
    // Withheld data is missing, and ending the connection would make the rest look complete.
    far.on('end', () => void (limit > 0 && near.end()))
    near.pipe(far)
    far.on('data', (bytes) => {
      if (total + bytes.length <= limit) {
        total += bytes.length
        near.write(bytes)
        return
      }
      // The program that waits for withheld data is about to be killed.
      limit = 0
      reached()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  server.unref()
  after(() => void server.close())
  return {
    port: (server.address() as AddressInfo).port,
    total: () => total,
    until: (wanted) =>
      new Promise<void>((resolve) => {
        reached = resolve
        limit = Math.max(wanted, total)
      }),
    open() {
      limit = Number.POSITIVE_INFINITY
    },
  }
}

/** The same address through the proxy. */
export function viaProxy({ port }: TestProxy, url: string): string {
  const there = new URL(url)
  there.port = `${port}`
  return there.href.replace(/\/$/, '')
}

export async function openProxyTo(url: string): Promise<{ flow: TestProxy; url: string }> {
  const flow = await openProxy(Number(new URL(url).port))
  return { flow, url: viaProxy(flow, url) }
}
