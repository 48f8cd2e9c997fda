// Listens for commits of other processes. It is only a hint: nothing is heard while the connection is down.
import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../domain/logger.ts'
import { createLoop, exponentialBackoff } from '../../flow/background-loop.ts'

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
  const listen = async (signal: AbortSignal) => {
    const client = new Client(connection)
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    client.on('error', () => {})
    client.on('notification', ({ processId }) => {
      if (!isOwn(processId)) listener()
    })
    const end = () => void client.end().catch(() => {})
    signal.addEventListener('abort', end)
    try {
      await client.connect()
      await client.query('listen pharos_change')
      listener()
      await ended
      return MIN_BACKOFF_MS
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }
  const loop = createLoop(listen, {
    retryMs: exponentialBackoff(MIN_BACKOFF_MS, MAX_BACKOFF_MS),
    onError: (error) => logger.debug({ err: error }, 'change listener disconnected'),
  })
  const running = loop.run(stop.signal)
  return {
    async close() {
      stop.abort()
      await running
    },
  }
}
