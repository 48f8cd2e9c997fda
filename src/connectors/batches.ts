/** Consecutive parts of a list, each with its last item, after which a checkpoint can resume. */
export function* batchesOf<T extends object | number | string>(
  list: readonly T[],
  size: number,
): Generator<{ batch: T[]; last: T }, void> {
  for (let at = 0; at < list.length; at += size) {
    const batch = list.slice(at, at + size)
    const last = batch.at(-1)
    if (last !== undefined) yield { batch, last }
  }
}
