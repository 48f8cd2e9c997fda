// Everyday work for SOAK_MINUTES minutes. The total size of documents stays constant, so memory, descriptors and disk
// must too, and nothing may be lost.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { assertSound, findBrokenPromises } from '../crash/checker.ts'
import type { Attempt } from '../crash/history.ts'
import { newAttempt, performAttempt } from '../crash/workload.ts'
import { parallel } from '../parallel.ts'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { type Server, startServer } from '../server.ts'

const MINUTES = Number(process.env.SOAK_MINUTES ?? 4)
const DOCUMENTS = 2_000
const WRITERS = 2
const SEARCHERS = 2
const SAMPLE_EVERY_MS = 5_000
/** Caches fill and the first merges run. */
const WARM_SHARE = 0.4
const isLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' }

interface ResourceSample {
  memoryMb: number
  descriptors: number
  diskMb: number
}

test(`${MINUTES} minutes of writes, searches and deletes leave the program unchanged in size`, {
  ...isLinux,
  timeout: MINUTES * 60_000 + 900_000,
}, async (t) => {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-soak-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const server = await startServer({ flags: [], dataDir })
  const last = new Map<string, Attempt[]>()
  const end = performance.now() + MINUTES * 60_000
  const isOver = () => performance.now() > end
  const looks: ResourceSample[] = []
  let serial = 0
  let searches = 0
  const write = async (writer: number) => {
    while (!isOver()) {
      const id = `soak/${writer}/${random.below(DOCUMENTS / WRITERS)}`
      const attempt = { ...newAttempt(id, serial++, random), ...(random() < 0.1 && { token: null }) }
      assert.ok(await performAttempt(server.api, attempt), server.output().slice(-2_000))
      assert.ok([200, 404].includes(attempt.status!), `answered ${attempt.status}`)
      // The last accepted attempt on each document and its successors determine the expected state.
      last.set(id, attempt.outcome === 'acknowledged' ? [attempt] : [...(last.get(id) ?? []), attempt])
    }
  }
  const search = async () => {
    for (; !isOver(); searches++) {
      const { status } = await server.api('POST', '/search', { query: queryOf(random), num_hits: 10 })
      assert.equal(status, 200)
    }
  }
  const look = async () => {
    for (; !isOver(); await delay(SAMPLE_EVERY_MS)) looks.push(sampleResources(server))
  }
  const workers = [
    ...Array.from({ length: WRITERS }, (_, writer) => () => write(writer)),
    ...Array.from({ length: SEARCHERS }, () => search),
    look,
  ]
  await parallel(workers, workers.length, (it) => it())
  const warm = looks.slice(Math.floor(looks.length * WARM_SHARE))
  const half = Math.floor(warm.length / 2)
  const [before, after] = [highest(warm.slice(0, half)), highest(warm.slice(half))]
  t.diagnostic(`${serial} writes, ${searches} searches; ${JSON.stringify(before)}, then ${JSON.stringify(after)}`)
  assert.ok(after.memoryMb < before.memoryMb * 1.25 + 50, 'the memory grows')
  assert.ok(after.descriptors < before.descriptors * 1.5 + 20, 'the descriptors grow')
  assert.ok(after.diskMb < before.diskMb * 1.5 + 50, 'the disk fills')
  // Earlier attempts are forgotten here, so answers about them are not checked.
  const history = [...last.values()].flat().map((it) => ({ ...it, alreadyExisted: null }))
  await assertSound(await findBrokenPromises({ api: server.api, history, resend: 0 }), history, 'after the soak')
  assert.doesNotMatch(server.output(), /"level":[56]0/)
  await server.stop()
})

const WORDS = ['river', 'engine', 'paper', 'winter', 'copper', 'letter', 'garden', 'market', 'signal', 'harbour']
const queryOf = (random: Random) => `${WORDS[random.below(10)]} ${WORDS[random.below(10)]}`

function sampleResources({ pid, dataDir }: Server): ResourceSample {
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
  const bytes = files.reduce((sum, it) => sum + (statSync(join(dataDir, it), { throwIfNoEntry: false })?.size ?? 0), 0)
  return {
    memoryMb: Math.round(Number(rss) / 1_024),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    diskMb: Math.round(bytes / 2 ** 20),
  }
}

const highest = (looks: readonly ResourceSample[]): ResourceSample => ({
  memoryMb: Math.max(...looks.map((it) => it.memoryMb)),
  descriptors: Math.max(...looks.map((it) => it.descriptors)),
  diskMb: Math.max(...looks.map((it) => it.diskMb)),
})
