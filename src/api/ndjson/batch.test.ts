// Cases that take too long over a real connection: stalled clients, and a full spool.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { NDJSON_BATCH_LIMITS, type NdjsonBatch, runNdjsonBatch } from './batch.ts'
import type { NumberedLine } from './split-lines.ts'
import { openSpool } from './spool.ts'

const dir = mkdtempSync(join(tmpdir(), 'pharos-exchange-'))
after(() => rmSync(dir, { recursive: true }))
const LIMITS = { ...NDJSON_BATCH_LIMITS, groupLines: 2, idleMs: 60_000 }
const never = new AbortController().signal

function open(settings: Partial<NdjsonBatch> = {}) {
  const input = new PassThrough()
  const cut = Promise.withResolvers<void>()
  const spool = openSpool({ dir, maxMemoryBytes: 1_000, maxFileBytes: 1_000_000 })
  const answer = runNdjsonBatch({
    input,
    spool,
    fromLine: 1,
    limits: LIMITS,
    prepareGroup: (lines) => async () => lines.map(said),
    toErrorBody: (error) => ({ detail: error instanceof Error ? error.message : String(error) }),
    closing: never,
    clientGone: never,
    disconnect: cut.resolve,
    ...settings,
  })
  return { input, answer, cut: cut.promise }
}
const said = ({ bytes }: NumberedLine) => ({ said: String(bytes) })

async function linesOf(answer: AsyncIterable<Buffer>): Promise<unknown[]> {
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  return text
    .split('\n')
    .slice(0, -1)
    .map((it) => JSON.parse(it))
}

test('groups are processed in order, and the next one is parsed meanwhile', async () => {
  const steps: string[] = []
  const { input, answer } = open({
    prepareGroup: (lines) => {
      const name = lines.map((it) => String(it.bytes)).join('')
      steps.push(`read ${name}`)
      return async () => {
        steps.push(`take ${name}`)
        while (name !== 'e' && !steps.includes(`read ${name === 'ab' ? 'cd' : 'e'}`)) await nextTurn()
        steps.push(`took ${name}`)
        return lines.map(said)
      }
    },
  })
  input.end('a\nb\nc\nd\ne\n')
  await linesOf(answer)
  assert.deepEqual(steps, [
    ...['read ab', 'take ab', 'read cd', 'took ab'],
    ...['take cd', 'read e', 'took cd', 'take e', 'took e'],
  ])
})

test('an error of the batch ends it; resume_line is the first line without a result', async () => {
  const { input, answer } = open({
    prepareGroup: (lines) => async () => {
      if (lines[0]!.number > 3) throw new Error('the queue is full')
      return lines.map(said)
    },
  })
  input.write('a\nb\n\nc\nd\ne\nf\ng\n')
  assert.deepEqual(await linesOf(answer), [
    { line: 1, said: 'a' },
    { line: 2, said: 'b' },
    { done: false, lines: 2, accepted: 2, failed: 0, resume_line: 3, error: { detail: 'the queue is full' } },
  ])
})

test('input after the end is read, so that the client starts to read', async () => {
  const { input, answer } = open({ prepareGroup: () => async () => Promise.reject(new Error('no')) })
  input.write('a\n')
  await linesOf(answer)
  for (let sent = 0; sent < 100; sent++) {
    await new Promise((resolve) => input.write(Buffer.alloc(1 << 16, 'x'), resolve))
  }
})

test('a client that stops writing gets an error and is then disconnected', async () => {
  const { input, answer, cut } = open({ limits: { ...LIMITS, idleMs: 500 } })
  input.write('a\nhalf a line')
  assert.deepEqual(await linesOf(answer), [
    { line: 1, said: 'a' },
    {
      done: false,
      lines: 1,
      accepted: 1,
      failed: 0,
      resume_line: 2,
      error: { detail: 'The request was not received in time.' },
    },
  ])
  await cut
})

test('a client that reads nothing is disconnected', async () => {
  const { input, answer, cut } = open({ limits: { ...LIMITS, idleMs: 500 } })
  input.end('a\nb\nc\n')
  assert.equal((await answer.next()).done, false)
  await cut
  await answer.return(undefined)
})

test('long-running work does not count as client idle time', async () => {
  const { input, answer } = open({
    limits: { ...LIMITS, idleMs: 10 },
    prepareGroup: (lines) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      return lines.map(said)
    },
  })
  input.end('a\n')
  assert.deepEqual((await linesOf(answer)).at(-1), { done: true, lines: 1, accepted: 1, failed: 0 })
})

test('while the spool is full no input is read', async () => {
  const spool = openSpool({ dir, maxMemoryBytes: 100, maxFileBytes: 10_000 })
  const full = Promise.withResolvers<void>()
  const write = async (text: string) => {
    await full.promise
    await spool.write(text)
  }
  const { input, answer } = open({ spool: { ...spool, write }, limits: { ...LIMITS, queueBytes: 10_000 } })
  const answers = linesOf(answer)
  const total = 1_000
  let written = 0
  const writing = (async () => {
    for (; written < total; written++) {
      if (!input.write(`${'x'.repeat(1_000)}\n`)) await new Promise((resolve) => input.once('drain', resolve))
    }
    input.end()
  })()
  const turns = async () => {
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    return written
  }
  let before = -1
  while (before !== written) before = await turns()
  assert.ok(input.isPaused() && written < total / 2)
  full.resolve()
  await writing
  assert.deepEqual((await answers).at(-1), { done: true, lines: total, accepted: total, failed: 0 })
})

test('a disconnect ends the batch', async () => {
  const gone = new AbortController()
  const { input, answer } = open({ clientGone: gone.signal })
  input.write('a\n')
  const reading = linesOf(answer)
  gone.abort()
  await reading
})
