// Kinds that only connectors request: XML lists and wiki markup.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { extracting } from './open-extractor.ts'

type SourceKind = NonNullable<Parameters<typeof extracting>[0]['as']>
const read = (text: string | Buffer, as: SourceKind) =>
  extracting({ bytes: Buffer.from(text as string), name: 'x', mediaType: null, as })
const records = async (text: string | Buffer) =>
  (await read(text, 'records')).sections.map((it) => [it.heading, it.text])

test('an XML list has its elements and tells whether it is complete', async () => {
  const list = '<?xml version="1.0"?><a><b><c> 1 &amp; 2 </c><c>second</c><d><c>deeper</c></d></b><e>x</e></a>'
  const expected = [
    ['a', '"open"'],
    ['b', '{"c":" 1 & 2 ","d":"deeper"}'],
    ['e', '"x"'],
    ['a', '"whole"'],
  ]
  assert.deepEqual(await records(list), expected)
  assert.deepEqual(await records(gzipSync(list)), expected)
  assert.deepEqual(await records(list.slice(0, -4)), expected.slice(0, 3))
  assert.deepEqual(await records('no list'), [])
})

test('a deeply nested list ends at the nesting limit at once', async () => {
  const { report } = await read(`<a>${'<b>'.repeat(2_000_000)}`, 'records')
  assert.deepEqual([report.verdict, report.warnings[0]?.detail], ['limit', 'nesting'])
})

test('the Confluence storage format is read like the rendered page', async () => {
  const storage =
    '<h1>Plan</h1><ac:structured-macro ac:name="code"><ac:parameter ac:name="language">no text</ac:parameter>' +
    '<ac:plain-text-body><![CDATA[if (a < b) {}]]></ac:plain-text-body></ac:structured-macro><p>Done.</p>'
  const { sections } = await read(storage, 'storage-format')
  assert.deepEqual(
    sections.map((it) => [it.heading, it.text]),
    [['Plan', 'if (a < b) {}\nDone.']],
  )
})

for (const text of ['# One\ntwo', `# One\n${'word '.repeat(20_000)}`])
  test(`a text of ${text.length} characters in the markup of a wiki is read by its headings`, async () => {
    const { sections, report } = await read(text, 'wiki-text')
    assert.deepEqual(
      [report.verdict, sections.length, sections[0]?.heading, sections[0]?.anchor],
      ['ok', 1, 'One', 'One'],
    )
    assert.equal(sections[0]?.text, text.slice(6).trim())
  })
