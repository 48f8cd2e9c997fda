import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SourceExtraction } from '../../connectors/connector.ts'
import { addRecording } from './recordings.ts'

const extraction = (kind: string): SourceExtraction => ({
  ...{ title: null, sections: [], parts: [], page: null },
  metadata: { author: null, created: null, modified: null, language: null },
  report: {
    ...{ kind, verdict: 'unsupported', pages: null, characters: 0, unreadPages: [] },
    warnings: [{ code: 'unsupported', detail: 'No text can be extracted from this kind of file: a.mp3' }],
  },
})
const file = (size: number, isPictureRead = true) => ({
  bytes: Buffer.alloc(size),
  name: 'a.mp3',
  mediaType: null,
  isPictureRead,
})
const keeper = (reason: string | null) => ({
  offReason: async () => reason,
  keep: async () => ({ blob: 'b', content: null }),
})

test('a recording gets a section that waits for its transcript, and no warning', async () => {
  const { sections, report } = await addRecording(keeper(null), file(1), extraction('recording'))
  assert.deepEqual(sections, [{ text: '', heading: null, anchor: null, recording: { blob: 'b', content: null } }])
  assert.deepEqual([report.verdict, report.warnings], ['ok', []])
})

test('without a model and above the limit there is no section, and a warning has the reason', async () => {
  for (const [reason, size, expected] of [
    ['No model.', 1, /^No model\.$/],
    [null, 25_000_001, /more than 25 MB/],
  ] as const) {
    const { sections, report } = await addRecording(keeper(reason), file(size), extraction('recording'))
    assert.deepEqual(sections, [])
    assert.match(report.warnings[0]?.detail ?? '', expected)
  }
})

test('other files, and recordings that are no documents, stay as they are', async () => {
  const text = extraction('text')
  const attached = extraction('recording')
  assert.equal(await addRecording(keeper(null), file(1), text), text)
  assert.equal(await addRecording(keeper(null), file(1, false), attached), attached)
})
