// Reading the files of the caller, as in a chat.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { RecognisedPage } from '../../src/domain/pictures/recognition.ts'
import { ANN, BOB, openToolFixture, runOf } from './tool-fixture.ts'

const { tools, callables, idOf, upload } = await openToolFixture()
const [readFile] = await callables(ANN, [await idOf('FileReaderTool')])
await upload(ANN, 'file-1', 'minutes.txt', `The budget is 7. ${'x'.repeat(30_000)} The end.`)
await upload(
  ANN,
  'file-2',
  'page.html',
  '<html><head><title>T</title></head><body><main><p>Hello there.</p></main></body></html>',
  'text/html',
)
await upload(ANN, 'file-3', 'dots.png', Buffer.from('89504e470d0a1a0a', 'hex'), 'image/png')
await upload(BOB, 'file-4', 'secret.txt', 'canary-of-bob')

test('a file of the caller is read by id or name, piece by piece', async () => {
  for (const file of ['file-1', 'minutes.txt']) {
    const run = runOf(ANN)
    const { text, passages, isError } = await readFile!.call({ file, length: 16 }, run)
    assert.equal(isError, false)
    assert.equal(text, 'Characters 0 to 16 of 30026 of "minutes.txt". Continue with start_char 16.')
    const [passage] = passages
    assert.deepEqual(
      [passage!.text, passage!.document.document_id, passage!.document.file_id, passage!.document.source_type],
      ['The budget is 7.', 'file-1', 'file-1', 'user_file'],
    )
    assert.deepEqual(run.packets, [
      { type: 'file_reader_start' },
      {
        type: 'file_reader_result',
        file_name: 'minutes.txt',
        file_id: 'file-1',
        start_char: 0,
        end_char: 16,
        total_chars: 30_026,
        preview_start: 'The budget is 7.',
        preview_end: 'The budget is 7.',
      },
    ])
  }
  const { passages } = await readFile!.call({ file: 'file-1', start_char: '30018' }, runOf(ANN))
  assert.equal(passages[0]!.text, 'The end.')
})

test('a file of any type is read as text', async () => {
  const { passages } = await readFile!.call({ file: 'page.html' }, runOf(ANN))
  assert.match(passages[0]!.text, /Hello there\./)
  assert.deepEqual(await tools.readUserFile(ANN, 'file-2', AbortSignal.timeout(20_000)), {
    name: 'page.html',
    text: passages[0]!.text,
  })
})

test('a file without text is reported', async () => {
  const { text, isError } = await readFile!.call({ file: 'file-3' }, runOf(ANN))
  assert.deepEqual([text, isError], ['"dots.png" contains no readable text.', true])
  assert.equal((await tools.readUserFile(ANN, 'file-3', AbortSignal.timeout(20_000))).text, '')
})

test('files of other users are not found', async () => {
  for (const file of ['file-4', 'secret.txt', 'file-9']) {
    const { text, isError, passages } = await readFile!.call({ file }, runOf(ANN))
    assert.deepEqual([isError, passages], [true, []])
    assert.ok(text.startsWith(`There is no file "${file}" among the files of the person.`))
    assert.ok(!text.includes('canary') && !/id file-4/.test(text))
  }
  for (const id of ['file-4', 'file-9']) {
    const error = { code: 'FILE_NOT_FOUND', message: 'File not found.' }
    await assert.rejects(tools.readUserFile(ANN, id, AbortSignal.timeout(20_000)), error)
  }
})

test('without an argument the files of the caller are listed', async () => {
  const { text } = await readFile!.call({}, runOf(ANN))
  assert.deepEqual(
    ['minutes.txt (id file-1', 'page.html (id file-2', 'dots.png (id file-3', 'secret'].map((it) => text.includes(it)),
    [true, true, true, false],
  )
})

for (const args of [{ file: 'file-1', length: 0 }, { file: 'file-1', start_char: -1 }, { file: 7 }]) {
  test(`${JSON.stringify(args)} is rejected`, async () => {
    assert.equal((await readFile!.call(args, runOf(ANN))).isError, true)
  })
}

test('the pages of a scan are read as far as their text is recognised', async () => {
  const scan = readFileSync('test/extract/pictures/harbour-scan.pdf')
  const asked: string[] = []
  const recognised: RecognisedPage[] = [
    { page: 1, text: 'The second page.', confidence: 1 },
    { page: 0, reason: 'The picture took too long to read.' },
  ]
  const { tools, upload } = await openToolFixture({
    recognisePages: async ({ name }) => {
      asked.push(name)
      return recognised
    },
  })
  await upload(ANN, 'scan', 'scan.pdf', scan, 'application/pdf')
  await upload(ANN, 'note', 'note.txt', 'No picture.')
  const read = (id: string) => tools.readUserFile(ANN, id, AbortSignal.timeout(20_000))
  assert.deepEqual(await read('scan'), { name: 'scan.pdf', text: 'The second page.' })
  recognised.pop()
  assert.match(
    (await read('scan')).text,
    /The second page\.\n\n\(1 scanned page of this file could not be read so far\.\)$/,
  )
  assert.deepEqual(await read('note'), { name: 'note.txt', text: 'No picture.' })
  assert.deepEqual(asked, ['scan.pdf', 'scan.pdf'])
})
