// The writer thread applies batches first; in between it flushes the index to disk and merges segments.
import '../../text/without-http-client.ts'

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { errorCode } from '../../domain/values/node-error.ts'
import { CorruptIndexError } from '../../engine/codec/corrupt-index-error.ts'
import type { BuiltBatch } from '../../engine/segment/build-segment.ts'
import type { ViewChange } from '../../engine/segment/index-view.ts'
import { isOutOfFiles } from '../../engine/segment/out-of-files.ts'
import { removeIndexFiles } from '../../engine/write/index-folder.ts'
import { IndexWriter } from '../../engine/write/index-writer.ts'
import { collectWhenIdle } from '../../flow/collect-when-idle.ts'
import { createFailpoint } from '../../flow/failpoint.ts'
import { B } from '../bm25-parameters.ts'
import { createByteRateLimiter } from './byte-rate-limiter.ts'
import { DIMENSIONS } from './dimensions.ts'
import { lowerThreadPriority } from './lower-thread-priority.ts'
import {
  createFailureReply,
  type EmptyReason,
  getMainPort,
  type PackedVectors,
  type ThreadReply,
  type ThreadRequest,
  type WriterEvent,
  type WriterMethods,
  type WriterSettings,
} from './messages.ts'
import { createReaderPublisher } from './reader-publisher.ts'
import { readUnembeddedPage, unpackVectors } from './vectors.ts'

/**
 * The largest segment that a merge produces. Larger ones would be searched slightly faster but take minutes to write.
 */
const MAX_SEGMENT_PASSAGES = 2_000_000
const FAN_IN = 5
/** The delay after a disk error such as a full disk. */
const RETRY_MS = 30_000
/** The first delay after a file could not be opened; it doubles each time. */
const FIRST_FILES_RETRY_MS = 1_000
/** Batches are rejected if the passages in memory exceed `memoryPassages` by this factor. */
const MAX_BACKLOG = 8
/** The time for flushes and merges relative to the time for batches, if both have work. */
const JOB_TIME_SHARE = 0.5
/** If nothing was indexed for this long, the vectors of a lost index that have not been reclaimed are dropped. */
const ORPHAN_TIMEOUT_MS = 600_000

const settings: WriterSettings = workerData
const port = getMainPort()
const publisher = createReaderPublisher(settings.readers)
const requests: ThreadRequest<WriterMethods>[] = []
let wake = () => {}
type FlushJob = ReturnType<IndexWriter['flush']>
let flushJob: FlushJob | undefined
let mergeJob: ReturnType<IndexWriter['merge']> | undefined
let dirtySince = 0
let flushRequests: number[] = []
/** The requests that the current flush answers. Later requests need another flush. */
let flushWaiters: number[] = []
let mayMerge = true
let pausedUntil = 0
let isStalled = false
let filesRetryMs = FIRST_FILES_RETRY_MS
let lastBatchAt = Date.now()
let writer: IndexWriter
const mergeLimiter = createByteRateLimiter(settings.mergeBytesPerSecond)

lowerThreadPriority()
collectWhenIdle()
port.on('message', (more: ThreadRequest<WriterMethods>[]) => {
  requests.push(...more)
  wake()
})

function openWriter(): IndexWriter {
  const options = {
    dir: settings.dir,
    record: settings.record,
    b: B,
    dimensions: DIMENSIONS,
    memoryPassages: settings.memoryPassages,
    policy: { fanIn: FAN_IN, floor: settings.mergeFloor, maxPassages: MAX_SEGMENT_PASSAGES },
    onMergeWrite: (bytes: number) => mergeLimiter.spend(bytes, performance.now()),
    failpoint: createFailpoint(settings.failpoint),
    ...(settings.vectors === undefined ? {} : { vectors: settings.vectors }),
  }
  let emptyReason: EmptyReason | null = null
  let opened: IndexWriter
  try {
    opened = new IndexWriter(options)
    if (opened.isNew) emptyReason = { reason: 'missing', detail: `${settings.dir} is empty` }
  } catch (error) {
    if (!(error instanceof CorruptIndexError)) throw error
    emptyReason = { reason: error.kind, detail: error.message }
    removeIndexFiles(settings.dir)
    opened = new IndexWriter(options)
  }
  void publisher.publish(opened.takeInitialChange(), opened.position).then(() => {
    postEvent({ event: 'opened', position: opened.position, emptyReason, vectorDropReasons: opened.vectorDropReasons })
  })
  return opened
}

async function runLoop(): Promise<void> {
  for (;;) {
    const start = performance.now()
    const request = requests.shift()
    if (request === undefined) await waitForWork()
    else handleRequest(request)
    if (!hasJob()) continue
    await runJobs(request === undefined ? 0 : (performance.now() - start) * JOB_TIME_SHARE)
  }
}

/** Runs at least one step. Turns of the event loop in between let messages in. */
async function runJobs(forMs: number): Promise<void> {
  const start = performance.now()
  do {
    await immediate()
    const before = performance.now()
    runJobStep()
    // A merge without competing work gets half of the time, so that it does not saturate a core or the disk.
    if (forMs === 0 && flushJob === undefined) await sleep(performance.now() - before)
  } while (hasJob() && performance.now() - start < forMs)
}

/** Waits until there is something to do. */
async function waitForWork(): Promise<void> {
  if (hasJob()) return
  const woken = new Promise<void>((resolve) => {
    wake = resolve
  })
  if (requests.length > 0) return
  const wakeAt = Math.min(writer.needsFlush ? dueAt() : Infinity, orphansExpireAt(), Date.now() + (1 << 30))
  const untilDue = Math.max(1, wakeAt - Date.now())
  const waitMs = isMergeWanted() ? Math.min(untilDue, mergeLimiter.waitMs(performance.now())) : untilDue
  const timer = new AbortController()
  await Promise.race([woken, sleep(waitMs, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
  if (Date.now() >= orphansExpireAt()) writer.vectors?.dropOrphans()
}

const orphansExpireAt = (): number => (writer.vectors?.hasOrphans === true ? lastBatchAt + ORPHAN_TIMEOUT_MS : Infinity)

const dueAt = (): number => Math.max(dirtySince + settings.flushAfterMs, pausedUntil)

function hasJob(): boolean {
  return flushJob !== undefined || isFlushDue() || isMergeDue()
}

const isMergeWanted = (): boolean => mergeJob !== undefined || (mayMerge && Date.now() >= pausedUntil)
const isMergeDue = (): boolean => isMergeWanted() && mergeLimiter.waitMs(performance.now()) === 0

function isFlushDue(): boolean {
  if (flushRequests.length > 0) return true
  if (!writer.needsFlush || Date.now() < pausedUntil) return false
  return writer.memoryPassages >= settings.memoryPassages || Date.now() >= dueAt()
}

function handleRequest(request: ThreadRequest<WriterMethods>): void {
  if (request.method === 'apply') apply(request.id, request.batch)
  else if (request.method === 'flush') flushRequests.push(request.id)
  else if (request.method === 'setVectors') setVectors(request.id, request.vectors)
  else if (request.method === 'dropDamaged') dropDamaged(request.id, request.slots)
  else if (request.method === 'chunksWithoutVector') answerUnembeddedPage(request.id, request.limit, request.after)
  else invalidate(request.id)
}

function apply(id: number, batch: BuiltBatch): void {
  if (isBacklogged()) finishFlush()
  if (isBacklogged()) {
    reply(createFailureReply(id, new Error('the index cannot be written to disk')))
    return
  }
  lastBatchAt = Date.now()
  if (!writer.needsFlush) dirtySince = Date.now()
  try {
    const change = writer.applyBuilt(batch)
    void publisher.publish(change, batch.position).then(() => reply({ id, result: null }))
  } catch (error) {
    // The writer may have applied half of the batch. The process exits, and the next one starts from the manifest.
    if (error instanceof CorruptIndexError) removeManifest()
    throw error
  }
}

function setVectors(id: number, vectors: PackedVectors): void {
  if (!writer.needsFlush) dirtySince = Date.now()
  try {
    const change = writer.setVectors(unpackVectors(vectors))
    void publishChange(change).then(() => reply({ id, result: null }))
  } catch (error) {
    // The disk or the row memory is full. The writer has changed nothing and goes on taking text.
    if (!isDiskFull(error) && !(error instanceof RangeError)) throw error
    reply(createFailureReply(id, new Error(`the index cannot store the vectors: ${String(error)}`)))
  }
}

function dropDamaged(id: number, slots: number[]): void {
  const change = writer.dropDamaged(slots)
  const dropped = change.slotAssignments.reduce((sum, it) => sum + it.passages.length, 0)
  void publishChange(change).then(() => reply({ id, result: dropped }))
}

function answerUnembeddedPage(id: number, limit: number, after: string | undefined): void {
  try {
    reply({ id, result: readUnembeddedPage(writer.vectors === undefined ? [] : writer.segments, limit, after) })
  } catch (error) {
    reply(createFailureReply(id, error))
  }
}

function invalidate(id: number): void {
  removeManifest()
  reply({ id, result: null })
}

/** Without a manifest, the next start begins with an empty index. */
const removeManifest = (): void => rmSync(join(settings.dir, 'manifest'), { force: true })

const isBacklogged = (): boolean => writer.memoryPassages > settings.memoryPassages * MAX_BACKLOG

/** Runs one step of the most urgent job. */
function runJobStep(): void {
  if (flushJob === undefined && isFlushDue()) startFlush()
  if (flushJob !== undefined) stepFlush(flushJob)
  else if (isMergeDue()) stepMerge()
}

function startFlush(): void {
  flushJob = writer.flush()
  flushWaiters = flushRequests
  flushRequests = []
}

function stepFlush(job: FlushJob): void {
  const { done, value } = job.next()
  if (done !== true) return
  flushJob = undefined
  mayMerge = true
  dirtySince = Date.now()
  if ('error' in value) stall(value.error)
  else resume()
  const answers = flushWaiters
  void publishChange(value.change).then(() => {
    writer.removeObsolete()
    writer.vectors?.free(value.retiredSlots)
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
    if (value !== undefined) {
      resume()
      void publishChange(value)
    }
  } catch (error) {
    mergeJob = undefined
    stall(error)
  }
}

const publishChange = (change: ViewChange): Promise<void> => publisher.publish(change, writer.position)

function finishFlush(): void {
  if (flushJob === undefined) startFlush()
  while (flushJob !== undefined) stepFlush(flushJob)
}

/**
 * A full disk may be cleared, and descriptors may be closed. Any other write error ends the process, because it is
 * unknown what has been synced.
 */
function stall(error: unknown): void {
  if (!isDiskFull(error) && !isOutOfFiles(error)) throw error
  pausedUntil = Date.now() + (isDiskFull(error) ? RETRY_MS : filesRetryMs)
  filesRetryMs = Math.min(filesRetryMs * 2, RETRY_MS)
  isStalled = true
  postEvent({ event: 'stalled', reason: isDiskFull(error) ? DISK_FULL : OUT_OF_DESCRIPTORS, detail: String(error) })
}

function resume(): void {
  if (!isStalled) return
  isStalled = false
  filesRetryMs = FIRST_FILES_RETRY_MS
  postEvent({ event: 'resumed' })
}

const DISK_FULL = 'the disk is full'
const OUT_OF_DESCRIPTORS = 'the process has no file descriptors left; the operator can allow more with "ulimit -n"'

function isDiskFull(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}

function reply(message: ThreadReply): void {
  port.postMessage(message)
}

function postEvent(event: WriterEvent): void {
  port.postMessage(event)
}

// Started last because it uses the functions above.
writer = openWriter()
await runLoop()
