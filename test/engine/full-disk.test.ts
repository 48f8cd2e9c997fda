// A disk without room for vectors: a small tmpfs in a mount namespace of its own.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const MOUNT = 'mount -t tmpfs -o size=8m,mode=700 none "$0" && exec "$@"'
const canMount = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0
const namespaces = canMount ? {} : { skip: 'needs user namespaces that may mount a tmpfs (unshare -Urm)' }

test(
  'on a full disk, no vector of a call is stored, searches continue, and freed space is enough to recover',
  namespaces,
  () => {
    const dir = mkdtempSync(join(tmpdir(), 'pharos-full-'))
    const program = join(import.meta.dirname, 'full-disk.ts')
    const command = ['-Urm', 'sh', '-c', MOUNT, dir, process.execPath, program, dir]
    const { status, stderr } = spawnSync('unshare', command, { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    rmSync(dir, { recursive: true })
  },
)
