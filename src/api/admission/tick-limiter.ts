// Starts only a few waiting tasks in each iteration of the event loop, so that a burst of a thousand requests does not
// block other sockets and timers.

export function createTickLimiter(perTick: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  const runTick = () => {
    for (const start of waiting.splice(0, perTick)) start()
    if (waiting.length > 0) setImmediate(runTick)
  }
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(runTick)
    })
}
