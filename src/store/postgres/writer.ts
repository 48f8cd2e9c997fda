// Group commit: one connection writes, and requests that arrive during a COMMIT share the next one.
import { Client, type ClientConfig } from 'pg'
import { AppError } from '../../domain/errors.ts'
import { createFailpoint } from '../../flow/failpoint.ts'
import type { ItemResult } from '../database/database.ts'
import { type CommitItem, commitItems, createQueryPreparer } from './commit-items.ts'
import {
  checkServerSettings,
  isConnectionLost,
  isDamageError,
  isRetriable,
  translatePostgresError,
} from './connection.ts'

export interface PostgresWriter {
  commit(batch: readonly CommitItem[]): Promise<ItemResult[]>
  /** Number of requests without an answer. */
  waiting(): number
  /** Tells whether the notification came from this writer's connection. */
  isOwn(processId: number): boolean
  close(): Promise<void>
}

export interface PostgresWriterSettings {
  connection: ClientConfig
  failpoint: string | null
  onFatal: (error: Error) => void
}

interface PendingCommit {
  batch: readonly CommitItem[]
  resolve(results: ItemResult[]): void
  reject(error: Error): void
}

/** With 512 clients the rate is the same for 64 to 512 items; a smaller group answers sooner. */
const MAX_ITEMS = 128
const MAX_CHARACTERS = 16_000_000
const MAX_TRIES = 5

export function openPostgresWriter({ connection, failpoint, onFatal }: PostgresWriterSettings): PostgresWriter {
  const waiting: PendingCommit[] = []
  const prepare = createQueryPreparer()
  const passFailpoint = createFailpoint(failpoint)
  let client: Client | undefined
  let working: Promise<void> | undefined
  let isClosed = false
  let inGroup = 0

  const write = async (items: readonly CommitItem[]): Promise<ItemResult[]> => {
    for (let attempt = 1; ; attempt++) {
      client ??= await connectWriter(connection, (lost) => {
        if (client === lost) client = undefined
      })
      const used = client
      try {
        return await commitItems(used, prepare, items)
      } catch (error) {
        if (isConnectionLost(error)) {
          client = undefined
          used.end().catch(() => {})
        }
        if (!isRetriable(error) || attempt === MAX_TRIES) throw error
      }
    }
  }
  const writeGroup = async (group: readonly PendingCommit[]) => {
    inGroup = group.length
    try {
      const results = await write(group.flatMap((it) => it.batch))
      passFailpoint('accepted', group.length)
      for (const { batch, resolve } of group) resolve(results.splice(0, batch.length))
    } catch (error) {
      if (isDamageError(error)) onFatal(translatePostgresError(error))
      for (const { reject } of group) reject(translatePostgresError(error))
    } finally {
      inGroup = 0
    }
  }
  const work = async () => {
    while (waiting.length > 0) await writeGroup(takeGroup(waiting))
    working = undefined
  }
  return {
    commit: (batch) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new AppError('SHUTTING_DOWN'))
        waiting.push({ batch, resolve, reject })
        // Starts later, so that other requests of this turn of the event loop share the group.
        working ??= new Promise<void>((start) => setImmediate(start)).then(work)
      }),
    waiting: () => waiting.length + inGroup,
    isOwn: (processId) => client !== undefined && processIdOf(client) === processId,
    async close() {
      isClosed = true
      await working
      await client?.end()
    },
  }
}

/** The types lack this property; Kysely uses it too. */
const processIdOf = (client: Client) => (client as unknown as { processID: number | null }).processID

async function connectWriter(connection: ClientConfig, onLost: (client: Client) => void): Promise<Client> {
  const client = new Client({ ...connection, pipeline: true })
  // The interrupted query reports the error itself.
  client.on('error', () => {})
  client.on('end', () => onLost(client))
  try {
    await client.connect()
    await checkServerSettings(client)
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

function takeGroup(waiting: PendingCommit[]): PendingCommit[] {
  let items = 0
  let characters = 0
  const end = waiting.findIndex((it, at) => {
    items += it.batch.length
    characters += charactersOf(it)
    return at > 0 && (items > MAX_ITEMS || characters > MAX_CHARACTERS)
  })
  return waiting.splice(0, end < 0 ? waiting.length : end)
}

function charactersOf({ batch }: PendingCommit): number {
  const values = batch.flatMap((item) => item.flatMap((it) => it.parameters))
  return values.reduce<number>((sum, it) => sum + (typeof it === 'string' ? it.length : 0), 0)
}
