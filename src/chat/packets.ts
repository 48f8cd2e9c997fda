// Packets while they come about: several tools may show something at the same time, one reader takes all of it.

/** What `work` puts, in its order. Ends as `work` does; a reader that stops early aborts the signal that `work` was given. */
export async function* packetsOf<T>(
  signal: AbortSignal,
  work: (put: (packet: T) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<T, void> {
  const own = new AbortController()
  const waiting: T[] = []
  let isDone = false
  let wake = () => {}
  const put = (packet: T): void => {
    waiting.push(packet)
    wake()
  }
  const working = work(put, AbortSignal.any([signal, own.signal])).finally(() => {
    isDone = true
    wake()
  })
  // Whoever reads learns of a failure at its place; until then it is nobody's unhandled one.
  working.catch(() => {})
  try {
    for (;;) {
      yield* waiting.splice(0)
      if (waiting.length > 0) continue
      if (isDone) break
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    await working
  } finally {
    own.abort()
  }
}
