// Compares signatures of documents, and says which of them are worth comparing.
import { mixBits } from './mix-bits.ts'
import { SIGNATURE_VALUES, TITLE_VALUES } from './text-signer.ts'

// Chosen by measurement: see decision 0185.
const MIN_LIKENESS_OF_ONE_TITLE = 0.9
/** Pages that were made from one template are that much alike, and differ in the name of the thing that they explain. */
const MIN_LIKENESS = 0.97

/** Estimates the share of the shingles of both texts that they have in common, from 0 to 1. */
export function likeness(one: Uint16Array, other: Uint16Array): number {
  let equal = 0
  for (let at = 0; at < SIGNATURE_VALUES; at++) if (one[at] === other[at]) equal++
  return equal / SIGNATURE_VALUES
}

export const areNearDuplicates = (one: Uint16Array, other: Uint16Array): boolean =>
  likeness(one, other) >= (haveSameTitle(one, other) ? MIN_LIKENESS_OF_ONE_TITLE : MIN_LIKENESS)

function haveSameTitle(one: Uint16Array, other: Uint16Array): boolean {
  for (let at = SIGNATURE_VALUES; at < SIGNATURE_VALUES + TITLE_VALUES; at++) if (one[at] !== other[at]) return false
  return true
}

const BANDS = 8
/** Texts with a likeness of 0.9 share a band with a probability of 0.99, of 0.6 with 0.13. */
const BAND_VALUES = 8

/** Returns one integer of 48 bits for each band. Near duplicates have at least one of them in common. */
export const bandsOf = (signature: Uint16Array): number[] =>
  Array.from({ length: BANDS }, (_, band) => {
    let [high, low] = [band, band + BANDS]
    for (const value of signature.subarray(band * BAND_VALUES, (band + 1) * BAND_VALUES)) {
      high = mixBits(high ^ value)
      low = mixBits((low + value) | 0)
    }
    return (high & 0xffff) * 0x1_0000_0000 + (low >>> 0)
  })

export const encodeSignature = (signature: Uint16Array): string =>
  Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength).toString('base64')

export function decodeSignature(text: string): Uint16Array {
  const bytes = Buffer.from(text, 'base64')
  const start = bytes.byteOffset
  // A copy of its own: a part of a shared buffer may begin at an odd place.
  return new Uint16Array(bytes.buffer.slice(start, start + bytes.byteLength))
}
