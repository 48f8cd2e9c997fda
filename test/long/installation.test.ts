// The first start of a clone, with the real npm: its bytes on the disk, and a service that runs.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { waitFor } from '../server.ts'

const MAX_BYTES = 250e6
const WAIT_MS = 600_000

test('the first start of a clone needs at most 250 MB of packages, builds nothing, and shows the pages', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-installation-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const clone = join(folder, 'clone')
  const { status, stderr } = spawnSync('git', ['clone', '--quiet', process.cwd(), clone], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const { PATH = '', HOME = folder } = process.env
  const child = spawn(process.execPath, ['start.mjs'], {
    cwd: clone,
    env: { PATH, HOME, PORT: '0', DATA_DIR: join(folder, 'data') },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  after(() => void child.kill('SIGKILL'))
  const ended = new Promise((resolve) => child.once('close', resolve))
  const address = await waitFor(() => /listens at (http:\S+)/.exec(output)?.[1], 'the service', WAIT_MS)
  assert.doesNotMatch(output, /Building the pages/)
  const page = await fetch(address, { headers: { accept: 'text/html' } })
  assert.equal(await page.text(), readFileSync(join(clone, 'web/dist/index.html'), 'utf8'))
  const ready = await fetch(`${address}/health/ready`)
  assert.match(await ready.text(), /"model":"all-MiniLM-L6-v2-int8"/)
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  const bytes = bytesIn(join(clone, 'node_modules'))
  assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`)
})

function bytesIn(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.reduce((sum, it) => {
    const path = join(folder, it.name)
    return sum + (it.isDirectory() ? bytesIn(path) : lstatSync(path).size)
  }, 0)
}
