/** Spreads the bits of an integer over the 32 bits of another one, so that numbers in a row give unlike numbers. */
export function mixBits(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x45ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0x42b2ae35)
  return mixed ^ (mixed >>> 16)
}
