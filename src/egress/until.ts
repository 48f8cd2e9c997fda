/** The promise, unless the signal comes first. */
export function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  if (signal.aborted) aborted.reject(signal.reason)
  return Promise.race([promise, aborted.promise])
}
