// Starts a real PostgreSQL with its own folder and a free port on loopback, with full durability. It is removed at the end.
// POSTGRES_BIN names the folder of another version's programs.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { needs } from '../needs.ts'

export interface Postgres {
  port: number
  /** The address of the initial database. */
  url: string
  /** Creates an empty database and returns its address. */
  createDatabase(): Promise<string>
  /** Runs one statement as its administrator. */
  query<Row = Record<string, unknown>>(sql: string, url?: string): Promise<Row[]>
  start(): Promise<void>
  /** Stops like a crash: nothing is finished, and the next start recovers from the log. */
  kill(): Promise<void>
}

const START_TIMEOUT_MS = 60_000
/** PostgreSQL refuses to run as root. This id is "nobody" everywhere. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
/** Ends the server when its input ends: on request, and when the process that started it is gone. */
const KEEPER = '"$0" "$@" & server=$!; read -r _; kill -s QUIT $server; wait $server'

/** Registers the tests, or a skipped test with the reason if no server is available. */
export async function onPostgres(tests: (server: Postgres) => void | Promise<void>): Promise<void> {
  const need = process.env.POSTGRES_BIN === undefined ? needs('postgres') : {}
  if (need.skip !== undefined) test('PostgreSQL', need, () => {})
  else await tests(await startPostgres())
}

/** Must be called at the top of a test file: the server ends with it. */
export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-postgres-'))
  if (UNPRIVILEGED.uid !== undefined) chownSync(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid)
  const bin = process.env.POSTGRES_BIN ?? globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? ''
  initialize(bin, folder)
  const port = await freePort()
  const address = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  let server: ChildProcess | undefined
  const start = async () => {
    server = run(bin, folder, port)
    await untilReady(address('postgres'), folder)
  }
  const kill = async () => {
    const ended = server
    server = undefined
    if (ended?.exitCode !== null) return
    hold(ended, true)
    const exited = new Promise((resolve) => ended.once('exit', resolve))
    ended.stdin!.end()
    await exited
  }
  const query = <Row>(sql: string, url = address('postgres')) => ask<Row>(url, sql)
  after(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return {
    port,
    url: address('postgres'),
    query,
    start,
    kill,
    async createDatabase() {
      const name = `test_${randomBytes(6).toString('hex')}`
      await query(`create database ${name}`)
      return address(name)
    },
  }
}

/** Returns the address of a data folder's database. The first call creates the database. */
export async function databaseFor(url: string, folder: string): Promise<string> {
  const name = `folder_${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`
  const isThere = await ask(url, `select 1 from pg_database where datname = '${name}'`)
  if (isThere.length === 0) await ask(url, `create database ${name}`)
  return url.replace(/[^/]*$/, name)
}

/** Uses a language's collation if available, so that a query that relies on the order of bytes fails. */
function initialize(bin: string, folder: string): void {
  const common = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  const initdb = (...words: string[]) =>
    execFileSync(join(bin, 'initdb'), [...common, ...words], { cwd: folder, stdio: 'pipe', ...UNPRIVILEGED })
  try {
    initdb('--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en')
  } catch {
    initdb('--locale=C.UTF-8')
  }
}

function run(bin: string, folder: string, port: number): ChildProcess {
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`]
  const fixed = [...settings, 'max_connections=500', 'logging_collector=off'].flatMap((it) => ['-c', it])
  const log = ['sh', '-c', `exec "$0" "$@" >>${folder}/log 2>&1`]
  const [command, ...words] = ['sh', '-c', KEEPER, ...log, join(bin, 'postgres'), '-D', join(folder, 'data'), ...fixed]
  const server = spawn(command!, words, { cwd: folder, stdio: ['pipe', 'ignore', 'ignore'], ...UNPRIVILEGED })
  hold(server, false)
  return server
}

/** Lets the test file end while the server runs, because the hook that stops the server runs at that end. */
function hold(server: ChildProcess, isHeld: boolean): void {
  for (const it of [server, server.stdin] as unknown as { ref(): void; unref(): void }[]) {
    if (isHeld) it.ref()
    else it.unref()
  }
}

async function untilReady(url: string, folder: string): Promise<void> {
  const end = performance.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      await ask(url, 'select 1')
      return
    } catch (error) {
      if (performance.now() < end) await delay(20)
      else
        throw new Error(
          `PostgreSQL did not start: ${error}\n${readFileSync(join(folder, 'log'), 'utf8').slice(-2_000)}`,
        )
    }
  }
}

export async function ask<Row = unknown>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject()))
    })
  })
