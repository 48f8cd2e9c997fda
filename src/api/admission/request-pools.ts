// Limits the concurrent requests of each kind, so that a burst queues or is rejected instead of slowing every request.
import type { FastifyReply } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { createFairSemaphore, type FairSemaphore, type Permit } from '../../flow/fair-semaphore.ts'
import { whenClosed } from '../http/when-closed.ts'
import type { RequestPoolName } from '../route.ts'
import { createTickLimiter } from './tick-limiter.ts'

/**
 * The queue holds about half a second of work. More permits would not raise throughput, but would favour the busiest key:
 * one search per key nearly saturates a processor, and other keys keep their latency. Bodies are read after the permit is
 * granted, so a waiting request uses little memory.
 */
const POOL_SETTINGS = {
  search: { permits: 8, permitsPerKey: 3, extraPermitDelayMs: 200, maxWaiting: 512, maxWaitingPerKey: 256 },
  // A replay can wait for hours, so it gets one permit.
  replay: { permits: 1, permitsPerKey: 1, maxWaiting: 8, maxWaitingPerKey: 4 },
  // A streamed answer mostly waits, for the model or for its reader.
  chat: { permits: 256, permitsPerKey: 224, maxWaiting: 256, maxWaitingPerKey: 64 },
  write: { permits: 256, permitsPerKey: 192, maxWaiting: 2_048, maxWaitingPerKey: 1_024 },
}

/** Parsing and checking a write blocks the event loop for about 0.3 ms; this bounds how long other work waits. */
const WRITES_PER_TICK = 16

interface RequestPool extends FairSemaphore {
  /** Resolves in the iteration of the event loop in which the work may start. Absent: it may start at once. */
  waitForTick?(): Promise<void>
}

export type RequestPools = Record<RequestPoolName, RequestPool>

export const createRequestPools = (): RequestPools => ({
  search: createFairSemaphore(POOL_SETTINGS.search),
  write: { ...createFairSemaphore(POOL_SETTINGS.write), waitForTick: createTickLimiter(WRITES_PER_TICK) },
  replay: createFairSemaphore(POOL_SETTINGS.replay),
  chat: createFairSemaphore(POOL_SETTINGS.chat),
})

/** Waits for a permit; it is released when the response ends or the client disconnects. */
export async function acquirePermit(pool: RequestPool, subject: Subject, reply: FastifyReply): Promise<Permit> {
  const permit = pool.acquire(`${subject.api_key_id}/${subject.user_id}`)
  if (permit === 'rate_limited') throw new AppError('TOO_MANY_REQUESTS')
  if (permit === 'overloaded') throw new AppError('OVERLOADED')
  whenClosed(reply, permit.release)
  await permit.granted
  await pool.waitForTick?.()
  return permit
}
