// Every shell block of README.md and docs/ runs against a real service, as a reader would paste it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { z } from 'zod'
import nodeStart from '../node-start.json' with { type: 'json' }
import { openSite, pageOf } from './connectors/site.ts'
import { startRemote } from './remote-mcp.ts'
import { startServer } from './server.ts'

/** Blocks that cannot run here, by their first line. All others run. */
const ELSEWHERE: Record<string, string> = {
  'git clone <this repository> pharos && cd pharos': 'test/start.test.ts starts a fresh clone',
  'npm test                  # installs what development needs, runs the core tests': '.ci/run calls these commands',
  'claude mcp add --transport http pharos https://pharos.example.com/mcp --header "Authorization: Bearer $PHAROS_API_KEY"':
    'test/servers calls /mcp with the official client',
}

interface Block {
  page: string
  line: number
  text: string
}

const PAGES = ['README.md', ...readdirSync('docs').flatMap((it) => (it.endsWith('.md') ? [`docs/${it}`] : []))]
const blocks = PAGES.flatMap(blocksOf)

function blocksOf(page: string): Block[] {
  const found: Block[] = []
  let open: Block | undefined
  for (const [at, line] of readFileSync(page, 'utf8').split('\n').entries()) {
    if (open === undefined && line.startsWith('```sh')) open = { page, line: at + 2, text: '' }
    else if (open !== undefined && line.startsWith('```')) {
      found.push(open)
      open = undefined
    } else if (open !== undefined) open.text += `${line}\n`
  }
  return found
}

const firstLine = ({ text }: Block): string => text.split('\n')[0] ?? ''

test('each exception names an existing block', () => {
  const first = new Set(blocks.map(firstLine))
  for (const it of Object.keys(ELSEWHERE)) assert.ok(first.has(it), `no block begins with ${it}`)
})

const site = await openSite()
site.pages.set('/', pageOf('Handbook', 'Welcome to the handbook.'))
const remote = await startRemote()
remote.more = (server) => {
  for (const name of ['find_ticket', 'add_comment']) {
    const inputSchema = z.object({ id: z.string() })
    server.registerTool(name, { inputSchema }, () => ({ content: [{ type: 'text', text: 'done' }] }))
  }
}
const server = await startServer({ env: { EGRESS_ALLOW: '127.0.0.1' } })
const desk = deskOf(server.dataDir, server.key)

/** The reader's folder: the key of the first start, a file to send, and the commands by their names. */
function deskOf(dataDir: string, key: string): { folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-snippets-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'data'))
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'backups'))
  writeFileSync(join(folder, 'data/admin-api-key'), `${key}\n`)
  const document = { id: 'line-1', semantic_identifier: 'A line', sections: [{ text: 'One line.' }], metadata: {} }
  writeFileSync(join(folder, 'documents.jsonl'), `${JSON.stringify({ document })}\n`)
  const root = join(import.meta.dirname, '..')
  const program = [process.execPath, ...nodeStart.flags, join(root, 'src/main.ts')].map((it) => `'${it}'`).join(' ')
  command(
    folder,
    'npm',
    `[ "$1 $2 $3" = "run pharos --" ] || exit 99\nshift 3\nDATA_DIR="\${DATA_DIR:-${dataDir}}" exec ${program} "$@"`,
  )
  // Without --fail, curl exits with 0 for every response.
  command(folder, 'curl', 'exec env PATH="$REAL_PATH" curl --fail-with-body "$@"')
  return { folder, path: `${join(folder, 'bin')}:${process.env.PATH}` }
}

function command(folder: string, name: string, script: string): void {
  const file = join(folder, 'bin', name)
  writeFileSync(file, `#!/usr/bin/env bash\n${script}\n`)
  chmodSync(file, 0o755)
}

/** Replaces the names of the examples by those of this test. */
const here = (text: string): string =>
  text
    .replaceAll('http://127.0.0.1:8080', server.url)
    .replaceAll('https://pharos.example.com', server.url)
    .replaceAll('https://handbook.example.com', site.url)
    .replaceAll('https://tickets.example.com', remote.origin)
    .replaceAll(' /backups/', ` ${desk.folder}/backups/`)

function run(text: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', here(text)], {
    cwd: desk.folder,
    env: {
      PATH: desk.path,
      REAL_PATH: process.env.PATH ?? '',
      HOME: desk.folder,
      KEY: server.key,
      PHAROS_URL: server.url,
      PHAROS_API_KEY: server.key,
      // A restore needs a separate folder.
      ...(text.includes('into an empty DATA_DIR') && { DATA_DIR: join(desk.folder, 'restored') }),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (it: string) => {
      output += it
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

for (const block of blocks) {
  if (Object.hasOwn(ELSEWHERE, firstLine(block))) continue
  // Each command of a block starts the program.
  test(`${block.page}:${block.line} works as written`, { timeout: 600_000 }, async () => {
    const { code, output } = await run(block.text)
    assert.equal(code, 0, output)
  })
}
