// Detects the media type from the first bytes; the declared type decides only where they leave it open.
import { formatOfRecording } from '../made-texts/recording-format.ts'
import { textBefore } from './text-before.ts'

/** How many bytes are examined at most. */
export const HEAD_BYTES = 4_096

/** Matched against the first bytes, read as Latin-1. */
const SIGNATURES: readonly [type: string, head: RegExp][] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/tiff', /^(?:II\*\0|MM\0\*)/],
  ['application/pdf', /^%PDF/],
  ['application/gzip', /^\x1f\x8b/],
  ['application/zip', /^PK(?:\x03\x04|\x05\x06)/],
  ['application/x-ole-storage', /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/],
]
const LONGEST_SIGNATURE = 12

/** Types that such a container may hold: there the declared type is trusted. */
const CONTAINED_TYPES: Readonly<Record<string, RegExp>> = {
  'application/zip': /^application\/(?:vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.[\w.-]+|epub\+zip)$/,
  'application/x-ole-storage': /^application\/(?:msword|vnd\.ms-[\w.-]+)$/,
}

const RECOGNIZED = new Set(SIGNATURES.map(([type]) => type))
const TEXT = /^(?:text\/[\w.+-]+|message\/rfc822|application\/(?:json|xml|yaml|x-yaml|sql|[\w.-]+\+(?:json|xml)))$/
const MEDIA_TYPE = /^[a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,100}$/

/** `head` is the beginning of the file, `claimed` the declared media type. */
export function detectMediaType(head: Buffer, declared: string): string {
  const declaredType = textBefore(declared, ';').trim().toLowerCase()
  const first = head.subarray(0, LONGEST_SIGNATURE).toString('latin1')
  const found = SIGNATURES.find(([, signature]) => signature.test(first))?.[0]
  if (found !== undefined) return CONTAINED_TYPES[found]?.test(declaredType) === true ? declaredType : found
  const recording = formatOfRecording(head)
  if (recording !== null) return recording.media_type
  if (isText(head)) return TEXT.test(declaredType) || declaredType === 'image/svg+xml' ? declaredType : 'text/plain'
  const isRefuted =
    RECOGNIZED.has(declaredType) ||
    TEXT.test(declaredType) ||
    Object.values(CONTAINED_TYPES).some((it) => it.test(declaredType))
  return isRefuted || !MEDIA_TYPE.test(declaredType) || declaredType.startsWith('image/')
    ? 'application/octet-stream'
    : declaredType
}

/** UTF-8 without NUL; a character that the head cuts in two is tolerated. */
function isText(head: Buffer): boolean {
  const text = head.toString()
  const whole = head.length < HEAD_BYTES ? text : text.replace(/\ufffd{1,3}$/, '')
  return !/[\0\ufffd]/.test(whole)
}

/** An image is a type that a browser draws without running code: SVG is a document. */
export function chatFileType(type: string): 'image' | 'document' | 'plain_text' | 'tabular' {
  if (RECOGNIZED.has(type) && type.startsWith('image/')) return 'image'
  if (/csv|tab-separated|spreadsheet|ms-excel/.test(type)) return 'tabular'
  return /^(?:text\/(?!html)|application\/(?:json|xml|x-yaml|yaml|sql)$)/.test(type) ? 'plain_text' : 'document'
}

export const isRecordingType = (type: string): boolean => /^(?:audio|video)\//.test(type)
