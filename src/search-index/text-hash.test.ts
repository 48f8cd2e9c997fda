import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textHashes } from './text-hash.ts'

const hashesOf = (document_id: string, title: string, ...contents: string[]) =>
  textHashes(
    { document_id, title },
    contents.map((content, chunk_ind) => ({ chunk_ind, content, link: null })),
  )

test('the hash depends on document, title and content, and on the boundaries between them', () => {
  const hashes = [
    hashesOf('a', 'title', 'content'),
    hashesOf('b', 'title', 'content'),
    hashesOf('a', 'other', 'content'),
    hashesOf('a', 'title', 'other'),
    hashesOf('a', 'titlec', 'ontent'),
    hashesOf('a', 'title', '\ud800'),
    hashesOf('a', 'title', '\ud801'),
  ].flat()
  assert.equal(new Set(hashes).size, hashes.length)
  for (const it of hashes) assert.match(it ?? '', /^[0-9a-f]{16}$/)
  assert.deepEqual(hashesOf('a', 'title', 'content'), hashesOf('a', 'title', 'content'))
})

test('a repeated text and a text without letters or digits have no hash', () => {
  const hashes = hashesOf('a', '', 'x', 'y', 'x', '', ' \n–', '7')
  assert.deepEqual(
    hashes.map((it) => it !== undefined),
    [true, true, false, false, false, true],
  )
  assert.equal(hashesOf('a', '文書', '')[0]?.length, 16)
})
