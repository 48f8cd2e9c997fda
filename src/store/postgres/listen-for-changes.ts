// Listens for commits of other processes. It is only a hint: nothing is heard while the connection is down.
import { setTimeout as delay } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../domain/logger.ts'

export interface ChangeListener {
  close(): Promise<void>
}

export interface ChangeListenerDeps {
  connection: ClientConfig
  /** Notifications of this process itself are ignored. */
  isOwn: (processId: number) => boolean
  logger: Logger
}

const MIN_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 30_000

/** Also calls the listener after each new connection, because notifications may have been missed. */
export function listenForChanges(
  { connection, isOwn, logger }: ChangeListenerDeps,
  listener: () => void,
): ChangeListener {
  const stop = new AbortController()
  let backoffMs = MIN_BACKOFF_MS
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
      backoffMs = MIN_BACKOFF_MS
      listener()
      await ended
    } finally {
      stop.signal.removeEventListener('abort', end)
      end()
    }
  }
  const run = async () => {
    while (!stop.signal.aborted) {
      await listen().catch((error: unknown) => logger.debug({ err: error }, 'change listener disconnected'))
      await delay(backoffMs, undefined, { signal: stop.signal }).catch(() => {})
      backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)
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
