import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openSpool } from './spool.ts'

const dir = mkdtempSync(join(tmpdir(), 'pharos-spool-'))
after(() => rmSync(dir, { recursive: true }))
const open = (maxFileBytes = 1_000_000) => openSpool({ dir, maxMemoryBytes: 100, maxFileBytes })
const line = (at: number) => `line ${at}\n`
const lines = (count: number) => Array.from({ length: count }, (_, at) => line(at)).join('')

async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all).toString()
}

test('output written before the first read is read in order, and no file remains', async () => {
  const spool = open()
  for (let at = 0; at < 20_000; at++) await spool.write(line(at))
  spool.end()
  assert.equal(await textOf(spool.chunks()), lines(20_000))
  assert.deepEqual(readdirSync(dir), [])
  await spool.close()
})

for (const [what, pause] of [
  ['as fast as it is written', 0],
  ['slower than it is written', 7],
  ['much slower', 50],
] as const) {
  test(`output read ${what} is in order, through a file of 2,000 bytes`, async () => {
    const spool = open(2_000)
    const writing = (async () => {
      for (let at = 0; at < 2_000; at++) await spool.write(line(at))
      spool.end()
    })()
    let text = ''
    for await (const piece of spool.chunks()) {
      text += piece.toString()
      for (let turn = 0; turn < pause; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    await writing
    assert.equal(text, lines(2_000))
    await spool.close()
  })
}

test('a full file makes the writer wait for a read', async () => {
  const spool = open(1_000)
  let written = 0
  const writing = (async () => {
    for (; written < 1_000; written++) await spool.write(line(written))
    spool.end()
  })()
  while (written < 100) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(written < 200)
  assert.equal(await textOf(spool.chunks()), lines(1_000))
  await writing
  await spool.close()
})

test('closing ends waiting reads and writes', async () => {
  const reader = open()
  const reading = textOf(reader.chunks())
  await reader.close()
  assert.equal(await reading, '')
  const writer = open(10)
  const writing = (async () => {
    for (let at = 0; at < 100; at++) await writer.write(line(at))
  })()
  await writer.close()
  await writing
})
