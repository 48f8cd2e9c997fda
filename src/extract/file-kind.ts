// Detects the kind of a file: from the content, then the name, then the media type.
import { formatOfRecording } from '../domain/made-texts/recording-format.ts'
import { decodeFirstBytes, isBinary } from './text/decode-text.ts'

export type FileKind =
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
  | 'recording'
  | 'empty'
  /** The next three cannot be detected and must be requested. */
  | 'records'
  | 'storage-format'
  | 'wiki-text'
  | 'unknown'

export const HEAD_BYTES = 8_192

const SIGNATURES: readonly [kind: FileKind, head: RegExp][] = [
  ['zip', /^PK(?:\x03\x04|\x05\x06|\x07\x08PK)/],
  ['gzip', /^\x1f\x8b\x08/],
  ['ole', /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/],
  ['rtf', /^\s*\{\\rtf/],
  [
    'image',
    /^(?:\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF.{4}WEBP|II\*\0|MM\0\*|BM.{4}\0\0\0\0|.{4}ftyp(?:avif|heic|heix|mif1))/s,
  ],
  // PDF readers accept a header anywhere in the first kilobyte.
  ['pdf', /^.{0,1020}%PDF-\d/s],
  ['tar', /^.{257}ustar/s],
]

const BY_EXTENSION: Readonly<Record<string, FileKind>> = {
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
  fodt: 'xml',
  fods: 'xml',
  fodp: 'xml',
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
  xlsb: 'zip',
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
  mp3: 'recording',
  mpga: 'recording',
  m4a: 'recording',
  mp4: 'recording',
  wav: 'recording',
  ogg: 'recording',
  oga: 'recording',
  opus: 'recording',
  flac: 'recording',
  webm: 'recording',
  txt: 'text',
  text: 'text',
  log: 'text',
}

const BY_MEDIA_TYPE: readonly [kind: FileKind, type: RegExp][] = [
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
  ['recording', /^(?:audio|video)\//],
]
const TEXT_KINDS: ReadonlySet<FileKind> = new Set([
  'text',
  'markdown',
  'html',
  'csv',
  'tsv',
  'json',
  'xml',
  'yaml',
  'mail',
])

export interface DeclaredType {
  name: string
  mediaType: string | null
}

/** `mismatch` describes a contradiction between the declared type and the content. */
export function detectFileKind(head: Buffer, declared: DeclaredType): { kind: FileKind; mismatch: string | null } {
  const declaredKind = kindOfDeclaration(declared)
  const kind = kindOfContent(head, declaredKind)
  const isMismatch =
    declaredKind !== null && declaredKind !== kind && !isCompatible(declaredKind, kind) && kind !== 'empty'
  return { kind, mismatch: isMismatch ? `declared as ${declaredKind}, contains ${kind}` : null }
}

/** Encrypted Office documents use the OLE container. */
const isCompatible = (declared: FileKind, kind: FileKind): boolean =>
  (TEXT_KINDS.has(declared) && TEXT_KINDS.has(kind)) || (declared === 'zip' && kind === 'ole')

/** The metadata file of an archive must stay unchanged text. */
const METADATA_LIST = /(?:^|\/)\.onyx_metadata\.json$/

function kindOfDeclaration({ name, mediaType }: DeclaredType): FileKind | null {
  if (METADATA_LIST.test(name)) return 'text'
  const extension = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  if (Object.hasOwn(BY_EXTENSION, extension)) return BY_EXTENSION[extension] ?? null
  const type = (mediaType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return BY_MEDIA_TYPE.find(([, pattern]) => pattern.test(type))?.[0] ?? null
}

function kindOfContent(head: Buffer, declared: FileKind | null): FileKind {
  if (head.length === 0) return 'empty'
  if (formatOfRecording(head) !== null) return 'recording'
  const first = head.subarray(0, 1_100).toString('latin1')
  const found = SIGNATURES.find(([, signature]) => signature.test(first))?.[0]
  if (found !== undefined) return found
  // Pre-POSIX tar archives have no signature.
  if (declared === 'tar' && head.length >= 512) return 'tar'
  if (isBinary(head) && !(declared !== null && TEXT_KINDS.has(declared) && isNearlyText(head))) return 'unknown'
  return kindOfTextContent(decodeFirstBytes(head), declared)
}

/** Declared text may contain a few zero bytes. */
const isNearlyText = (head: Buffer): boolean => head.filter((byte) => byte === 0).length * 20 < head.length

/** Matches a comment in only one way, to keep the expression linear. */
const COMMENTS = '(?:<!--(?:[^-]|-(?!->))*-->\\s*)*'
const MARKUP = new RegExp(`^\\s*${COMMENTS}<(?:!doctype html|html|head|body)\\b`, 'i')
const XHTML = new RegExp(
  `^\\s*<\\?xml[^>]*>\\s*${COMMENTS}(?:<!doctype html\\b[^>]*>\\s*)?<(?:html|!doctype html)\\b`,
  'i',
)
const XML = /^\s*<\?xml\b/
const MAIL_HEADER =
  /^(?:return-path|received|delivered-to|from|date|message-id|mime-version|subject|to|x-[\w-]+|dkim-signature|content-type|reply-to):\s/i

function kindOfTextContent(text: string, declared: FileKind | null): FileKind {
  if (declared === 'mail' || (declared === null && isMail(text))) return 'mail'
  if (declared === 'markdown' || declared === 'csv' || declared === 'tsv' || declared === 'yaml' || declared === 'json')
    return declared
  if (MARKUP.test(text) || XHTML.test(text)) return 'html'
  if (XML.test(text)) return declared === 'html' ? 'html' : 'xml'
  return declared !== null && TEXT_KINDS.has(declared) ? declared : 'text'
}

/** Starts with header fields and has those that every message has. */
function isMail(text: string): boolean {
  const headers = text.split(/\r?\n\r?\n/, 1)[0] ?? ''
  return MAIL_HEADER.test(text) && /^from:/im.test(headers) && /^(?:date|message-id):/im.test(headers)
}
