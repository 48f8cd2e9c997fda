import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storageToHtml } from './storage-format.ts'

const SIZE = 100_000

test('the storage format becomes HTML', () => {
  const storage =
    '<ac:structured-macro ac:name="code"><ac:parameter ac:name="x">no text</ac:parameter>' +
    '<ac:plain-text-body><![CDATA[a < b && c]]></ac:plain-text-body></ac:structured-macro><ac:task-list/>'
  assert.equal(storageToHtml(storage), '<div><div>a &lt; b &amp;&amp; c</div></div><div/>')
})

for (const piece of ['<![CDATA[', '<ac:parameter a', '<ac:parameter>', '<ac:task-list x']) {
  test(`${SIZE} times ${piece} in the storage format is read in linear time`, () => {
    assert.equal(storageToHtml(piece.repeat(SIZE)), piece.repeat(SIZE))
  })
}
