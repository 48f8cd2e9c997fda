// Makes the MinHash signature of a text: two texts that say nearly the same have nearly the same signature.
import { classAt, DENSE, EXTENDER, HANGUL, LETTER, widthAt } from '../characters.ts'
import { mixBits } from './mix-bits.ts'

/** The number of values in a signature. The estimate of a likeness of 0.9 has a standard error of 0.027. */
export const SIGNATURE_VALUES = 128
/** The values that follow and stand for the words of the title. */
export const TITLE_VALUES = 2
/** Words of a shingle: one changed word changes four shingles. */
const SHINGLE_WORDS = 4
/** In a shorter text, a copy with another number or name would count as alike. */
export const MIN_WORDS = 50

export interface TextSigner {
  /** Adds the next part of the text. A word does not continue in the next part. */
  add(part: string): void
  /**
   * Returns `SIGNATURE_VALUES` and `TITLE_VALUES` values of 16 bits; null for a text without words. A text of less than
   * `MIN_WORDS` words is like another one only if the words of both and of their titles are equal.
   */
  sign(title: string): Uint16Array | null
}

interface SignerState {
  /** The least hash of the shingles in each bin (one-permutation MinHash: each shingle is hashed once). */
  minima: Int32Array
  /** The hashes of the latest words. */
  latest: Int32Array
  words: number
  wholeText: number
}

const EMPTY = 0x7fffffff

/** Takes linear time and constant memory. */
export function createTextSigner(): TextSigner {
  const state = createState()
  return {
    add: (part) => addWords(state, plainText(part)),
    sign(title) {
      if (state.words === 0) return null
      const named = createState()
      addWords(named, plainText(title))
      const values = new Uint16Array(SIGNATURE_VALUES + TITLE_VALUES)
      if (state.words >= MIN_WORDS) fillBins(values, state.minima)
      else fillWithHash(values, mixBits((state.wholeText + Math.imul(named.wholeText, FACTOR)) | 0))
      values.set([named.wholeText, named.wholeText >>> 16], SIGNATURE_VALUES)
      return values
    },
  }
}

const createState = (): SignerState => ({
  minima: new Int32Array(SIGNATURE_VALUES).fill(EMPTY),
  latest: new Int32Array(SHINGLE_WORDS),
  words: 0,
  wholeText: 0,
})

const plainText = (text: string): string => text.normalize('NFKC').toLowerCase()

// All numbers are integers of 32 bits with a sign, which the engine keeps without allocations.
const FACTOR = 0x01000193
const STEP = 0x1e3779b9

/** A letter of a script without spaces is a word. */
function addWords(state: SignerState, text: string): void {
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const kind = unit < 128 ? (ASCII[unit] ?? 0) : classAt(text, at)
    if (kind === LETTER || kind === HANGUL || (kind === EXTENDER && hash !== 0)) {
      hash = (Math.imul(hash ^ unit, FACTOR) + STEP) | 0
      // The second half of a character counts too.
      if (unit >= 0xd800 && widthAt(text, at) === 2) hash = (Math.imul(hash ^ text.charCodeAt(++at), FACTOR) + STEP) | 0
      continue
    }
    if (hash !== 0) addWord(state, hash)
    hash = 0
    if (kind !== DENSE) continue
    const isPair = unit >= 0xd800 && widthAt(text, at) === 2
    addWord(state, (Math.imul(isPair ? (unit << 16) ^ text.charCodeAt(++at) : unit, FACTOR) + STEP) | 0)
  }
  if (hash !== 0) addWord(state, hash)
}

const ASCII = Uint8Array.from({ length: 128 }, (_, unit) => classAt(String.fromCharCode(unit), 0))

function addWord(state: SignerState, hash: number): void {
  const { minima, latest, words } = state
  latest[words & 3] = hash
  state.words = words + 1
  state.wholeText = mixBits((state.wholeText + hash) | 0)
  if (words < SHINGLE_WORDS - 1) return
  let shingle = 0
  for (let at = words + 1; at <= words + SHINGLE_WORDS; at++) {
    shingle = (Math.imul(shingle, FACTOR) + (latest[at & 3] ?? 0)) | 0
  }
  const mixed = mixBits(shingle)
  const bin = mixed & (SIGNATURE_VALUES - 1)
  if (mixed < (minima[bin] ?? EMPTY)) minima[bin] = mixed
}

/** Fills an empty bin from one that depends on nothing but the number of the bin, so that equal texts stay equal. */
function fillBins(values: Uint16Array, minima: Int32Array): void {
  for (let bin = 0; bin < SIGNATURE_VALUES; bin++) {
    let value = minima[bin] ?? EMPTY
    for (let at = 1; value === EMPTY; at++)
      value = minima[mixBits(bin * 0x10001 + at) & (SIGNATURE_VALUES - 1)] ?? EMPTY
    values[bin] = mixBits(value)
  }
}

function fillWithHash(values: Uint16Array, hash: number): void {
  for (let at = 0; at < SIGNATURE_VALUES; at++) values[at] = mixBits((hash + at) | 0)
}
