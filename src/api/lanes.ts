// How much of a kind of work is done at the same time, so that a burst makes some wait and nobody's request hang.
import type { FastifyReply } from 'fastify'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import { createRounds } from './rounds.ts'
import type { Lane } from './route.ts'
import { createTurnstile, type Ticket, type Turnstile } from './turnstile.ts'

/**
 * What waits is about half a second of work. More places would not be faster, but would let the greediest key in before
 * all others; one search of each key at a time is nearly as much as a processor can do, and leaves the others as quick as
 * if they were alone. A body is read when its turn has come, so that what waits costs little memory.
 */
const LANES = {
  search: { places: 8, placesPerKey: 3, patienceMs: 200, waiting: 512, waitingPerKey: 256 },
  // What can wait for hours takes one place beside the searches.
  replay: { places: 1, placesPerKey: 1, waiting: 8, waitingPerKey: 4 },
  // An answer that is read as it is written mostly waits: for a model, or for who reads it.
  chat: { places: 256, placesPerKey: 224, waiting: 256, waitingPerKey: 64 },
  write: { places: 256, placesPerKey: 192, waiting: 2_048, waitingPerKey: 1_024 },
}

/** Each is read and checked in about .3 ms, in one go: what else the loop has to do waits for no more than these. */
const WRITES_PER_ROUND = 16

interface OpenLane extends Turnstile {
  /** Resolves when the round of the event loop has come in which one that has a place begins; without it that is now. */
  begin?(): Promise<void>
}

export type Lanes = Record<Lane, OpenLane>

export const openLanes = (): Lanes => ({
  search: createTurnstile(LANES.search),
  write: { ...createTurnstile(LANES.write), begin: createRounds(WRITES_PER_ROUND) },
  replay: createTurnstile(LANES.replay),
  chat: createTurnstile(LANES.chat),
})

/** Waits until it is the subject's turn, which ends with the answer or when the client goes away. */
export async function takeTurn(lane: OpenLane, subject: Subject, reply: FastifyReply): Promise<Ticket> {
  const entered = lane.enter(`${subject.api_key_id}/${subject.user_id}`)
  if (entered === 'greedy') throw new AppError('TOO_MANY_REQUESTS')
  if (entered === 'crowded') throw new AppError('OVERLOADED')
  reply.raw.once('close', entered.leave)
  await entered.turn
  await lane.begin?.()
  return entered
}
