/** Runs `action` over the items, at most `limit` at a time; the first error ends it. Items may be endless. */
export async function parallel<T>(
  items: Iterable<T>,
  limit: number,
  action: (item: T) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const work = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await action(next.value)
  }
  await Promise.all(Array.from({ length: limit }, work))
}
