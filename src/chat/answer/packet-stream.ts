// Turns a producer that emits packets from concurrent tools into one stream.

/**
 * Yields what `work` emits, in order, and ends or fails with it. A reader that stops early aborts the signal of `work`.
 */
export async function* streamPackets<T>(
  signal: AbortSignal,
  work: (put: (packet: T) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<T, void> {
  const abortOnReturn = new AbortController()
  const waiting: T[] = []
  let isDone = false
  let wake = () => {}
  const put = (packet: T): void => {
    waiting.push(packet)
    wake()
  }
  const completion = work(put, AbortSignal.any([signal, abortOnReturn.signal])).finally(() => {
    isDone = true
    wake()
  })
  // The reader receives the failure later; until then it must not count as unhandled.
  completion.catch(() => {})
  try {
    for (;;) {
      yield* waiting.splice(0)
      if (waiting.length > 0) continue
      if (isDone) break
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    await completion
  } finally {
    abortOnReturn.abort()
  }
}
