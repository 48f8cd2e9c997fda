// Uses data of earlier commits of this repository with the current program: every 50th commit, or as UPGRADE_EVERY
// says. The earlier program is killed, so the current one finds the state after a crash.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connect } from '../http.ts'
import { parallel } from '../parallel.ts'
import { settled, startServer, waitFor } from '../server.ts'

const ROOT = join(import.meta.dirname, '../..')
const EVERY = Number(process.env.UPGRADE_EVERY ?? 50)
const DOCUMENTS = 200
const KEY = 'test-administrator-key-0123456789'
const folder = mkdtempSync(join(tmpdir(), 'pharos-upgrade-'))

const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim()
const history = commits()

function commits(): string[] {
  try {
    return git('log', '--first-parent', '--format=%h', '--', 'src').split('\n')
  } catch {
    return []
  }
}

after(() => {
  for (const it of chosen()) if (existsSync(join(folder, it))) git('worktree', 'remove', '--force', join(folder, it))
  rmSync(folder, { recursive: true, force: true })
})

const chosen = () => history.filter((_, at) => at > 0 && at % EVERY === 0)

/** Starts the program of that commit with the current packages; undefined where it cannot run with them. */
async function startOld(commit: string, dataDir: string) {
  const tree = join(folder, commit)
  git('worktree', 'add', '--detach', '--quiet', tree, commit)
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/main.ts'], {
    cwd: tree,
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      ADMIN_API_KEY: KEY,
      EMBEDDING: 'off',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  let isOver = false
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  void exited.then(() => {
    isOver = true
  })
  const url = await waitFor(
    () => (isOver ? '' : /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]),
    `commit ${commit} to listen`,
  )
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return url === '' ? { output } : { api: connect(url, KEY), kill, output }
}

const documentOf = (at: number) => ({
  document: {
    id: `old/${at}`,
    semantic_identifier: `Old ${at}`,
    sections: [{ text: `heliotrope word${at}` }],
    source: 'ingestion_api',
    metadata: {},
  },
})

test('the history of this repository is available', {
  skip: chosen().length === 0 && 'no history with earlier commits',
}, () => {})

for (const commit of chosen())
  test(`data of ${commit} works with the current program`, async (t) => {
    const dataDir = join(folder, `${commit}.data`)
    const old = await startOld(commit, dataDir)
    if (old.api === undefined) return t.skip(`that program does not run here: ${old.output.trim().split('\n').at(-1)}`)
    const api = old.api
    const taken: number[] = []
    await parallel(
      Array.from({ length: DOCUMENTS }, (_, at) => at),
      8,
      async (at) => {
        const { status } = await api('POST', '/service-api/ingestion', documentOf(at))
        if (status === 200) taken.push(at)
      },
    )
    api.close()
    await old.kill()
    t.diagnostic(`${taken.length} documents taken by the older program`)
    assert.ok(taken.length > 0, 'the earlier program accepted nothing')

    const server = await startServer({ dataDir })
    await settled(server)
    const found = await server.api('POST', '/search', { query: 'heliotrope', num_hits: 1 })
    assert.equal((found.body as { total: number }).total, taken.length)
    for (const at of taken.filter((it) => it % 20 === 0)) {
      const { body } = await server.api('POST', '/search', { query: `word${at}`, num_hits: 1 })
      assert.equal((body as { results: { document_id: string }[] }).results[0]?.document_id, `old/${at}`)
    }
    await server.stop()
  })
