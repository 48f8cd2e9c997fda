// Who may work now, and who waits? A few at a time, the keys in turns, and nobody in a queue without an end.

export interface TurnstileSettings {
  /** How many work at the same time. */
  places: number
  /** How many of one key work at the same time, so that no key can keep all others out. */
  placesPerKey: number
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

export function createTurnstile({ places, placesPerKey, waiting: most, waitingPerKey }: TurnstileSettings): Turnstile {
  /** Those who wait, by key. The keys take turns in the order of the map: who was called goes to its end. */
  const queues = new Map<string, Set<() => void>>()
  const workingOf = new Map<string, number>()
  let working = 0
  let waiting = 0

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

  const hasPlace = (key: string) => working < places && (workingOf.get(key) ?? 0) < placesPerKey

  const callNext = () => {
    for (const [key, queue] of queues) {
      if (!hasPlace(key)) continue
      const [call] = queue
      queues.delete(key)
      queue.delete(call!)
      if (queue.size > 0) queues.set(key, queue)
      waiting--
      begin(key)
      return call!()
    }
  }

  const wait = (key: string, queue: Set<() => void>): Ticket => {
    let state: 'waits' | 'works' | 'left' = 'waits'
    let call = () => {}
    const turn = new Promise<void>((resolve) => {
      call = () => {
        state = 'works'
        resolve()
      }
    })
    queues.set(key, queue.add(call))
    waiting++
    const leave = () => {
      const before = state
      state = 'left'
      if (before === 'works') end(key)
      if (before !== 'waits') return
      waiting--
      queue.delete(call)
      if (queue.size === 0) queues.delete(key)
    }
    return { turn, leave }
  }

  return {
    enter(key) {
      if (hasPlace(key)) {
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
