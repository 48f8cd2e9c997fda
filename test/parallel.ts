/** Runs `action` over the items, at most `limit` at a time. After the first error no more start, and the error is thrown. */
export async function parallel<T>(
  items: Iterable<T>,
  limit: number,
  action: (item: T) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const state = { hasFailed: false }
  const work = async () => {
    for (let next = iterator.next(); !next.done && !state.hasFailed; next = iterator.next()) {
      await action(next.value).catch((error: unknown) => {
        state.hasFailed = true
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: limit }, work))
}
