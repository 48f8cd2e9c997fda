// Reads a file in a process of the pool, and again in a new process if the failure may not be the file's own.
import type { Extraction } from './extraction.ts'
import { createExtractionBuilder } from './extraction-builder.ts'
import { type PictureResult, reasonForLimit } from './picture/grey-picture.ts'
import type { PoolJob, ReadEnd, ReaderPool } from './process/reader-pool.ts'
import type { ReaderEvent } from './reader.ts'

export async function extractInPool(pool: ReaderPool, job: PoolJob): Promise<Extraction> {
  const { collector, end } = await readInPool(pool, job, createExtractionBuilder)
  return collector.finish(unfinishedEnd(end))
}

export async function readPictureInPool(pool: ReaderPool, job: PoolJob): Promise<PictureResult> {
  const { collector, end } = await readInPool(pool, job, createPictureCollector)
  if (end.verdict === 'limit') return { reason: reasonForLimit(end.detail) }
  return collector.picture ?? { reason: `The picture is damaged: ${unfinishedEnd(end).detail}` }
}

function createPictureCollector(): EventCollector & { picture: PictureResult | null } {
  const collector: ReturnType<typeof createPictureCollector> = {
    picture: null,
    add(event) {
      if (event.event === 'picture') collector.picture = event.picture
    },
  }
  return collector
}

interface EventCollector {
  add(event: ReaderEvent): void
}

/** A process that has read other files may fail because of them, so a failed file is read again in a new process. */
async function readInPool<Collector extends EventCollector>(
  pool: ReaderPool,
  job: PoolJob,
  createCollector: () => Collector,
): Promise<{ collector: Collector; end: ReadEnd }> {
  const firstTry = createCollector()
  const { end, wasNewProcess } = await pool.read(job, firstTry.add)
  const isCausedByFile = wasNewProcess || end.verdict === 'ok' || end.detail === 'time'
  if (isCausedByFile) return { collector: firstTry, end }
  const secondTry = createCollector()
  return {
    collector: secondTry,
    end: (await pool.read({ ...job, needsNewProcess: true }, secondTry.add)).end,
  }
}

/** The end of a document that a reader did not finish. */
export const UNFINISHED = { verdict: 'damaged', detail: 'The reader did not finish.' } as const

/** A process that succeeded has ended every document, so the value is unused. */
const unfinishedEnd = (end: ReadEnd): Exclude<ReadEnd, { verdict: 'ok' }> => (end.verdict === 'ok' ? UNFINISHED : end)
