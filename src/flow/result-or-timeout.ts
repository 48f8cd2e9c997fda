/**
 * Settles like the result, or resolves with `late` after the time. Nothing is aborted: other callers may wait for the
 * same result.
 */
export async function resultOrTimeout<Result, Late>(
  result: Promise<Result>,
  timeoutMs: number,
  late: Late,
): Promise<Result | Late> {
  const { promise: timedOut, resolve } = Promise.withResolvers<Late>()
  const timer = setTimeout(resolve, timeoutMs, late)
  try {
    return await Promise.race([result, timedOut])
  } finally {
    clearTimeout(timer)
  }
}
