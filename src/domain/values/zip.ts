/** Puts the items of two lists of the same length side by side. */
export function zip<L, R>(left: readonly L[], right: readonly R[]): [L, R][] {
  if (left.length !== right.length) throw new RangeError(`${left.length} items cannot lie beside ${right.length}`)
  // The lengths are equal, so the other list has an item at each place.
  return left.map((it, at) => [it, right[at] as R])
}
