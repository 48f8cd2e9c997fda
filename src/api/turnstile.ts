// Who may work now, and who waits? A few at a time, the keys in turns, and nobody in a queue without an end.

export interface TurnstileSettings {
  /** How many work at the same time. */
  places: number
  /** How many of one key work at the same time, so that no key can keep all others out. */
  placesPerKey: number
  /** While several keys ask, one of them gets a second place only for what has waited so long; without it at once. */
  patienceMs?: number
  /** How many may wait, over all keys. */
  waiting: number
  /** How many of one key may wait. */
  waitingPerKey: number
}

/** `crowded`: nobody gets in. `greedy`: this key has asked for more than its share. */
export type Refusal = 'crowded' | 'greedy'

export interface Ticket {
  /** Absent when it may work at once. Never rejects, and never resolves for one that left before its turn. */
  turn?: Promise<void>
  /** Gives the place to the next, or leaves the queue. More than once is the same as once. */
  leave(): void
}

export interface Turnstile {
  enter(key: string): Ticket | Refusal
}

interface Waiting {
  call(): void
  sinceMs: number
}

/** Keys that asked within so long of each other share the places. */
const SHARED_MS = 1_000

export function createTurnstile(settings: TurnstileSettings, now = () => performance.now()): Turnstile {
  const { places, placesPerKey, patienceMs = 0, waiting: most, waitingPerKey } = settings
  /** Those who wait, by key. The keys take turns in the order of the map: who was called goes to its end. */
  const queues = new Map<string, Set<Waiting>>()
  const workingOf = new Map<string, number>()
  let working = 0
  let waiting = 0
  let lastKey = ''
  let sharedUntilMs = 0

  const begin = (key: string) => {
    working++
    workingOf.set(key, (workingOf.get(key) ?? 0) + 1)
  }

  const end = (key: string) => {
    working--
    const rest = workingOf.get(key)! - 1
    if (rest > 0) workingOf.set(key, rest)
    else workingOf.delete(key)
    callNext()
  }

  const noteKey = (key: string) => {
    if (lastKey !== '' && key !== lastKey) sharedUntilMs = now() + SHARED_MS
    lastKey = key
  }

  const hasPlace = (key: string, sinceMs: number) => {
    const own = workingOf.get(key) ?? 0
    if (working >= places || own >= placesPerKey) return false
    return own === 0 || now() >= Math.min(sharedUntilMs, sinceMs + patienceMs)
  }

  const callNext = () => {
    for (const [key, queue] of queues) {
      const [next] = queue
      if (!hasPlace(key, next!.sinceMs)) continue
      queues.delete(key)
      queue.delete(next!)
      if (queue.size > 0) queues.set(key, queue)
      waiting--
      begin(key)
      next!.call()
    }
  }

  const wait = (key: string, queue: Set<Waiting>): Ticket => {
    let state: 'waits' | 'works' | 'left' = 'waits'
    const { promise: turn, resolve } = Promise.withResolvers<void>()
    const call = () => {
      state = 'works'
      resolve()
    }
    const own: Waiting = { call, sinceMs: now() }
    queues.set(key, queue.add(own))
    waiting++
    const leave = () => {
      const before = state
      state = 'left'
      if (before === 'works') end(key)
      if (before !== 'waits') return
      waiting--
      queue.delete(own)
      if (queue.size === 0) queues.delete(key)
    }
    return { turn, leave }
  }

  return {
    enter(key) {
      noteKey(key)
      if (hasPlace(key, now())) {
        begin(key)
        let isOver = false
        return {
          leave() {
            if (!isOver) end(key)
            isOver = true
          },
        }
      }
      const queue = queues.get(key) ?? new Set()
      if (queue.size >= waitingPerKey) return 'greedy'
      return waiting >= most ? 'crowded' : wait(key, queue)
    },
  }
}
