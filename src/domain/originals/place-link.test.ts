import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originalPath, pageOfLink, placeLink, readerPath, uploadOfDocument } from './place-link.ts'

const FILE = '0b9f3c5e-1f0a-4c57-9f0e-2d6c0f1a9b7e'
const UPLOAD = `FILE_CONNECTOR__${FILE}`
const linkOf = (id: string, link: string | null, documentLink: string | null = null, base = '') =>
  placeLink({ document: { id, link: documentLink }, link, at: { chunk_ind: 4 } }, base)

test('a page of an uploaded PDF opens the original at that page', () => {
  assert.equal(linkOf(UPLOAD, '#page=3'), `/api/document/original?document_id=${UPLOAD}#page=3`)
  assert.equal(
    linkOf(UPLOAD, '#page=3', null, 'https://pharos.example'),
    `https://pharos.example/api/document/original?document_id=${UPLOAD}#page=3`,
  )
})

test('everything else of the file connector opens its text at the chunk', () => {
  assert.equal(linkOf(UPLOAD, null), `/document?id=${UPLOAD}&chunk=4`)
  assert.equal(linkOf(UPLOAD, '#slide=2'), `/document?id=${UPLOAD}&chunk=4`)
  assert.equal(linkOf(`${UPLOAD}/a b.pdf`, '#page=3'), `/document?id=${UPLOAD}%2Fa%20b.pdf&chunk=4`)
  assert.equal(
    linkOf('FILE_CONNECTOR__0123456789ab/x.pdf', '#page=3'),
    '/document?id=FILE_CONNECTOR__0123456789ab%2Fx.pdf&chunk=4',
  )
})

test('the link of the source is kept, that of the passage first', () => {
  assert.equal(linkOf(UPLOAD, 'https://x.example/a#b', 'https://x.example/a'), 'https://x.example/a#b')
  assert.equal(linkOf(UPLOAD, null, 'https://x.example/a'), 'https://x.example/a')
  assert.equal(linkOf(UPLOAD, '#page=2', 'https://x.example/a'), 'https://x.example/a')
})

test('a document of another source without a link stays without', () => {
  assert.equal(linkOf('pushed', null), null)
  assert.equal(linkOf('pushed', '#intro'), '#intro')
})

test('an id of the file connector names its upload', () => {
  assert.deepEqual(uploadOfDocument(UPLOAD), { file_id: FILE, isMember: false })
  assert.deepEqual(uploadOfDocument(`${UPLOAD}/in/it.txt`), { file_id: FILE, isMember: true })
  for (const id of [`${UPLOAD}x`, FILE, 'FILE_CONNECTOR__', 'FILE_CONNECTOR__0123456789ab/a', `x${UPLOAD}`])
    assert.equal(uploadOfDocument(id), null, id)
})

test('only a page at the end of a link is one', () => {
  assert.equal(pageOfLink('#page=12'), 12)
  for (const link of [null, '', '#page=', '#page=1x', '#sheet=#page', `#${'1'.repeat(100)}`])
    assert.equal(pageOfLink(link), null)
})

test('ids are encoded, also with half a surrogate pair', () => {
  assert.equal(originalPath('a&b#c\ud800'), '/api/document/original?document_id=a%26b%23c%EF%BF%BD')
  assert.equal(readerPath('ü', { section: 7 }), '/document?id=%C3%BC&section=7')
})
