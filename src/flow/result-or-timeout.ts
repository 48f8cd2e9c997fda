/**
 * Settles like the result, or resolves with `late` after the time. Nothing is aborted: other callers may wait for the
 * same result. A result that arrived in time wins, even if the event loop was too busy to deliver it before the timer.
 */
export async function resultOrTimeout<Result, Late>(
  result: Promise<Result>,
  timeoutMs: number,
  late: Late,
): Promise<Result | Late> {
  const { promise: timedOut, resolve } = Promise.withResolvers<Late>()
  // Timers come before messages in a turn of the event loop, immediates after them.
  const timer = setTimeout(() => setImmediate(resolve, late), timeoutMs)
  try {
    return await Promise.race([result, timedOut])
  } finally {
    clearTimeout(timer)
  }
}
