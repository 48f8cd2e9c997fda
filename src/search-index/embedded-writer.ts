// The thread that writes: takes batches first, and in between brings the index to disk and merges it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { BuiltBatch } from '../engine/build-segment.ts'
import { DamageError } from '../engine/damage.ts'
import { clearIndex } from '../engine/index-folder.ts'
import type { ViewChange } from '../engine/index-view.ts'
import { IndexWriter } from '../engine/index-writer.ts'
import { B } from './bm25.ts'
import { createAudience } from './embedded-audience.ts'
import { DIMENSIONS } from './embedded-dimensions.ts'
import type { Beginning, Reply, WriterNews, WriterRequest, WriterSettings } from './embedded-messages.ts'
import { entryVectors, type PackedVectors, unembeddedPage } from './embedded-vectors.ts'
import { giveWay } from './give-way.ts'
import { createPace } from './pace.ts'

/** The largest segment a merge makes. More would be found a little faster and take minutes to write. */
const MAX_SEGMENT_ENTRIES = 2_000_000
const FAN_IN = 5
/** After a fault of the disk, such as having no room. */
const RETRY_MS = 30_000
/** Batches are refused when this many times the entries that should be on disk wait in memory. */
const MAX_BACKLOG = 8
/** Time for flushing and merging per time for taking batches, when both are asked for. */
const JOB_SHARE = 0.5
/** When nothing has come in for so long, what an index that was lost had is back, or will not come back. */
const ORPHANS_MS = 600_000

const settings = workerData as WriterSettings
const port = parentPort!
const audience = createAudience(settings.readers)
const requests: WriterRequest[] = []
let wake = () => {}
let flushJob: ReturnType<IndexWriter['flush']> | undefined
let mergeJob: ReturnType<IndexWriter['merge']> | undefined
let dirtySince = 0
let flushWanted: number[] = []
/** Whom the flush that is under way answers: a later one asks for what this one does not have. */
let flushAnswers: number[] = []
let mayMerge = true
let pausedUntil = 0
let lastBatchAt = Date.now()
let writer: IndexWriter
const mergePace = createPace(settings.mergeBytesPerSecond)

giveWay()
port.on('message', (more: WriterRequest[]) => {
  requests.push(...more)
  wake()
})

function open(): IndexWriter {
  const options = {
    dir: settings.dir,
    record: settings.record,
    b: B,
    dimensions: DIMENSIONS,
    memoryEntries: settings.memoryEntries,
    policy: { fanIn: FAN_IN, floor: settings.mergeFloor, maxEntries: MAX_SEGMENT_ENTRIES },
    onMergeWrite: (bytes: number) => mergePace.spend(bytes, performance.now()),
    failpoint: failpointOf(settings.failpoint),
    ...(settings.vectors === undefined ? {} : { vectors: settings.vectors }),
  }
  let beginning: Beginning | null = null
  let opened: IndexWriter
  try {
    opened = new IndexWriter(options)
    if (opened.isNew) beginning = { reason: 'missing', detail: `${settings.dir} is empty` }
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    beginning = { reason: error.kind, detail: error.message }
    clearIndex(settings.dir)
    opened = new IndexWriter(options)
  }
  void audience.tell(opened.takeOpening(), opened.position).then(() => {
    tell({ news: 'opened', position: opened.position, beginning, vectorLosses: opened.vectorLosses })
  })
  return opened
}

async function work(): Promise<void> {
  for (;;) {
    const start = performance.now()
    const request = requests.shift()
    if (request === undefined) await rest()
    else handle(request)
    if (!hasJob()) continue
    await catchUp(request === undefined ? 0 : (performance.now() - start) * JOB_SHARE)
  }
}

/** At least one step. Turns of the event loop in between let messages in. */
async function catchUp(forMs: number): Promise<void> {
  const start = performance.now()
  do {
    await immediate()
    const before = performance.now()
    step()
    // A merge that nobody waits for takes half of the time, so that it does not keep a core or the disk busy.
    if (forMs === 0 && flushJob === undefined) await sleep(performance.now() - before)
  } while (hasJob() && performance.now() - start < forMs)
}

/** Until there is something to do. */
async function rest(): Promise<void> {
  if (hasJob()) return
  const woken = new Promise<void>((resolve) => {
    wake = resolve
  })
  if (requests.length > 0) return
  const wakeAt = Math.min(writer.needsFlush ? dueAt() : Infinity, orphansDueAt(), Date.now() + (1 << 30))
  const untilDue = Math.max(1, wakeAt - Date.now())
  const waitMs = isMergeWanted() ? Math.min(untilDue, mergePace.waitMs(performance.now())) : untilDue
  const timer = new AbortController()
  await Promise.race([woken, sleep(waitMs, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
  if (Date.now() >= orphansDueAt()) writer.vectors?.dropOrphans()
}

const orphansDueAt = (): number => (writer.vectors?.hasOrphans === true ? lastBatchAt + ORPHANS_MS : Infinity)

const dueAt = (): number => Math.max(dirtySince + settings.flushAfterMs, pausedUntil)

function hasJob(): boolean {
  return flushJob !== undefined || isFlushDue() || isMergeDue()
}

const isMergeWanted = (): boolean => mergeJob !== undefined || (mayMerge && Date.now() >= pausedUntil)
const isMergeDue = (): boolean => isMergeWanted() && mergePace.waitMs(performance.now()) === 0

function isFlushDue(): boolean {
  if (flushWanted.length > 0) return true
  if (!writer.needsFlush || Date.now() < pausedUntil) return false
  return writer.memoryEntries >= settings.memoryEntries || Date.now() >= dueAt()
}

function handle(request: WriterRequest): void {
  if (request.method === 'apply') apply(request.id, request.batch)
  else if (request.method === 'flush') flushWanted.push(request.id)
  else if (request.method === 'setVectors') setVectors(request.id, request.vectors)
  else if (request.method === 'dropDamaged') dropDamaged(request.id, request.slots)
  else if (request.method === 'chunksWithoutVector') answerPage(request.id, request.limit, request.after)
  else distrust(request.id)
}

function apply(id: number, batch: BuiltBatch): void {
  if (isBacklogged()) finishFlush()
  if (isBacklogged()) {
    reply({ id, error: 'the index cannot be written to disk', isDamage: false })
    return
  }
  lastBatchAt = Date.now()
  if (!writer.needsFlush) dirtySince = Date.now()
  try {
    const change = writer.take(batch)
    void audience.tell(change, batch.position).then(() => reply({ id, result: null }))
  } catch (error) {
    // What the writer holds may be half of the batch: the process ends, and the next one begins at the manifest.
    if (error instanceof DamageError) forget()
    throw error
  }
}

function setVectors(id: number, vectors: PackedVectors): void {
  if (!writer.needsFlush) dirtySince = Date.now()
  try {
    const change = writer.setVectors(entryVectors(vectors))
    void tellViews(change).then(() => reply({ id, result: null }))
  } catch (error) {
    // No room on the disk, or no room for a row: the writer has taken nothing, and text comes in as before.
    if (!isFull(error) && !(error instanceof RangeError)) throw error
    reply({ id, error: `the index takes no vectors: ${String(error)}`, isDamage: false })
  }
}

function dropDamaged(id: number, slots: number[]): void {
  const change = writer.dropDamaged(slots)
  const dropped = change.placements.reduce((sum, it) => sum + it.entries.length, 0)
  void tellViews(change).then(() => reply({ id, result: dropped }))
}

function answerPage(id: number, limit: number, after: string | undefined): void {
  try {
    reply({ id, result: unembeddedPage(writer.vectors === undefined ? [] : writer.segments, limit, after) })
  } catch (error) {
    reply({ id, error: String(error), isDamage: error instanceof DamageError })
  }
}

function distrust(id: number): void {
  forget()
  reply({ id, result: null })
}

/** The next start finds no manifest, and begins anew. */
const forget = (): void => rmSync(join(settings.dir, 'manifest'), { force: true })

const isBacklogged = (): boolean => writer.memoryEntries > settings.memoryEntries * MAX_BACKLOG

/** A little of what is most urgent. */
function step(): void {
  if (flushJob === undefined && isFlushDue()) startFlush()
  if (flushJob !== undefined) stepFlush()
  else if (isMergeDue()) stepMerge()
}

function startFlush(): void {
  flushJob = writer.flush()
  flushAnswers = flushWanted
  flushWanted = []
}

function stepFlush(): void {
  const { done, value } = flushJob!.next()
  if (done !== true) return
  flushJob = undefined
  mayMerge = true
  dirtySince = Date.now()
  if ('fault' in value) stall(value.fault)
  const answers = flushAnswers
  void tellViews(value.change).then(() => {
    writer.removeObsolete()
    writer.vectors?.release(value.left)
    wake()
    for (const id of answers) reply({ id, result: null })
  })
}

function stepMerge(): void {
  mergeJob ??= writer.merge()
  try {
    const { done, value } = mergeJob.next()
    if (done !== true) return
    mergeJob = undefined
    mayMerge = value !== undefined
    if (value !== undefined) void tellViews(value)
  } catch (error) {
    mergeJob = undefined
    stall(error)
  }
}

const tellViews = (change: ViewChange): Promise<void> => audience.tell(change, writer.position)

function finishFlush(): void {
  if (flushJob === undefined) startFlush()
  while (flushJob !== undefined) stepFlush()
}

/** A full disk may get room again. Any other fault of writing ends the process: what was synced cannot be known. */
function stall(error: unknown): void {
  if (!isFull(error)) throw error
  pausedUntil = Date.now() + RETRY_MS
  tell({ news: 'stalled', reason: String(error) })
}

function isFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}

function reply(message: Reply): void {
  port.postMessage(message)
}

function tell(news: WriterNews): void {
  port.postMessage(news)
}

function failpointOf(setting: string | null): (name: string) => void {
  const [wanted, nth] = setting?.split(':') ?? []
  let passings = 0
  return (name) => {
    if (name === wanted && ++passings === Number(nth)) process.kill(process.pid, 'SIGKILL')
  }
}

// Last, because what it calls must have been defined.
writer = open()
await work()
