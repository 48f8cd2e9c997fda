// Group commit: one connection writes, and whatever arrives while a COMMIT is under way shares the next one.
import { Client, type ClientConfig } from 'pg'
import { AppError } from '../domain/errors.ts'
import type { ItemResult } from './database.ts'
import { commitItems, type Item, preparing } from './postgres-commit.ts'
import { checkServer, errorOf, isDamage, isLost, isRetriable } from './postgres-connect.ts'

export interface PostgresWriter {
  commit(batch: readonly Item[]): Promise<ItemResult[]>
  /** How many have no answer yet. */
  waiting(): number
  /** Whether the server knows this writer's connection by that number. */
  isOwn(processId: number): boolean
  close(): Promise<void>
}

export interface WriterSettings {
  connection: ClientConfig
  failpoint: string | null
  onFatal: (error: Error) => void
}

interface Asker {
  batch: readonly Item[]
  resolve(results: ItemResult[]): void
  reject(error: Error): void
}

/** At 512 clients the rate is the same from 64 to 512; a shorter group answers sooner. */
const MAX_ITEMS = 128
const MAX_CHARACTERS = 16_000_000
const MAX_TRIES = 5

export function openWriter({ connection, failpoint, onFatal }: WriterSettings): PostgresWriter {
  const waiting: Asker[] = []
  const prepare = preparing()
  let client: Client | undefined
  let working: Promise<void> | undefined
  let isClosed = false
  let passings = 0
  let inGroup = 0

  const write = async (items: readonly Item[]): Promise<ItemResult[]> => {
    for (let attempt = 1; ; attempt++) {
      client ??= await connect(connection, (lost) => {
        if (client === lost) client = undefined
      })
      const used = client
      try {
        return await commitItems(used, prepare, items)
      } catch (error) {
        if (isLost(error)) {
          client = undefined
          used.end().catch(() => {})
        }
        if (!isRetriable(error) || attempt === MAX_TRIES) throw error
      }
    }
  }
  const writeGroup = async (group: readonly Asker[]) => {
    inGroup = group.length
    try {
      const results = await write(group.flatMap((it) => it.batch))
      passings += group.length
      if (failpoint !== null) passFailpoint(failpoint, passings)
      for (const { batch, resolve } of group) resolve(results.splice(0, batch.length))
    } catch (error) {
      if (isDamage(error)) onFatal(errorOf(error))
      for (const { reject } of group) reject(errorOf(error))
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
        // Not at once: what else this turn of the event loop asks for comes along.
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

/** The types do not know it; Kysely relies on it too. */
const processIdOf = (client: Client) => (client as unknown as { processID: number | null }).processID

async function connect(connection: ClientConfig, onLost: (client: Client) => void): Promise<Client> {
  const client = new Client({ ...connection, pipeline: true })
  // What it breaks off says so itself.
  client.on('error', () => {})
  client.on('end', () => onLost(client))
  try {
    await client.connect()
    await checkServer(client)
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

function takeGroup(waiting: Asker[]): Asker[] {
  let items = 0
  let characters = 0
  const end = waiting.findIndex((it, at) => {
    items += it.batch.length
    characters += charactersOf(it)
    return at > 0 && (items > MAX_ITEMS || characters > MAX_CHARACTERS)
  })
  return waiting.splice(0, end < 0 ? waiting.length : end)
}

function charactersOf({ batch }: Asker): number {
  const values = batch.flatMap((item) => item.flatMap((it) => it.parameters))
  return values.reduce<number>((sum, it) => sum + (typeof it === 'string' ? it.length : 0), 0)
}

/** For the crash tests: dies after COMMIT, before anybody is answered. */
function passFailpoint(failpoint: string, passings: number): void {
  const [name, nth] = failpoint.split(':')
  if (name === 'accepted' && passings >= Number(nth)) process.kill(process.pid, 'SIGKILL')
}
