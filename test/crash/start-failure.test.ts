// Impossible starts: one sentence with the folder and the remedy, the correct exit code, and no stack trace.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { databaseOf } from '../record.ts'
import { COMPILE_CACHE, startServer, waitFor } from '../server.ts'

const canMount = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0
const namespaces = canMount ? {} : { skip: 'needs user namespaces that may mount a tmpfs (unshare -Urm)' }

interface End {
  code: number | null
  output: string
}

/** `prepare` is a shell command that runs before the program in its mount namespace, with "$0" as the folder. */
async function start(prepare: string | null, env: Record<string, string> = {}): Promise<End & { dataDir: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pharos-start-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', 'src/main.ts']
  const words = prepare === null ? program : ['unshare', '-Urm', 'sh', '-c', `${prepare} && "$@"`, dataDir, ...program]
  const child = spawn(words[0]!, words.slice(1), {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      EMBEDDING: 'off',
      LOG_LEVEL: 'warn',
      MIN_FREE_DISK_MB: '0',
      ...(await databaseOf(dataDir)),
      ...env,
    },
  })
  after(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (it) => (output += it))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output, dataDir }
}

function assertSentence({ code, output }: End, expected: number, pattern: RegExp): void {
  assert.equal(code, expected, output)
  assert.match(output, pattern)
  assert.equal(output.trim().split('\n').length, 1, output)
  assert.doesNotMatch(output, /\bat .*:\d+:\d+/)
}

const FILL = 'dd if=/dev/zero of="$0"/ballast bs=4k >/dev/null 2>&1'
const mount = (options: string) => `mount -t tmpfs -o ${options},mode=700 none "$0"`

test('on a full disk', namespaces, async () => {
  const end = await start(`${mount('size=1m')} && { ${FILL}; true; }`)
  assertSentence(end, 74, new RegExp(`^DATA_DIR ${end.dataDir} cannot be used: its disk is full: free some space`))
})

test('a start after a full disk prevented the first is an ordinary first start', namespaces, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pharos-start-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))
  const twice = `${mount('size=64m')} && { ${FILL}; "$@" >/dev/null 2>&1; rm "$0"/ballast; exec "$@"; }`
  const env = { MIN_FREE_DISK_MB: '0' }
  const server = await startServer({ dataDir, env, launcher: ['unshare', '-Urm', 'sh', '-c', twice, dataDir] })
  await waitFor(async () => (await server.api('GET', '/health/ready')).status === 200, 'a service that is ready')
})

for (const kb of [16, 64, 160, 512]) {
  test(`on a disk that is full after ${kb} KB`, namespaces, async () => {
    const free = `dd if=/dev/zero of="$0"/ballast bs=1k count=${2_048 - kb} >/dev/null 2>&1`
    const end = await start(`${mount('size=2m')} && ${free}`)
    assertSentence(end, 74, new RegExp(`^DATA_DIR ${end.dataDir} cannot be used: its disk is full`))
  })
}

for (const inodes of [2, 3, 4, 6]) {
  test(`on a disk with ${inodes - 1} inodes left`, namespaces, async () => {
    const end = await start(mount(`size=64m,nr_inodes=${inodes}`))
    assertSentence(end, 74, new RegExp(`^DATA_DIR ${end.dataDir} cannot be used: no inodes are left`))
  })
}

test('in a read-only file system', namespaces, async () => {
  const end = await start(`${mount('size=1m')} && mount -o remount,ro "$0"`)
  assertSentence(end, 78, new RegExp(`^DATA_DIR .*${end.dataDir}`))
})

test('on a read-only file system that held a service before', namespaces, async () => {
  const once = `${mount('size=64m')} && { timeout -s TERM 60 sh -c '"$@" & p=$!; until [ -s "$DATA_DIR"/index/generations.json ]; do sleep 0.1; done; sleep 1; kill $p; wait $p' sh "$@" >/dev/null 2>&1; mount -o remount,ro "$0"; }`
  const end = await start(once)
  assertSentence(end, 78, new RegExp(`^DATA_DIR .*${end.dataDir}`))
})

test('on a port in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const end = await start(null, { PORT: String(port) })
  other.close()
  assertSentence(end, 78, new RegExp(`another program listens on port ${port} of 127.0.0.1.*set PORT`))
})

test('at an address that this machine does not have', async () => {
  assertSentence(await start(null, { HOST: '192.0.2.1' }), 78, /no address 192\.0\.2\.1.*set HOST/i)
})

test('with PostgreSQL away', async () => {
  const end = await start(null, { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/x' })
  assertSentence(end, 69, /PostgreSQL server .*ECONNREFUSED/)
})
