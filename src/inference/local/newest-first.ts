// Answers one request at a time, the newest first.
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * In an overload, some requests are then answered in time. In the order of their arrival, each would wait for those that
 * nobody waits for any more.
 */
export function createNewestFirst<Request>(answer: (request: Request) => Promise<void>): (request: Request) => void {
  const waiting: Request[] = []
  let isBusy = false
  const answerWaiting = async () => {
    isBusy = true
    for (;;) {
      // Requests that came during the last answer are received in this turn.
      await nextTurn()
      const newest = waiting.pop()
      if (newest === undefined) break
      await answer(newest)
    }
    isBusy = false
  }
  return (request) => {
    waiting.push(request)
    if (!isBusy) void answerWaiting()
  }
}
