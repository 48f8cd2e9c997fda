// Lets documents that wait for the index come before other work.
import type { Indexer } from '../index/indexer.ts'

/** Resolves when no document waits for the index, after `maxMs`, or at the signal. */
export async function waitForCaughtUp(
  { progress, waitUntil }: Pick<Indexer, 'progress' | 'waitUntil'>,
  { maxMs, signal }: { maxMs: number; signal: AbortSignal },
): Promise<void> {
  if (progress().pending === 0) return
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), maxMs)
  const end = AbortSignal.any([signal, timeout.signal])
  // Others may be accepted during the wait.
  for (let it = progress(); it.pending > 0 && !end.aborted; it = progress()) await waitUntil(it.accepted_seq, end)
  clearTimeout(timer)
}
