import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originalType } from './original-type.ts'

const PLAIN = 'text/plain; charset=utf-8'
const UNKNOWN = 'application/octet-stream'
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])

for (const [title, content, name, declared, type, isShown] of [
  ['a PDF', '%PDF-1.7', 'a.pdf', 'application/pdf', 'application/pdf', true],
  ['a PDF that says it is HTML', '%PDF-1.7', 'a.html', 'text/html', 'application/pdf', true],
  ['a PNG', png, 'a.png', 'image/png', 'image/png', true],
  ['a GIF', 'GIF89a', 'a', '', 'image/gif', true],
  ['text', 'hello', 'a.txt', 'text/plain', PLAIN, true],
  ['Markdown', '# Hello', 'a.md', 'text/markdown', PLAIN, true],
  ['HTML', '<p>x', 'a.html', 'text/html', UNKNOWN, false],
  ['HTML that says it is text', '\ufeff \n<!doctype html><script>x</script>', 'a.txt', 'text/plain', UNKNOWN, false],
  ['HTML that says it is a PDF', '<html>', 'a.pdf', 'application/pdf', UNKNOWN, false],
  ['text with the name of HTML', 'hello', 'a.HTML', 'text/plain', UNKNOWN, false],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.svg', 'image/svg+xml', UNKNOWN, false],
  ['SVG that says it is a PNG', '<svg onload="x"/>', 'a.png', 'image/png', UNKNOWN, false],
  ['XHTML', 'x', 'a', 'application/xhtml+xml', UNKNOWN, false],
  ['a mail', 'From: a\n\nx', 'a.eml', 'message/rfc822', UNKNOWN, false],
  ['a table', 'a,b', 'a.csv', 'text/csv', 'text/csv', false],
  ['JSON', '{}', 'a.json', 'application/json', 'application/json', false],
  ['an archive', 'PK\x03\x04', 'a.zip', 'application/zip', 'application/zip', false],
  ['bytes', Buffer.from([0, 1, 2]), 'a.html', 'text/html', UNKNOWN, false],
  ['bytes that claim to be a picture', Buffer.from([0, 1, 2]), 'a', 'image/avif', UNKNOWN, false],
] as const) {
  test(`${title}: ${type}, ${isShown ? 'shown' : 'saved'}`, () => {
    assert.deepEqual(originalType(Buffer.from(content), { name, declared }), { type, isShown })
  })
}

test('an Office file keeps its type and is saved', () => {
  const declared = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  assert.deepEqual(originalType(Buffer.from('PK\x03\x04'), { name: 'a.docx', declared }), {
    type: declared,
    isShown: false,
  })
})
