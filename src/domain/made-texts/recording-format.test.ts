import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateSeconds, formatOfRecording } from './recording-format.ts'

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1')

for (const [head, extension] of [
  ['ID3\x04\0', 'mp3'],
  ['\xff\xfb\x90\x64', 'mp3'],
  ['RIFF\x24\0\0\0WAVEfmt ', 'wav'],
  ['OggS\0\x02', 'ogg'],
  ['fLaC\0', 'flac'],
  ['\x1a\x45\xdf\xa3\x9f', 'webm'],
  ['\0\0\0\x20ftypM4A \0\0', 'm4a'],
  ['\0\0\0\x20ftypisom\0\0', 'mp4'],
] as const)
  test(`the bytes tell ${extension} (${JSON.stringify(head.slice(0, 4))})`, () => {
    assert.equal(formatOfRecording(bytes(head))?.extension, extension)
  })

test('pictures, documents and text are no recordings', () => {
  for (const head of [
    'RIFF\x24\0\0\0WEBPVP8 ',
    '\0\0\0\x20ftypavif',
    '\xff\xd8\xff\xe0',
    '\xff\xfeh\0i\0',
    '%PDF-1.7',
    'ID',
    '',
  ])
    assert.equal(formatOfRecording(bytes(head)), null, JSON.stringify(head))
})

test('the length is estimated from the size, at least a second', () => {
  assert.deepEqual([estimateSeconds(1), estimateSeconds(160_000)], [1, 10])
})
