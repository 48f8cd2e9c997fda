// Clients that no test over a real connection has the time for: those that stop, and a service that has no more room.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { EXCHANGE_LIMITS, type Exchange, exchange } from './exchange.ts'
import type { Line } from './split-lines.ts'
import { openSpool } from './spool.ts'

const dir = mkdtempSync(join(tmpdir(), 'pharos-exchange-'))
after(() => rmSync(dir, { recursive: true }))
const LIMITS = { ...EXCHANGE_LIMITS, groupLines: 2, idleMs: 60_000 }
const never = new AbortController().signal

function open(settings: Partial<Exchange> = {}) {
  const input = new PassThrough()
  const cut = Promise.withResolvers<void>()
  const spool = openSpool({ dir, maxMemoryBytes: 1_000, maxFileBytes: 1_000_000 })
  const answer = exchange({
    input,
    spool,
    fromLine: 1,
    limits: LIMITS,
    prepare: (lines) => async () => lines.map(said),
    errorOf: (error) => ({ detail: error instanceof Error ? error.message : String(error) }),
    closing: never,
    gone: never,
    cut: cut.resolve,
    ...settings,
  })
  return { input, answer, cut: cut.promise }
}
const said = ({ bytes }: Line) => ({ said: String(bytes) })

async function linesOf(answer: AsyncIterable<Buffer>): Promise<unknown[]> {
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  return text
    .split('\n')
    .slice(0, -1)
    .map((it) => JSON.parse(it))
}

test('groups are taken one after the other, and read while the one before is taken', async () => {
  const steps: string[] = []
  const { input, answer } = open({
    prepare: (lines) => {
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

test('what is about the whole ends it, and the line to go on from is the first one without an answer', async () => {
  const { input, answer } = open({
    prepare: (lines) => async () => {
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

test('what the client still sends after the end is read, so that it gets to its reading', async () => {
  const { input, answer } = open({ prepare: () => async () => Promise.reject(new Error('no')) })
  input.write('a\n')
  await linesOf(answer)
  for (let sent = 0; sent < 100; sent++) {
    await new Promise((resolve) => input.write(Buffer.alloc(1 << 16, 'x'), resolve))
  }
})

test('a client that stops writing is told so, and then cut off', async () => {
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
      error: { detail: 'The request did not arrive in time.' },
    },
  ])
  await cut
})

test('a client that reads nothing is cut off', async () => {
  const { input, answer, cut } = open({ limits: { ...LIMITS, idleMs: 500 } })
  input.end('a\nb\nc\n')
  assert.equal((await answer.next()).done, false)
  await cut
  await answer.return(undefined)
})

test('work that takes long is not the fault of the client', async () => {
  const { input, answer } = open({
    limits: { ...LIMITS, idleMs: 10 },
    prepare: (lines) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      return lines.map(said)
    },
  })
  input.end('a\n')
  assert.deepEqual((await linesOf(answer)).at(-1), { done: true, lines: 1, accepted: 1, failed: 0 })
})

test('while no answer can be kept any more nothing is read either', async () => {
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

test('a client that goes away ends it', async () => {
  const gone = new AbortController()
  const { input, answer } = open({ gone: gone.signal })
  input.write('a\n')
  const reading = linesOf(answer)
  gone.abort()
  await reading
})
