// Hears at once of what other processes commit. Only a hint: while the connection is away nothing is heard.
import { setTimeout as delay } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../domain/logger.ts'

export interface ChangeListener {
  close(): Promise<void>
}

export interface ListenerNeeds {
  connection: ClientConfig
  /** What this process said itself is no news. */
  isOwn: (processId: number) => boolean
  logger: Logger
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000

/** Calls the listener also after each new connection: something may have been said meanwhile. */
export function listenForChanges({ connection, isOwn, logger }: ListenerNeeds, listener: () => void): ChangeListener {
  const stop = new AbortController()
  let pauseMs = FIRST_PAUSE_MS
  const listen = async () => {
    const client = new Client(connection)
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    client.on('error', () => {})
    client.on('notification', ({ processId }) => {
      if (!isOwn(processId)) listener()
    })
    const end = () => void client.end().catch(() => {})
    stop.signal.addEventListener('abort', end)
    try {
      await client.connect()
      await client.query('listen pharos_change')
      pauseMs = FIRST_PAUSE_MS
      listener()
      await ended
    } finally {
      stop.signal.removeEventListener('abort', end)
      end()
    }
  }
  const run = async () => {
    while (!stop.signal.aborted) {
      await listen().catch((error: unknown) => logger.debug({ err: error }, 'not listening for changes'))
      await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    }
  }
  const running = run()
  return {
    async close() {
      stop.abort()
      await running
    },
  }
}
