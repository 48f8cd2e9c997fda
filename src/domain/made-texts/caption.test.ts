import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentSection } from '../document.ts'
import { captionedFilesOf, captionedTypeOf, cleanCaption, explainNoCaption, fillCaptions } from './caption.ts'

const [CAT, DOG] = ['c'.repeat(64), 'd'.repeat(64)]
const LIMITS = { maxLength: 1_000, maxSections: 10 }
const section = (more: Partial<DocumentSection> = {}): DocumentSection => ({
  ...{ text: 'own', link: 'https://example.com/a', heading: 'Animals', image_file_id: 'f1' },
  picture: { blob: CAT },
  ...more,
})
const stored = (sections: readonly DocumentSection[]): DocumentSection[] => JSON.parse(JSON.stringify(sections))
const known = new Map([[CAT, 'A cat.']])

test('a caption becomes a section behind its picture, once, and filling again changes nothing', () => {
  const filled = stored(fillCaptions([section({ image_file_name: 'cat.png' }), section()], known, LIMITS))
  assert.deepEqual(filled.slice(1), [
    { text: 'A cat.', link: 'https://example.com/a', heading: null, image_file_id: null, caption: { blob: CAT } },
    section(),
  ])
  assert.equal(JSON.stringify(fillCaptions(filled, known, LIMITS)), JSON.stringify(filled))
})

test('a caption is replaced or taken away, and stays when nothing is known of it', () => {
  const filled = stored(fillCaptions([section()], known, LIMITS))
  const texts = (captions: Map<string, string | null>) => fillCaptions(filled, captions, LIMITS).map((it) => it.text)
  assert.deepEqual(texts(new Map([[CAT, 'A black cat.']])), ['own', 'A black cat.'])
  assert.deepEqual(texts(new Map([[CAT, null]])), ['own'])
  assert.deepEqual(texts(new Map([[DOG, 'A dog.']])), ['own', 'A cat.'])
})

test('a document that is full keeps its text and gets no caption', () => {
  for (const limits of [
    { ...LIMITS, maxLength: 8 },
    { ...LIMITS, maxSections: 1 },
  ])
    assert.deepEqual(fillCaptions([section()], known, limits), [section()])
})

test('a file counts once, and is settled when its caption is there', () => {
  const plain = [section({ image_file_name: 'cat.png' })]
  assert.deepEqual(captionedFilesOf(plain), [{ blob: CAT, kind: 'caption', name: 'cat.png', isSettled: false }])
  assert.equal(captionedFilesOf(fillCaptions(plain, known, LIMITS))[0]?.isSettled, true)
})

test('a caption is one line of bounded length, without signs that nobody sees', () => {
  assert.equal(cleanCaption(' A\u0000 cat\n\u202eand\t a \u{E0041}dog. '), 'A cat and a dog.')
  const long = cleanCaption('One sentence. '.repeat(5_000))
  assert.ok(long.length <= 600 && long.endsWith('sentence.'), long)
  assert.equal(cleanCaption('x'.repeat(5_000)).length, 600)
})

test('icons, large files, other kinds and pictures of text get no caption, each for its reason', () => {
  const picture = (length: number) => Buffer.concat([Buffer.from('\x89PNG', 'latin1'), Buffer.alloc(length)])
  const text = { page: 0, text: 'x'.repeat(700), confidence: 0.9 }
  const size = { width: 100, height: 64 }
  assert.equal(explainNoCaption(picture(3_000), size, [{ ...text, text: 'few words' }]), null)
  for (const [bytes, its, pages, reason] of [
    [picture(3_000), { width: 100, height: 63 }, [], /too small/],
    [picture(100), null, [], /too small/],
    [picture(4_000_000), size, [], /more than 3\.75 MB/],
    [Buffer.from('%PDF-1.7'), null, [], /PNG, JPEG/],
    [picture(3_000), size, [text], /full of text/],
  ] as const)
    assert.match(explainNoCaption(bytes, its, pages) ?? '', reason)
})

test('the bytes tell the kind of a picture', () => {
  const heads = ['\x89PNG\r\n', '\xff\xd8\xff\xe0', 'GIF89a', 'RIFF\x24\0\0\0WEBPVP8 ', '%PDF-1.7', 'II*\0', '']
  assert.deepEqual(
    heads.map((it) => captionedTypeOf(Buffer.from(it, 'latin1'))),
    ['image/png', 'image/jpeg', 'image/gif', 'image/webp', null, null, null],
  )
})
