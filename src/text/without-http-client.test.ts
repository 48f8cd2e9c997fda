import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

test('a thread that stems words does not load the HTTP client of Node', () => {
  const code = `await import('./src/text/without-http-client.ts')
    const { stemWord } = await import('./src/text/stem.ts')
    const loadsClient = process.moduleLoadList.some((it) => it.includes('undici'))
    console.log(JSON.stringify([stemWord('snowdrops', 'en'), loadsClient]))`
  const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code]
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  assert.equal(stderr, '')
  assert.deepEqual(JSON.parse(stdout), [['snowdrop'], false])
})
