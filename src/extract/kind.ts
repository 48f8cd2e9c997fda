// What is in these bytes? The content decides, then the name, then what the sender says.
import { decodeHead, isBinary } from './decode-text.ts'

export type Kind =
  | 'text'
  | 'markdown'
  | 'html'
  | 'csv'
  | 'tsv'
  | 'json'
  | 'xml'
  | 'yaml'
  | 'pdf'
  | 'zip'
  | 'ole'
  | 'rtf'
  | 'mail'
  | 'tar'
  | 'gzip'
  | 'image'
  | 'empty'
  | 'unknown'

export const HEAD_BYTES = 8_192

const SIGNATURES: readonly [kind: Kind, head: RegExp][] = [
  ['zip', /^PK(?:\x03\x04|\x05\x06|\x07\x08PK)/],
  ['gzip', /^\x1f\x8b\x08/],
  ['ole', /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/],
  ['rtf', /^\s*\{\\rtf/],
  [
    'image',
    /^(?:\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF.{4}WEBP|II\*\0|MM\0\*|BM.{4}\0\0\0\0|.{4}ftyp(?:avif|heic|heix|mif1))/s,
  ],
  // Readers take a header within the first kilobyte; what precedes it may be anything.
  ['pdf', /^.{0,1020}%PDF-\d/s],
  ['tar', /^.{257}ustar/s],
]

const BY_EXTENSION: Readonly<Record<string, Kind>> = {
  md: 'markdown',
  markdown: 'markdown',
  htm: 'html',
  html: 'html',
  xhtml: 'html',
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
  xml: 'xml',
  svg: 'xml',
  rss: 'xml',
  atom: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
  eml: 'mail',
  pdf: 'pdf',
  rtf: 'rtf',
  tar: 'tar',
  gz: 'gzip',
  tgz: 'gzip',
  zip: 'zip',
  docx: 'zip',
  docm: 'zip',
  pptx: 'zip',
  pptm: 'zip',
  xlsx: 'zip',
  xlsm: 'zip',
  odt: 'zip',
  ods: 'zip',
  odp: 'zip',
  epub: 'zip',
  msg: 'ole',
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
  gif: 'image',
  webp: 'image',
  txt: 'text',
  text: 'text',
  log: 'text',
}

const BY_TYPE: readonly [kind: Kind, type: RegExp][] = [
  ['html', /^(?:text\/html|application\/xhtml\+xml)$/],
  ['markdown', /^text\/(?:x-)?markdown$/],
  ['csv', /^(?:text|application)\/csv$/],
  ['tsv', /^text\/tab-separated-values$/],
  ['json', /^application\/(?:[\w.-]+\+)?(?:x-)?(?:json|ndjson|jsonl)$/],
  ['yaml', /^(?:text|application)\/(?:x-)?yaml$/],
  ['xml', /^(?:text\/xml|application\/xml|[\w.-]+\/[\w.-]+\+xml)$/],
  ['mail', /^message\/rfc822$/],
  ['pdf', /^application\/pdf$/],
  ['image', /^image\/(?!svg)/],
]
const TEXTS: ReadonlySet<Kind> = new Set(['text', 'markdown', 'html', 'csv', 'tsv', 'json', 'xml', 'yaml', 'mail'])

export interface Claim {
  name: string
  mediaType: string | null
}

/** `mismatch` tells what the claim says instead, where the content refutes it. */
export function kindOf(head: Buffer, claim: Claim): { kind: Kind; mismatch: string | null } {
  const said = claimedKind(claim)
  const kind = contentKind(head, said)
  const isRefuted = said !== null && said !== kind && !isKin(said, kind) && kind !== 'empty'
  return { kind, mismatch: isRefuted ? `said to be ${said}, holds ${kind}` : null }
}

/** An office document that has a password is in the container of the old ones. */
const isKin = (said: Kind, kind: Kind): boolean =>
  (TEXTS.has(said) && TEXTS.has(kind)) || (said === 'zip' && kind === 'ole')

/** It tells what is in an archive: whoever opened that reads it as it is written. */
const LIST = /(?:^|\/)\.onyx_metadata\.json$/

function claimedKind({ name, mediaType }: Claim): Kind | null {
  if (LIST.test(name)) return 'text'
  const extension = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  if (Object.hasOwn(BY_EXTENSION, extension)) return BY_EXTENSION[extension] ?? null
  const type = (mediaType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return BY_TYPE.find(([, pattern]) => pattern.test(type))?.[0] ?? null
}

function contentKind(head: Buffer, said: Kind | null): Kind {
  if (head.length === 0) return 'empty'
  const first = head.subarray(0, 1_100).toString('latin1')
  const found = SIGNATURES.find(([, signature]) => signature.test(first))?.[0]
  if (found !== undefined) return found
  // The oldest archives have no signature.
  if (said === 'tar' && head.length >= 512) return 'tar'
  if (isBinary(head) && !(said !== null && TEXTS.has(said) && isNearlyText(head))) return 'unknown'
  return textKind(decodeHead(head), said)
}

/** A log with a few zeros in it is still one, if it is called so. */
const isNearlyText = (head: Buffer): boolean => head.filter((byte) => byte === 0).length * 20 < head.length

/** Comments can be read in one way only, or a thousand of them would take forever. */
const COMMENTS = '(?:<!--(?:[^-]|-(?!->))*-->\\s*)*'
const MARKUP = new RegExp(`^\\s*${COMMENTS}<(?:!doctype html|html|head|body)\\b`, 'i')
const XHTML = new RegExp(
  `^\\s*<\\?xml[^>]*>\\s*${COMMENTS}(?:<!doctype html\\b[^>]*>\\s*)?<(?:html|!doctype html)\\b`,
  'i',
)
const XML = /^\s*<\?xml\b/
const MAIL_HEADER =
  /^(?:return-path|received|delivered-to|from|date|message-id|mime-version|subject|to|x-[\w-]+|dkim-signature|content-type|reply-to):\s/i

function textKind(text: string, said: Kind | null): Kind {
  if (said === 'mail' || (said === null && isMail(text))) return 'mail'
  if (said === 'markdown' || said === 'csv' || said === 'tsv' || said === 'yaml' || said === 'json') return said
  if (MARKUP.test(text) || XHTML.test(text)) return 'html'
  if (XML.test(text)) return said === 'html' ? 'html' : 'xml'
  return said !== null && TEXTS.has(said) ? said : 'text'
}

/** It begins with header fields, and has those that every message has. */
function isMail(text: string): boolean {
  const headers = text.split(/\r?\n\r?\n/, 1)[0] ?? ''
  return MAIL_HEADER.test(text) && /^from:/im.test(headers) && /^(?:date|message-id):/im.test(headers)
}
