import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hideSecrets } from '../source/hide-secrets.ts'
import { createAttemptLog, LOG_LINES_KEPT } from './attempt-log.ts'

const openLog = (lastLine = 0) => createAttemptLog({ now: () => 1, lastLine })

test('a log continues the numbers of an interrupted run and keeps the last lines', () => {
  const log = openLog(7)
  for (let at = 0; at < 5 * LOG_LINES_KEPT; at++) log.add('info', `line ${at}`)
  const lines = log.take()
  assert.equal(lines.length, LOG_LINES_KEPT)
  assert.deepEqual([lines.at(-1)?.line, lines.at(-1)?.text], [7 + 5 * LOG_LINES_KEPT, `line ${5 * LOG_LINES_KEPT - 1}`])
  assert.deepEqual(log.take(), [])
})

test('a text of a source neither adds lines nor is longer than a line', () => {
  const log = openLog()
  log.add('warning', `a\r\n2026 info forged\u0085${'x'.repeat(1_000)}`)
  const [line] = log.take()
  assert.match(line!.text, /^a {2}2026 info forged x+$/)
  assert.equal(line!.text.length, 400)
})

test('values of the credential are hidden, also in URLs, in base64 and at the end of a line', () => {
  const log = openLog()
  const secret = 'p@ss/word of mine'
  log.hideSecrets(hideSecrets({ user: 'ann@example.com', keys: [{ token: secret }], port: 'abc' }))
  const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
  log.add('error', `${'x'.repeat(395)}${secret}`)
  log.add('error', `${forms.join(' ')} abc`)
  const [cut, whole] = log.take()
  assert.ok(!cut!.text.includes('p@'))
  assert.equal(whole!.text, '••• ••• ••• abc')
})
