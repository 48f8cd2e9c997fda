// The way to a server on this machine: it counts what comes from there, and can be closed in the middle of an answer.
import { type AddressInfo, connect, createServer } from 'node:net'
import { after } from 'node:test'

/** What a run reads while it runs. */
export interface Flow {
  /** So far. */
  total(): number | Promise<number>
  /** Resolves when so much has come in all; where it can be, nothing comes any more until it is opened. */
  until(total: number): Promise<void>
  open(): void
}

export interface Passage extends Flow {
  port: number
}

/** It ends with the test, or with the file where it is opened at its top. */
export async function openPassage(to: number): Promise<Passage> {
  let total = 0
  let limit = Number.POSITIVE_INFINITY
  let reached = () => {}
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy())
    // What was held back is missing: an end would make the rest look whole.
    far.on('end', () => void (limit > 0 && near.end()))
    near.pipe(far)
    far.on('data', (bytes) => {
      if (total + bytes.length <= limit) {
        total += bytes.length
        near.write(bytes)
        return
      }
      // Whoever waits for what is not passed on is about to be killed.
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

/** The same address, by way of the passage. */
export function by({ port }: Passage, url: string): string {
  const there = new URL(url)
  there.port = `${port}`
  return there.href.replace(/\/$/, '')
}

export async function openPassageTo(url: string): Promise<{ flow: Passage; url: string }> {
  const flow = await openPassage(Number(new URL(url).port))
  return { flow, url: by(flow, url) }
}
