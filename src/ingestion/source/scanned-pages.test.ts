import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecognisedPage } from '../../domain/pictures/recognition.ts'
import type { Extraction } from '../../extract/extract.ts'
import { addScannedPages, withoutPictures } from './scanned-pages.ts'

const extractionOf = (kind: string, unreadPages: number[], sections: Extraction['sections'] = []): Extraction => ({
  ...{ title: null, sections, parts: [], page: null },
  metadata: { author: null, created: null, modified: null, language: null },
  report: { kind, verdict: 'ok', pages: null, characters: 0, warnings: [], unreadPages },
})
const file = { bytes: Buffer.from('bytes'), name: 'scan.pdf', mediaType: null }

function keeper(pages: readonly RecognisedPage[] = []) {
  const kept: string[] = []
  const keep = async ({ name }: { name: string }) => {
    kept.push(name)
    return { blob: 'b', pages }
  }
  return { kept, keep }
}

test('each scanned page has a section at its place, which waits for its text', async () => {
  const { keep } = keeper()
  const read = extractionOf('pdf', [0, 2], [{ text: 'second', heading: null, anchor: 'page=2' }])
  const { sections } = await addScannedPages(keep, file, read)
  assert.deepEqual(
    sections.map((it) => [it.anchor, it.text, it.picture]),
    [
      ['page=1', '', { blob: 'b', page: 0 }],
      ['page=2', 'second', undefined],
      ['page=3', '', { blob: 'b', page: 2 }],
    ],
  )
})

test('a page that was read before has its text at once', async () => {
  const { keep } = keeper([{ page: 0, text: 'known', confidence: 0.9 }])
  const { sections } = await addScannedPages(keep, file, extractionOf('pdf', [0]))
  assert.deepEqual(
    sections.map((it) => [it.text, it.picture]),
    [['known', { blob: 'b', page: 0, confidence: 0.9 }]],
  )
})

test('files without scans are not kept, nor pictures where they are no documents', async () => {
  const { kept, keep } = keeper()
  const plain = extractionOf('pdf', [])
  assert.deepEqual(await addScannedPages(keep, file, plain), plain)
  const picture = extractionOf('image', [0])
  assert.deepEqual(await addScannedPages(keep, file, picture), picture)
  assert.deepEqual(kept, [])
  const { sections } = await addScannedPages(keep, { ...file, isPictureRead: true }, picture)
  assert.deepEqual([kept, sections[0]?.anchor], [['scan.pdf'], null])
})

test('a long scan has a section for each of its first 500 pages', async () => {
  const { keep } = keeper()
  const pages = Array.from({ length: 501 }, (_, at) => at)
  assert.equal((await addScannedPages(keep, file, extractionOf('pdf', pages))).sections.length, 500)
})

test('pictures in sections, and scanned pages and pictures of parts, are kept at their places', async () => {
  const { kept, keep } = keeper()
  const bytes = Buffer.from('picture')
  const shown = { text: 'alt', heading: 'Cranes', anchor: 'slide=2', picture: { name: 'crane.png', bytes } }
  const read = extractionOf('pptx', [], [shown])
  read.parts = [
    { ...extractionOf('pdf', [0]), name: 'scan.pdf', scan: bytes },
    {
      ...extractionOf('zip', []),
      name: 'in.zip',
      parts: [{ ...extractionOf('image', [0]), name: 'in.jpg', scan: bytes }],
    },
    { ...extractionOf('pdf', [0]), name: 'over the limit.pdf' },
  ]
  const { sections, parts } = await addScannedPages(keep, file, read)
  assert.deepEqual(kept, ['crane.png', 'scan.pdf', 'in.jpg'])
  const waiting = { text: '', heading: null, picture: { blob: 'b', page: 0 } }
  assert.deepEqual(sections, [{ text: 'alt', heading: 'Cranes', anchor: 'slide=2', picture: { blob: 'b', page: 0 } }])
  assert.deepEqual(
    [parts[0]?.sections, parts[1]?.parts[0]?.sections, parts[2]?.sections],
    [[{ ...waiting, anchor: 'page=1' }], [{ ...waiting, anchor: null }], []],
  )
  assert.ok(parts.every((it) => !('scan' in it)))
})

test('where no text is recognised, sections and parts have no bytes', () => {
  const picture = { name: 'crane.png', bytes: Buffer.from('picture') }
  const read = extractionOf('docx', [], [{ text: 'alt', heading: null, anchor: null, picture }])
  read.parts = [{ ...extractionOf('image', [0]), name: 'in.jpg', scan: picture.bytes }]
  const { sections, parts } = withoutPictures(read)
  assert.deepEqual(sections, [{ text: 'alt', heading: null, anchor: null }])
  assert.deepEqual(parts, [{ ...extractionOf('image', [0]), name: 'in.jpg' }])
})
