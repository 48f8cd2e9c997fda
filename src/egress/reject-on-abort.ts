/** Settles like the promise, or rejects with the signal's reason if that aborts first. */
export function rejectOnAbort<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  if (signal.aborted) aborted.reject(signal.reason)
  return Promise.race([promise, aborted.promise])
}
