import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metadataByName, parseFileMetadata, splitMetadataLine } from './metadata.ts'

test('known keys set document fields, other keys become metadata', () => {
  const { metadata, link, ...known } = parseFileMetadata({
    id: 'one',
    link: 'https://x.example',
    file_display_name: 'One',
    title: 'First',
    primary_owners: ['ann@x.example', 'Bob', { display_name: 'Cy', email: 'cy@x.example', more: 1 }],
    doc_updated_at: '2024-02-29T00:00:00Z',
    connector_type: 'Google Drive',
    filename: 'one.txt',
    team: 'zoo',
    years: [1999, 'later'],
    nested: { a: 1 },
    nothing: null,
  })
  assert.deepEqual(known, {
    id: 'one',
    title: 'First',
    semantic_identifier: 'One',
    doc_updated_at: Date.UTC(2024, 1, 29),
    source: 'google_drive',
    primary_owners: [
      { email: 'ann@x.example' },
      { display_name: 'Bob' },
      { display_name: 'Cy', email: 'cy@x.example' },
    ],
    secondary_owners: [],
  })
  assert.deepEqual(
    [link, metadata],
    ['https://x.example', { team: 'zoo', years: ['1999', 'later'], nested: '{"a":1}' }],
  )
})

for (const value of [null, 7, 'text', [], { id: 5, title: [], primary_owners: 'ann', doc_updated_at: 'soon' }]) {
  test(`${JSON.stringify(value)} sets no invalid fields`, () => {
    const { link, primary_owners = [], metadata: _, ...known } = parseFileMetadata(value)
    assert.deepEqual(
      [link, primary_owners, known.id, known.title, known.doc_updated_at],
      [null, [], undefined, undefined, undefined],
    )
  })
}

test('a list of objects and an object keyed by name are equivalent', () => {
  const keyed = metadataByName({ 'a.txt': { title: 'A' } })
  const list = metadataByName([{ filename: 'a.txt', title: 'A' }])
  assert.deepEqual(keyed, list)
  for (const wrong of ['text', 7, [{ title: 'nameless' }], { 'a.txt': 'no object' }]) {
    assert.equal(metadataByName(wrong), null)
  }
})

for (const [content, title, rest] of [
  ['#ONYX_METADATA={"title":"T"}\nrest', 'T', 'rest'],
  ['<!-- ONYX_METADATA={"title":"T"} -->\r\nrest', 'T', 'rest'],
  ['\uFEFF#ONYX_METADATA={"title":"T"}', 'T', ''],
  ['#ONYX_METADATA={broken}\nrest', undefined, '#ONYX_METADATA={broken}\nrest'],
  ['first\n#ONYX_METADATA={"title":"T"}', undefined, 'first\n#ONYX_METADATA={"title":"T"}'],
] as const) {
  test(`the first line of ${JSON.stringify(content)} sets the title ${title ?? 'to nothing'}`, () => {
    const found = splitMetadataLine(content)
    assert.deepEqual([found.described?.title, found.rest], [title, rest])
  })
}
