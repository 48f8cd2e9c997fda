// A process with a low limit of open files that has reached the limit.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const isPosix = process.platform === 'win32' ? { skip: 'needs ulimit' } : {}

test('without file descriptors, the index waits, reports it, and loses nothing', isPosix, () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-files-'))
  const program = join(import.meta.dirname, 'out-of-files.ts')
  const command = ['-c', 'ulimit -n 128 && exec "$@"', 'bash', process.execPath, program, dir]
  const { status, signal, stderr } = spawnSync('bash', command, { encoding: 'utf8' })
  assert.equal(status, 0, `${signal ?? ''}${stderr}`)
  rmSync(dir, { recursive: true })
})
