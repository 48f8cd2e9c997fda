// Who begins in which round of the event loop? A few in each, so that a thousand that came at once do not keep it from
// all other sockets and timers until the last of them is through.

export function createRounds(perRound: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  const round = () => {
    for (const begin of waiting.splice(0, perRound)) begin()
    if (waiting.length > 0) setImmediate(round)
  }
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(round)
    })
}
