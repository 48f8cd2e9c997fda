// Decodes text: by byte order mark, then the declared encoding, then detection.
import chardet from 'chardet'

/** Bytes examined to detect the encoding. */
const SAMPLE_BYTES = 64 << 10

export function decodeText(bytes: Buffer, declared: readonly (string | null | undefined)[] = []): string {
  const markedEncoding = detectByteOrderMark(bytes)
  if (markedEncoding !== null) return new TextDecoder(markedEncoding).decode(bytes)
  const fromUtf8 = decodeStrictly('utf-8', bytes)
  // Text that is valid UTF-8 is almost always UTF-8, whatever was declared.
  if (fromUtf8 !== null) return isIso2022Jp(bytes, declared) ? decodeWith('iso-2022-jp', bytes) : fromUtf8
  const guessed = guessEncoding(bytes)
  const label = declared.find((it) => it && isKnownEncoding(it) && isPlausibleEncoding(it, bytes, guessed))
  return decodeWith(label ?? guessed.name, bytes)
}

/** Decodes the start of a file. The last character may be incomplete. */
export const decodeFirstBytes = (head: Buffer): string => decodeWith(detectByteOrderMark(head) ?? 'utf-8', head)

/** Only UTF-16 and UTF-32 text contains zero bytes. */
export const isBinary = (head: Buffer): boolean => head.includes(0) && detectByteOrderMark(head) === null

/** UTF-16 without a byte order mark is recognised by the position of its zero bytes. */
function detectByteOrderMark(bytes: Buffer): string | null {
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

/** ISO-2022-JP is ASCII with escape sequences and therefore valid UTF-8. */
const isIso2022Jp = (bytes: Buffer, declared: readonly (string | null | undefined)[]): boolean =>
  declared.some((it) => it?.toLowerCase() === 'iso-2022-jp') || bytes.subarray(0, SAMPLE_BYTES).includes('\x1b$B')

function decodeStrictly(label: string, bytes: Buffer): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function guessEncoding(bytes: Buffer): { name: string; confidence: number } {
  const [best] = chardet.analyse(bytes.subarray(0, SAMPLE_BYTES))
  return best !== undefined && isKnownEncoding(best.name) ? best : { name: 'windows-1252', confidence: 0 }
}

const SINGLE_BYTE = /^(?:windows-125\d|iso-8859-\d+|koi8|macintosh)/
const MULTI_BYTE = /^(?:shift_jis|gb18030|big5|euc-)/i
/** A higher share of invalid characters indicates another encoding. */
const MAX_UNDECODABLE_SHARE = 0.01

/** Tolerates isolated errors. A wrong encoding causes errors everywhere. */
function isPlausibleEncoding(label: string, bytes: Buffer, guessed: { name: string; confidence: number }): boolean {
  const decoder = new TextDecoder(label)
  if (SINGLE_BYTE.test(decoder.encoding)) return !(MULTI_BYTE.test(guessed.name) && guessed.confidence >= 90)
  const text = decoder.decode(bytes.subarray(0, SAMPLE_BYTES))
  const nonAscii = text.match(/[^\0-\x7f]/g)?.length ?? 0
  return (text.match(/\ufffd/g)?.length ?? 0) <= Math.max(1, nonAscii * MAX_UNDECODABLE_SHARE)
}

export function isKnownEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}

export const decodeWith = (label: string, bytes: Buffer): string =>
  new TextDecoder(isKnownEncoding(label) ? label : 'windows-1252').decode(bytes)
