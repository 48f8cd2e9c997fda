import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidLineError, readJsonLines } from '../../web/src/pages/chat/read-json-lines.ts'

const LINES = [{ chat_session_id: 'é' }, { a: ['😀', '\n'] }, { obj: { type: 'stop', stop_reason: null } }]
const bytesOf = (text: string) => new TextEncoder().encode(text)

function streamOf(pieces: readonly Uint8Array[]): { stream: ReadableStream<Uint8Array>; isCancelled: () => boolean } {
  let isCancelled = false
  const left = [...pieces]
  const stream = new ReadableStream<Uint8Array>({
    pull(control) {
      const next = left.shift()
      if (next === undefined) control.close()
      else control.enqueue(next)
    },
    cancel() {
      isCancelled = true
    },
  })
  return { stream, isCancelled: () => isCancelled }
}
async function read(pieces: readonly Uint8Array[]): Promise<unknown[]> {
  const lines: unknown[] = []
  for await (const it of readJsonLines(streamOf(pieces).stream)) lines.push(it)
  return lines
}

const TEXT = LINES.map((it) => `${JSON.stringify(it)}\n`).join('')

test('lines do not depend on where the stream is cut', async () => {
  const bytes = bytesOf(TEXT)
  for (let at = 0; at <= bytes.length; at++) assert.deepEqual(await read([bytes.slice(0, at), bytes.slice(at)]), LINES)
  assert.deepEqual(await read([...bytes].map((it) => Uint8Array.of(it))), LINES)
})

for (const [what, text] of [
  ['blank lines', `\n\n${TEXT}\n  \n`],
  ['a last line without an end', TEXT.trimEnd()],
  ['the line ends of Windows', TEXT.replaceAll('}\n', '}\r\n')],
] as const) {
  test(`${what} change nothing`, async () => assert.deepEqual(await read([bytesOf(text)]), LINES))
}

test('an invalid line ends the stream after the lines before it', async () => {
  const seen: unknown[] = []
  const reading = (async () => {
    for await (const it of readJsonLines(streamOf([bytesOf(`${TEXT}<html>502</html>\n${TEXT}`)]).stream)) seen.push(it)
  })()
  await assert.rejects(reading, InvalidLineError)
  assert.deepEqual(seen, LINES)
})

test('an endless line aborts the stream', async () => {
  const piece = bytesOf('x'.repeat(1 << 20))
  await assert.rejects(read(Array.from({ length: 18 }, () => piece)), InvalidLineError)
})

test('ending the iteration closes the connection', async () => {
  const { stream, isCancelled } = streamOf([bytesOf(TEXT), bytesOf(TEXT)])
  for await (const _ of readJsonLines(stream)) break
  assert.equal(isCancelled(), true)
})
