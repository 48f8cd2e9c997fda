export type OncePerKey = <T>(key: string, request: () => Promise<T>) => Promise<T>

/** Runs each request once per key and returns the same promise afterwards, whether it resolved or rejected. */
export function createOncePerKey(): OncePerKey {
  const results = new Map<string, Promise<unknown>>()
  return <T>(key: string, request: () => Promise<T>): Promise<T> => {
    const pending = (results.get(key) as Promise<T> | undefined) ?? request()
    results.set(key, pending)
    return pending
  }
}
