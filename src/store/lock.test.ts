import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { lockFolder } from './lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-lock-'))
after(() => rmSync(folder, { recursive: true }))

/** Another process tries; it ends, and drops what it got, at once. */
function tryElsewhere(): { ok: boolean; holder?: { pid: number } } {
  const code = `import { lockFolder } from './src/store/lock.ts'
    console.log(JSON.stringify(lockFolder(process.argv[1], 0)))`
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', code, folder]
  return JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' }))
}

test('while one process holds the folder, another is told who, and gets it once the first lets go', () => {
  const lock = lockFolder(folder, 0)
  assert.ok(lock.ok)
  assert.deepEqual([tryElsewhere().ok, tryElsewhere().holder?.pid], [false, process.pid])
  lock.release()
  assert.equal(tryElsewhere().ok, true)
})

test('a process that ended in whatever way holds nothing', () => {
  assert.equal(tryElsewhere().ok, true)
  const lock = lockFolder(folder, 0)
  assert.ok(lock.ok)
  lock.release()
})
