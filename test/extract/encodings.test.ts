// Encodings: byte order mark, then valid UTF-8, then the declared encoding, then detection.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extract } from './open-extractor.ts'

const JAPANESE = 'これは日本語の文章です。会議の議事録を保存してください。'
/** Sample texts in encodings that Node cannot encode. */
const SHIFT_JIS = Buffer.from(
  '82b182ea82cd93fa967b8cea82cc95b68fcd82c582b7814289ef8b6382cc8b638e96985e82f095db91b682b582c482ad82be82b382a28142',
  'hex',
)
const WORDS = 'Отчёт о расходах за прошлый год'
const KOI8 = Buffer.from('efd4dea3d420cf20d2c1d3c8cfc4c1c820dac120d0d2cfdbccd9ca20c7cfc4', 'hex')
const LATIN1 = Buffer.from('Grüße aus München', 'latin1')

const page = (bytes: Buffer, head = '') =>
  Buffer.concat([Buffer.from(`<html><head>${head}</head><body><p>`), bytes, Buffer.from('</p></body></html>')])

const cases: [says: string, name: string, bytes: Buffer, media: string | null, text: string][] = [
  ['the header', 'a.html', page(KOI8), 'text/html; charset=koi8-r', WORDS],
  ['the page', 'a.html', page(KOI8, '<meta charset="koi8-r">'), null, WORDS],
  [
    'an old page',
    'a.html',
    page(KOI8, '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'),
    null,
    WORDS,
  ],
  [
    'the header before the page',
    'a.html',
    page(KOI8, '<meta charset="shift_jis">'),
    'text/html; charset=koi8-r',
    WORDS,
  ],
  ['a header that lies about Shift-JIS', 'a.html', page(SHIFT_JIS), 'text/html; charset=utf-8', JAPANESE],
  [
    'a page that lies about UTF-8',
    'a.html',
    page(Buffer.from(JAPANESE), '<meta charset="iso-8859-1">'),
    null,
    JAPANESE,
  ],
  ['an unknown label', 'a.html', page(LATIN1), 'text/html; charset=made-up', 'Grüße aus München'],
  ['nobody, in Shift-JIS', 'a.txt', SHIFT_JIS, null, JAPANESE],
  ['nobody, in Latin 1', 'a.txt', LATIN1, null, 'Grüße aus München'],
  [
    'a mark',
    'a.html',
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`<p>${JAPANESE}`, 'utf16le')]),
    'text/html; charset=utf-8',
    JAPANESE,
  ],
  ['zeros', 'a.txt', Buffer.from('Plain words', 'utf16le'), null, 'Plain words'],
  [
    'XML itself',
    'a.xml',
    Buffer.concat([Buffer.from('<?xml version="1.0" encoding="koi8-r"?><a>'), KOI8, Buffer.from('</a>')]),
    null,
    WORDS,
  ],
  [
    'one broken byte',
    'a.txt',
    Buffer.concat([Buffer.from(JAPANESE), Buffer.from([0xff])]),
    'text/plain; charset=utf-8',
    `${JAPANESE}\ufffd`,
  ],
]
for (const [says, name, bytes, media_type, text] of cases)
  test(`the encoding is known by ${says} [Z15]`, async () => {
    assert.equal((await extract(bytes, name, { media_type })).sections[0]?.text, text)
  })
