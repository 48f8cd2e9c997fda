// What kind of file is it? Its first bytes decide; what the sender says counts where they leave it open.

/** So many bytes at most are looked at. */
export const HEAD_BYTES = 4_096

/** Over the first bytes, each as a character. */
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

/** What such a container may hold: there the sender is believed. */
const INSIDE: Readonly<Record<string, RegExp>> = {
  'application/zip': /^application\/(?:vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.[\w.-]+|epub\+zip)$/,
  'application/x-ole-storage': /^application\/(?:msword|vnd\.ms-[\w.-]+)$/,
}

const RECOGNIZED = new Set(SIGNATURES.map(([type]) => type))
const TEXT = /^(?:text\/[\w.+-]+|message\/rfc822|application\/(?:json|xml|yaml|x-yaml|sql|[\w.-]+\+(?:json|xml)))$/
const TYPE = /^[a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,100}$/

/** `head` is how the file begins, `claimed` the media type that came with it. */
export function mediaTypeOf(head: Buffer, claimed: string): string {
  const said = claimed.split(';', 1)[0]!.trim().toLowerCase()
  const first = head.subarray(0, LONGEST_SIGNATURE).toString('latin1')
  const found = SIGNATURES.find(([, signature]) => signature.test(first))?.[0]
  if (found !== undefined) return INSIDE[found]?.test(said) === true ? said : found
  if (isText(head)) return TEXT.test(said) || said === 'image/svg+xml' ? said : 'text/plain'
  const isRefuted = RECOGNIZED.has(said) || TEXT.test(said) || Object.values(INSIDE).some((it) => it.test(said))
  return isRefuted || !TYPE.test(said) || said.startsWith('image/') ? 'application/octet-stream' : said
}

/** UTF-8 without NUL; a character that the head cuts in two is none of the file's faults. */
function isText(head: Buffer): boolean {
  const text = head.toString()
  const whole = head.length < HEAD_BYTES ? text : text.replace(/\ufffd{1,3}$/, '')
  return !/[\0\ufffd]/.test(whole)
}

/** An image is one that a browser draws without running anything: SVG is a document. */
export function chatFileType(type: string): 'image' | 'document' | 'plain_text' | 'tabular' {
  if (RECOGNIZED.has(type) && type.startsWith('image/')) return 'image'
  if (/csv|tab-separated|spreadsheet|ms-excel/.test(type)) return 'tabular'
  return /^(?:text\/(?!html)|application\/(?:json|xml|x-yaml|yaml|sql)$)/.test(type) ? 'plain_text' : 'document'
}
