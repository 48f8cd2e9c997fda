import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelContent, TranscriptPassage } from './model-text.ts'
import { fillRecordings, joinPassages, MAX_TRANSCRIPT, recordingsOf } from './transcript.ts'

const BLOB = 'b'.repeat(64)
const LIMITS = { maxLength: 1_000, maxSections: 10 }
const section = (more: object = {}) => ({
  text: '',
  link: 'https://example.com/a#old',
  recording: { blob: BLOB },
  ...more,
})
const contents = (passages: TranscriptPassage[]): Map<string, ModelContent> =>
  new Map([[BLOB, { kind: 'transcript', passages }]])
const said = contents([
  { start: 0, text: 'one' },
  { start: 83, text: 'two' },
])

test('a recording becomes the sections of its transcript, each linked to its time', () => {
  const filled = fillRecordings([section()], said, LIMITS)
  assert.deepEqual(filled, [
    { text: 'one', link: 'https://example.com/a#t=0', recording: { blob: BLOB, start: 0 } },
    { text: 'two', link: 'https://example.com/a#t=83', recording: { blob: BLOB, start: 83 } },
  ])
  assert.deepEqual(fillRecordings(filled, said, LIMITS), filled)
})

test('a section without a link keeps the time as a place', () => {
  assert.equal(fillRecordings([section({ link: null })], said, LIMITS)[0]?.link, '#t=0')
})

test('the own text of a section stays, and is not taken for a transcript', () => {
  const [own, first] = fillRecordings([section({ text: 'The talk of May' })], said, LIMITS)
  assert.deepEqual([own?.text, own?.recording, first?.text], ['The talk of May', undefined, 'one'])
})

test('a recording without words, an unknown one and a document that is full stay as they are', () => {
  for (const [known, limits] of [
    [contents([]), LIMITS],
    [new Map(), LIMITS],
    [said, { ...LIMITS, maxLength: 5 }],
    [said, { ...LIMITS, maxSections: 2 }],
  ] as const)
    assert.deepEqual(fillRecordings([section()], known, limits), [section()])
})

test('recordings count once, and are settled when each section has its text', () => {
  const filled = section({ recording: { blob: BLOB, start: 0 } })
  assert.deepEqual(
    [recordingsOf([filled, section()]), recordingsOf([filled])].map((it) => it.map(({ isSettled }) => isSettled)),
    [[false], [true]],
  )
})

test('short passages are joined, and a long one begins a new section', () => {
  const long = 'word '.repeat(250).trim()
  const joined = joinPassages([
    { start: 0.4, text: ' Hello\u0000 ' },
    { start: 2, text: '' },
    { start: 3, text: 'there.' },
    { start: 9.9, text: long },
  ])
  assert.deepEqual(joined, [
    { start: 0, text: 'Hello there.' },
    { start: 9, text: long },
  ])
})

test('an endless transcript ends at its limit', () => {
  const text = joinPassages(Array.from({ length: 30 }, (_, at) => ({ start: at, text: 'x'.repeat(50_000) })))
  assert.ok(text.reduce((sum, it) => sum + it.text.length, 0) <= MAX_TRANSCRIPT)
  assert.equal(
    joinPassages(Array.from({ length: 9_000 }, (_, at) => ({ start: at, text: 'y'.repeat(700) }))).length <= 2_000,
    true,
  )
})
