// The power-cut tests; the short and the long test file choose how many cases run.
import assert from 'node:assert/strict'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parallel } from '../parallel.ts'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { type Exit, launch, type Server, waitFor } from '../server.ts'
import { assertSound } from './checker.ts'
import type { Attempt } from './history.ts'
import {
  compileShim,
  DATABASE,
  fillLog,
  findFaultsAfterCut,
  launchRecorded,
  type Mutant,
  type PowerCut,
  type RecordedRun,
  readLog,
  rebuildDisk,
  recordRun,
  temporaryFolder,
  writeDisk,
} from './powercut.ts'
import { monotonicNow, runWorkload } from './workload.ts'

/** Exit code of an I/O error, from sysexits.h. */
const EX_IOERR = 74
/** Distinguishes a stopping program from one that continues; a busy machine needs seconds. */
const STOP_WITHIN_MS = 20_000
const PARALLEL = 2
/** Enough for 60 syncs. */
const ATTEMPTS = 300

/**
 * One recorded run stands for a cut at every instant: the disk does not change between two records, and most is
 * acknowledged just before the next one. A dirty cut keeps more than was synced: torn blocks and empty files.
 */
export async function cutEverywhere(
  t: TestContext,
  { attempts, isThorough }: { attempts: number; isThorough: boolean },
): Promise<void> {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const run = await recordRun(await compileShim(t), attempts, random)
  const cuts = isThorough ? allCuts(run, random) : sampleCuts(run, random)
  await parallel(cuts, PARALLEL, async (cut) => {
    const how = cut.torn ? ', with torn blocks and empty files' : ''
    const what = `cut after record ${cut.after} of ${run.folder}${how}`
    await assertSound(await findFaultsAfterCut(run, cut), run.history, what)
  })
  const moves = run.records.filter(({ kind, path }) => kind === 'sync' && path === DATABASE).length
  const told = `${run.records.length} records of the disk, ${moves} of them syncs of a database file`
  t.diagnostic(`${cuts.length} cuts, ${run.history.length} attempts, ${told}`)
  await rm(run.folder, { recursive: true, force: true })
}

/**
 * Cuts before every record that changes the disk, from the first attempt to the end, each clean and dirty.
 * `cutFirstStart` covers earlier ones.
 */
function allCuts({ records, history }: RecordedRun, random: Random): PowerCut[] {
  const firstAttempt = Math.min(...history.map((it) => it.start))
  const isInRun = (after: number) => records[after]!.kind !== 'create' && records[after]!.at >= firstAttempt
  const clean = [...[...records.keys()].filter(isInRun), records.length].map((after): PowerCut => ({ after }))
  return clean.flatMap((cut) => [cut, { ...cut, torn: random, emptyFiles: true }])
}

/** Cuts at two of eight instants, one of them clean and the other dirty. */
const sampleCuts = (run: RecordedRun, random: Random): PowerCut[] =>
  allCuts(run, random).filter((_, index) => index % 16 === 0 || index % 16 === 15)

/**
 * Nothing is acknowledged yet, but the next start must cope with any partial files. `most` limits the number of
 * instants.
 */
export async function cutFirstStart(t: TestContext, most = Number.POSITIVE_INFINITY): Promise<void> {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const env = { ADMIN_API_KEY: '' }
  await (await launchRecorded(await compileShim(t), folder, env)).kill()
  const records = readLog(join(folder, 'disk.log'))
  const step = Math.max(1, Math.ceil(records.length / most))
  const cuts = [...records.keys()].filter((after) => after % step === 0)
  await parallel(cuts, PARALLEL, async (after) => {
    const dataDir = join(folder, `after-${after}`)
    await mkdir(dataDir)
    await writeDisk(rebuildDisk(records, { after, emptyFiles: true }), dataDir)
    const server = await launch({ dataDir, env })
    await server.kill()
  })
  t.diagnostic(`${cuts.length} cuts of ${records.length}`)
}

/** `sync` counts all syncs; `3:NAME` counts those of one file. A checkpoint syncs only when the log is full. */
export async function failSyncs(t: TestContext, syncs: readonly (number | string)[]): Promise<void> {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const shim = await compileShim(t)
  for (const sync of syncs) {
    const folder = await temporaryFolder()
    const history: Attempt[] = []
    const started = launchRecorded(shim, folder, { POWERCUT_FAIL: String(sync) })
    const server = await started.catch(() => undefined)
    if (server !== undefined) {
      const what = `sync ${sync} failed, the program goes on`
      await waitForExitAfterFailure(server, history, { random, isLogFull: typeof sync === 'string' }, what)
    }
    const end = monotonicNow()
    const records = readLog(join(folder, 'disk.log'))
    const failed = records.find(({ kind }) => kind === 'failed-sync')
    assert.ok(failed, `there was no sync ${sync}`)
    assert.ok(end - failed.at < STOP_WITHIN_MS, `it continued for ${end - failed.at} ms after sync ${sync} failed`)
    const faults = await findFaultsAfterCut({ records, history, folder }, { after: records.length })
    await assertSound(faults, history, `sync ${sync} of ${folder} failed`)
    await rm(folder, { recursive: true, force: true })
  }
}

async function waitForExitAfterFailure(
  server: Server,
  history: Attempt[],
  { random, isLogFull }: { random: Random; isLogFull: boolean },
  what: string,
): Promise<void> {
  let exit: Exit | undefined
  server.exited.then((it) => {
    exit = it
  })
  try {
    if (isLogFull) await fillLog(server).catch(() => {})
    await runWorkload({ api: server.api, history, random, attempts: ATTEMPTS })
    const { code } = await waitFor(() => exit, what, 2 * STOP_WITHIN_MS)
    assert.equal(code, EX_IOERR, server.output())
  } finally {
    await server.kill()
  }
}

/** A cut right after a checkpoint loses nothing, and a checkpoint may be among the last events. */
const CUTS_BACK = [0, 1, 4, 10, 20, 40, 80, 160]
const CHECKPOINTS = 10

/** A check that cannot fail proves nothing: here the disk lies, and the checker must notice. */
export async function assertMutantFound(t: TestContext, mutant: Mutant): Promise<void> {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const run: RecordedRun = await recordRun(await compileShim(t), 40, random, mutant)
  const fromEnd = CUTS_BACK.map((it) => Math.max(0, run.records.length - it))
  let losses = 0
  for (const after of [...fromEnd, ...beforeCheckpoints(run)]) losses ||= await countLosses(run, after)
  assert.ok(losses > 0, `the checker saw no loss in ${run.folder}`)
  t.diagnostic(`${losses} losses seen among ${run.history.length} attempts`)
  await rm(run.folder, { recursive: true, force: true })
}

/** The last cuts right before the database is synced: what only the log had is lost there, however fast the machine is. */
const beforeCheckpoints = ({ records }: RecordedRun): number[] =>
  records.flatMap((it, at) => (it.kind === 'sync' && it.path === DATABASE ? [at] : [])).slice(-CHECKPOINTS)

async function countLosses(run: RecordedRun, after: number): Promise<number> {
  const faults = await findFaultsAfterCut(run, { after })
  return faults.filter((it) => it.includes('is absent, must be')).length
}
