export type Once = <T>(key: string, ask: () => Promise<T>) => Promise<T>

/** What a source was asked for under a key it is not asked for again, whatever it answered. */
export function openOnce(): Once {
  const known = new Map<string, Promise<unknown>>()
  return <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const asked = (known.get(key) as Promise<T> | undefined) ?? ask()
    known.set(key, asked)
    return asked
  }
}
