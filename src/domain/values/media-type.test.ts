import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatFileType, detectMediaType, HEAD_BYTES } from './media-type.ts'

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const cases: [what: string, head: string | Buffer, claimed: string, type: string, chat: string][] = [
  ['a PNG', Buffer.from('\x89PNG\r\n', 'latin1'), 'image/png', 'image/png', 'image'],
  ['a PNG that claims to be a page', Buffer.from('\x89PNG<html>', 'latin1'), 'text/html', 'image/png', 'image'],
  ['a page that claims to be a PNG', '<html><script>', 'image/png', 'text/plain', 'plain_text'],
  ['a page', '<html>', 'text/html; charset=utf-8', 'text/html', 'document'],
  ['a drawing with a script', '<svg onload="x()">', 'image/svg+xml', 'image/svg+xml', 'document'],
  ['a PDF that is also a page', '%PDF-1.7 <html>', 'text/html', 'application/pdf', 'document'],
  ['a GIF that is also an archive', 'GIF89a PK\x03\x04', 'application/zip', 'image/gif', 'image'],
  ['an office document', 'PK\x03\x04', DOCX, DOCX, 'document'],
  ['a spreadsheet', 'PK\x03\x04', DOCX.replace('wordprocessingml.document', 'spreadsheetml.sheet'), '', 'tabular'],
  ['an archive that claims to be a program', 'PK\x03\x04', 'application/java-archive', 'application/zip', 'document'],
  ['text that claims to be an office document', 'hello', DOCX, 'text/plain', 'plain_text'],
  ['binary data that claims to be text', '\x00\x01', 'text/plain', 'application/octet-stream', 'document'],
  ['binary data that claims to be an image', '\x00\x01', 'image/x-unheard-of', 'application/octet-stream', 'document'],
  ['binary data of an unknown type', '\x00\x01', 'Audio/MPEG', 'audio/mpeg', 'document'],
  ['binary data with a header in its type', '\x00\x01', 'a/b\r\nSet-Cookie: x', 'application/octet-stream', 'document'],
  ['a table', 'a,b\n', 'text/csv', 'text/csv', 'tabular'],
  ['JSON', '{}', 'application/json', 'application/json', 'plain_text'],
  ['nothing', '', 'image/png', 'text/plain', 'plain_text'],
  ['text without a type', 'hello', '', 'text/plain', 'plain_text'],
  [
    'text whose head ends within a character',
    Buffer.from('ä'.padStart(HEAD_BYTES, 'a')).subarray(0, HEAD_BYTES),
    '',
    'text/plain',
    'plain_text',
  ],
]
for (const [what, head, claimed, type, chat] of cases) {
  test(`${what} is ${chat}`, () => {
    const found = detectMediaType(Buffer.from(head), claimed)
    assert.deepEqual([found, chatFileType(found)], [type || claimed, chat])
  })
}
