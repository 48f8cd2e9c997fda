// The model and the analysis of a generation across restarts with other settings or another version.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { ConfiguredModel, Generations } from '../generations.ts'
import { openEmbeddedGenerations } from './embedded-generations.ts'

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

/** Opens the generations as a start with these settings does. */
async function start(configuredModel: ConfiguredModel | null): Promise<Generations> {
  await stop()
  const record = { id: 'record', last: 0 }
  const onRetired = ({ model }: { model: string }) => void retired.push(model)
  generations = await openEmbeddedGenerations({
    dir,
    record,
    logger,
    onFatal: assert.fail,
    readers: 1,
    configuredModel,
    onRetired,
  })
  return generations
}

const statePath = () => join(dir, 'generations.json')

test('the serving generation keeps its vectors when the settings name another model', async () => {
  assert.deepEqual((await start(OLD)).vectors(), OLD)
  for (const configuredModel of [NEW, { model: 'new', dimension: null }, null])
    assert.deepEqual((await start(configuredModel)).vectors(), OLD)
})

test('a generation without vectors adopts the configured model once its dimension is known', async () => {
  for (const configuredModel of [null, { model: 'old', dimension: null }])
    assert.equal((await start(configuredModel)).vectors(), null)
  assert.deepEqual((await start(OLD)).vectors(), OLD)
})

test('the vector files provide the model that a state file of an older version lacks', async () => {
  await start(OLD)
  await stop()
  const { vectors: _, declined, ...older } = JSON.parse(readFileSync(statePath(), 'utf8'))
  assert.equal(declined, null)
  writeFileSync(statePath(), JSON.stringify(older))
  const { vectors, servingNumber } = await start(NEW)
  assert.deepEqual([vectors(), servingNumber()], [OLD, older.serving])
})

test('a generation that is built for another model survives restarts, and its takeover retires the old model', async () => {
  await (await start(OLD)).startBuilding(1, NEW)
  for (const configuredModel of [NEW, { model: 'new', dimension: null }]) {
    const { building } = await start(configuredModel)
    assert.deepEqual([building()?.generation, building()?.since, building()?.vectors], [2, 1, NEW])
  }
  const { promote, vectors, servingNumber } = generations!
  await promote()
  assert.deepEqual([vectors(), servingNumber()], [NEW, 2])
  assert.deepEqual((await start(NEW)).vectors(), NEW)
  assert.deepEqual(retired, ['old'])
})

test('a generation that is built for a model is dropped when the settings no longer name it', async () => {
  for (const configuredModel of [OLD, null, { model: 'third', dimension: 3 }]) {
    await (await start(OLD)).startBuilding(1, NEW)
    const { building, vectors } = await start(configuredModel)
    assert.deepEqual([building(), vectors()], [null, OLD])
  }
})

test('a declined model is remembered until the settings name the old model or another generation is started', async () => {
  const first = await start(OLD)
  await first.startBuilding(1, NEW)
  await first.dropBuilding()
  assert.equal(first.declinedModel(), 'new')
  const again = await start(NEW)
  assert.equal(again.declinedModel(), 'new')
  await again.startBuilding(1, NEW)
  assert.equal(again.declinedModel(), null)
  await again.dropBuilding()
  assert.equal((await start(OLD)).declinedModel(), null)
})

test('dropping a generation of the same model declines nothing', async () => {
  const { startBuilding, dropBuilding, declinedModel } = await start(OLD)
  await startBuilding(1, OLD)
  await dropBuilding()
  assert.equal(declinedModel(), null)
})

/** Makes the state file one of a version with another analysis. */
async function turnOld(change: (state: { analysis?: number; building: { analysis?: number } | null }) => void) {
  await stop()
  const state = JSON.parse(readFileSync(statePath(), 'utf8'))
  change(state)
  writeFileSync(statePath(), JSON.stringify(state))
}

test('a new index has the terms of this version', async () => {
  assert.equal((await start(OLD)).isOutdated(), false)
  assert.equal((await start(OLD)).isOutdated(), false)
})

test('an index with the terms of another version serves until another one was built, and is outdated', async () => {
  await start(OLD)
  await turnOld((state) => delete state.analysis)
  const { servingNumber, isOutdated, pendingRebuild, startBuilding } = await start(OLD)
  assert.deepEqual([servingNumber(), isOutdated(), pendingRebuild()], [1, true, null])
  await startBuilding(1, OLD)
  const { building, promote } = await start(OLD)
  assert.equal(building()?.generation, 2)
  await promote()
  const promoted = await start(OLD)
  assert.deepEqual([promoted.servingNumber(), promoted.isOutdated()], [2, false])
})

test('an outdated index is kept when the new one was dropped, until another one is started', async () => {
  await start(OLD)
  await turnOld((state) => delete state.analysis)
  const { startBuilding, dropBuilding } = await start(OLD)
  await startBuilding(1, OLD)
  await dropBuilding()
  const again = await start(OLD)
  assert.deepEqual([again.isOutdated(), again.declinedModel()], [false, null])
  await again.startBuilding(1, OLD)
  await again.promote()
  assert.equal((await start(OLD)).isOutdated(), false)
})

test('a generation that another version began is dropped', async () => {
  await (await start(OLD)).startBuilding(1, OLD)
  await turnOld((state) => {
    delete state.analysis
    delete state.building?.analysis
  })
  const { building, isOutdated } = await start(OLD)
  assert.deepEqual([building(), isOutdated()], [null, true])
})

test('an outdated index that is damaged is rebuilt with the terms of this version', async () => {
  await (await start(OLD)).serving.apply({ upserts: [], deletes: [], position: 1 })
  await turnOld((state) => delete state.analysis)
  writeFileSync(join(dir, '1', 'manifest'), 'damaged')
  assert.equal((await start(OLD)).isOutdated(), false)
})

test('work that started with the old generation ends with it', async () => {
  const { startBuilding, lease, promote, vectors } = await start(OLD)
  await startBuilding(1, NEW)
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
