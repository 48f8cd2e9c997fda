// Whose vectors a generation holds, over starts with other settings.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { openEmbeddedGenerations } from './embedded-generations.ts'
import type { Generations, WantedModel } from './generations.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {} }
const OLD = { model: 'old', dimension: 3 }
const NEW = { model: 'new', dimension: 4 }
let dir: string
let generations: Generations | undefined
let retired: string[]

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pharos-generations-'))
  retired = []
})
afterEach(async () => {
  await stop()
  rmSync(dir, { recursive: true })
})

async function stop(): Promise<void> {
  await generations?.close()
  generations = undefined
}

/** As a start with these settings does. */
async function start(wanted: WantedModel | null): Promise<Generations> {
  await stop()
  const record = { id: 'record', last: 0, renew: assert.fail }
  const onRetired = ({ model }: { model: string }) => void retired.push(model)
  generations = await openEmbeddedGenerations({
    dir,
    record,
    logger,
    onFatal: assert.fail,
    readers: 1,
    wanted,
    onRetired,
  })
  return generations
}

const statePath = () => join(dir, 'generations.json')

test('the one that serves keeps its vectors, whatever the settings name later', async () => {
  assert.deepEqual((await start(OLD)).vectors(), OLD)
  for (const wanted of [NEW, { model: 'new', dimension: null }, null])
    assert.deepEqual((await start(wanted)).vectors(), OLD)
})

test('one without vectors takes those of the settings as soon as their dimension is known', async () => {
  for (const wanted of [null, { model: 'old', dimension: null }]) assert.equal((await start(wanted)).vectors(), null)
  assert.deepEqual((await start(OLD)).vectors(), OLD)
})

test('what an older version wrote names no model: the files of the vectors do', async () => {
  await start(OLD)
  await stop()
  const { format, serving, refill, building } = JSON.parse(readFileSync(statePath(), 'utf8'))
  writeFileSync(statePath(), JSON.stringify({ format, serving, refill, building }))
  const { vectors, current } = await start(NEW)
  assert.deepEqual([vectors(), current()], [OLD, serving])
})

test('one that is made for another model outlives starts with it, and its takeover retires the former', async () => {
  await (await start(OLD)).build(1, NEW)
  for (const wanted of [NEW, { model: 'new', dimension: null }]) {
    const { building } = await start(wanted)
    assert.deepEqual([building()?.generation, building()?.since, building()?.vectors], [2, 1, NEW])
  }
  const { promote, vectors, current } = generations!
  await promote()
  assert.deepEqual([vectors(), current()], [NEW, 2])
  assert.deepEqual((await start(NEW)).vectors(), NEW)
  assert.deepEqual(retired, ['old'])
})

test('one that is made for a model which the settings name no more is dropped', async () => {
  for (const wanted of [OLD, null, { model: 'third', dimension: 3 }]) {
    await (await start(OLD)).build(1, NEW)
    const { building, vectors } = await start(wanted)
    assert.deepEqual([building(), vectors()], [null, OLD])
  }
})

test('one that was given up is remembered until the settings name the former model, or another is begun', async () => {
  const first = await start(OLD)
  await first.build(1, NEW)
  await first.drop()
  assert.equal(first.declined(), 'new')
  const again = await start(NEW)
  assert.equal(again.declined(), 'new')
  await again.build(1, NEW)
  assert.equal(again.declined(), null)
  await again.drop()
  assert.equal((await start(OLD)).declined(), null)
})

test('giving up one of the same model declines nothing', async () => {
  const { build, drop, declined } = await start(OLD)
  await build(1, OLD)
  await drop()
  assert.equal(declined(), null)
})

test('work that began with the former one ends with it', async () => {
  const { build, lease, promote, vectors } = await start(OLD)
  await build(1, NEW)
  const { promise, resolve } = Promise.withResolvers<void>()
  const working = lease(async ({ index, vectors: own }) => {
    await promise
    return [own, (await index.stats()).documents]
  })
  await promote()
  assert.deepEqual([vectors(), retired], [NEW, []])
  resolve()
  assert.deepEqual(await working, [OLD, 0])
})
