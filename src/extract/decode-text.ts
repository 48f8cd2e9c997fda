// Bytes → text. A byte order mark decides, then what was declared, then what the bytes look like.
import chardet from 'chardet'

/** Looked at to guess an encoding. */
const SAMPLE_BYTES = 64 << 10

export function decodeText(bytes: Buffer, declared: readonly (string | null | undefined)[] = []): string {
  const marked = markOf(bytes)
  if (marked !== null) return new TextDecoder(marked).decode(bytes)
  const fromUtf8 = strictly('utf-8', bytes)
  // Most bytes that are valid UTF-8 and not ASCII are nothing else, whatever the header says.
  if (fromUtf8 !== null) return isEscaped(bytes, declared) ? decodeAs('iso-2022-jp', bytes) : fromUtf8
  const guessed = guess(bytes)
  const label = declared.find((it) => it && isLabel(it) && fits(it, bytes, guessed))
  return decodeAs(label ?? guessed.name, bytes)
}

/** For a look at how a text begins: a character may be cut in two. */
export const decodeHead = (head: Buffer): string => decodeAs(markOf(head) ?? 'utf-8', head)

/** No encoding of text but UTF-16 and UTF-32 uses the byte 0. */
export const isBinary = (head: Buffer): boolean => head.includes(0) && markOf(head) === null

/** UTF-16 without its mark is known by where its zeros are. */
function markOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, 512)
  if (sample.length < 8 || !sample.includes(0)) return null
  const zeros = [0, 0]
  sample.forEach((byte, at) => {
    if (byte === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  if (even === 0 && odd > sample.length * 0.3) return 'utf-16le'
  return odd === 0 && even > sample.length * 0.3 ? 'utf-16be' : null
}

/** ISO-2022-JP is ASCII with escapes, so it passes for UTF-8. */
const isEscaped = (bytes: Buffer, declared: readonly (string | null | undefined)[]): boolean =>
  declared.some((it) => it?.toLowerCase() === 'iso-2022-jp') || bytes.subarray(0, SAMPLE_BYTES).includes('\x1b$B')

function strictly(label: string, bytes: Buffer): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function guess(bytes: Buffer): { name: string; confidence: number } {
  const [best] = chardet.analyse(bytes.subarray(0, SAMPLE_BYTES))
  return best !== undefined && isLabel(best.name) ? best : { name: 'windows-1252', confidence: 0 }
}

const SINGLE_BYTE = /^(?:windows-125\d|iso-8859-\d+|koi8|macintosh)/
const MANY_BYTES = /^(?:shift_jis|gb18030|big5|euc-)/i
/** Where more of the characters than this cannot be read, the text is in another encoding. */
const MAX_BROKEN = 0.01

/** A text with one broken place fits; a wrong label breaks it everywhere, or reads as many odd characters. */
function fits(label: string, bytes: Buffer, guessed: { name: string; confidence: number }): boolean {
  const decoder = new TextDecoder(label)
  if (SINGLE_BYTE.test(decoder.encoding)) return !(MANY_BYTES.test(guessed.name) && guessed.confidence >= 90)
  const text = decoder.decode(bytes.subarray(0, SAMPLE_BYTES))
  const foreign = text.match(/[^\0-\x7f]/g)?.length ?? 0
  return (text.match(/\ufffd/g)?.length ?? 0) <= Math.max(1, foreign * MAX_BROKEN)
}

export function isLabel(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}

export const decodeAs = (label: string, bytes: Buffer): string =>
  new TextDecoder(isLabel(label) ? label : 'windows-1252').decode(bytes)
