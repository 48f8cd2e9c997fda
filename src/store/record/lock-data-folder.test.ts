import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { tryLockFolder } from './lock-data-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-lock-'))
after(() => rmSync(folder, { recursive: true }))

/** Another process tries to take the lock, exits and thereby releases what it got. */
function tryElsewhere(): { ok: boolean; holder?: { pid: number } } {
  const code = `import { tryLockFolder } from './src/store/record/lock-data-folder.ts'
    console.log(JSON.stringify(tryLockFolder(process.argv[1], 0)))`
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', code, folder]
  return JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' }))
}

test('a second process learns who holds the folder, and gets it after release', () => {
  const lock = tryLockFolder(folder, 0)
  assert.ok(lock.ok)
  assert.deepEqual([tryElsewhere().ok, tryElsewhere().holder?.pid], [false, process.pid])
  lock.release()
  assert.equal(tryElsewhere().ok, true)
})

test('a process that has ended in any way holds no lock', () => {
  assert.equal(tryElsewhere().ok, true)
  const lock = tryLockFolder(folder, 0)
  assert.ok(lock.ok)
  lock.release()
})
