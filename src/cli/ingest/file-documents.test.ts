import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExtractedPart, ExtractedSection, Extraction, ExtractWarning } from '../../extract/extract.ts'
import { documentsOfFile } from './file-documents.ts'

const section = (text: string, anchor: string | null = null): ExtractedSection => ({ text, heading: null, anchor })
const extraction = (
  sections: ExtractedSection[],
  warnings: ExtractWarning[] = [],
  parts: ExtractedPart[] = [],
): Extraction => ({
  title: null,
  sections,
  metadata: { author: null, created: null, modified: null, language: null },
  report: { kind: 'x', verdict: 'ok', pages: null, characters: 0, unreadPages: [], warnings },
  page: null,
  parts,
})
const part = (name: string, ...given: Parameters<typeof extraction>): ExtractedPart => ({
  ...extraction(...given),
  name,
})

const found = (it: Extraction) =>
  documentsOfFile(it, {
    path: 'dir/a.b.zip',
    id: 'id/dir/a.b.zip',
    link: 'http://x/a',
    updatedAt: new Date(0),
    ccPairId: undefined,
    source: undefined,
  })
const shown = (it: Extraction) =>
  found(it).map(({ at, content }) => [at, 'problem' in content ? content.problem : content.body.document.id])

test('the members of a file come before it, and two members with one name have different ids', () => {
  const inner = part('in.zip', [], [], [part('deep', [section('d')])])
  const mail = extraction([section('m')], [], [part('x', [section('1')]), part('x', [section('2')]), inner])
  assert.deepEqual(shown(mail), [
    ['dir/a.b.zip!/x', 'id/dir/a.b.zip!/x'],
    ['dir/a.b.zip!/x (2)', 'id/dir/a.b.zip!/x (2)'],
    ['dir/a.b.zip!/in.zip', 'id/dir/a.b.zip!/in.zip!/deep'],
    ['dir/a.b.zip', 'id/dir/a.b.zip'],
  ])
})

test('an archive is complete when its last member is, and an error names the member', () => {
  const locked = part('b', [], [{ code: 'password', detail: 'Locked.' }])
  assert.deepEqual(shown(extraction([], [], [part('a', [section('1')]), locked])), [
    ['dir/a.b.zip!/a', 'id/dir/a.b.zip!/a'],
    ['dir/a.b.zip', '!/b: Locked.'],
  ])
})

test('a scan with an attached file is not replaced by that file', () => {
  const scan = extraction([], [{ code: 'no_text_layer', detail: 'Scanned.' }], [part('a', [section('1')])])
  const paged = { ...scan, report: { ...scan.report, kind: 'pdf', pages: 1 } }
  assert.deepEqual(shown(paged), [
    ['dir/a.b.zip!/a', 'id/dir/a.b.zip!/a'],
    ['dir/a.b.zip', 'Scanned.'],
  ])
})

test('a file without text is a document, which the service warns of', () => {
  assert.deepEqual(shown(extraction([], [{ code: 'no_text', detail: 'The file contains no text.' }])), [
    ['dir/a.b.zip', 'id/dir/a.b.zip'],
  ])
})

test('a truncated text is pushed with a warning', () => {
  const [it] = found(extraction([section('t', 'page=2')], [{ code: 'limit_hit', detail: 'pages' }]))
  assert.ok(it !== undefined && 'body' in it.content)
  const { metadata, sections, semantic_identifier } = it.content.body.document
  assert.deepEqual(metadata, { path: 'dir/a.b.zip', extraction_warnings: ['The limit of pages was reached.'] })
  assert.deepEqual([semantic_identifier, sections[0]?.link], ['a.b', 'http://x/a#page=2'])
})

test('sections beyond the limit are joined, and none is lost', () => {
  const [it] = found(extraction(Array.from({ length: 25_001 }, (_, at) => section(`<${at}>`, `${at}`))))
  assert.ok(it !== undefined && 'body' in it.content)
  const { sections } = it.content.body.document
  assert.equal(sections.length, 8_334)
  assert.equal(
    sections
      .map(({ text }) => text)
      .join('\n')
      .match(/<\d+>/g)?.length,
    25_001,
  )
  assert.equal(sections[1]?.link, 'http://x/a#3')
})
