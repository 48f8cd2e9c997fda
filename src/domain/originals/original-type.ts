// How a browser gets a stored file: shown if that is safe whatever the file holds, saved otherwise.
import { detectMediaType } from '../values/media-type.ts'

export interface OriginalType {
  /** The value of Content-Type. */
  type: string
  isShown: boolean
}

/** Kinds that browsers draw without running code of the file. */
const SHOWN = new Set(['application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const PLAIN_TEXT = new Set(['text/plain', 'text/markdown', 'text/x-markdown'])
/** Names of files that programs may run or render, whatever their type is. */
const ACTIVE_NAME = /\.(?:x?html?|shtml|svgz?|xml|xslt?|mhtml?|eml|m?js|css)$/i
/** Types that a browser might render if a header were lost. */
const ACTIVE_TYPE =
  /^(?:text\/(?:html|xml|javascript|css)|message\/rfc822|image\/svg\+xml|application\/(?:xml|[\w.-]+\+xml))$/
const UNKNOWN = 'application/octet-stream'

/** `head` is the beginning of the file: its first `HEAD_BYTES` bytes. `declared`: the media type that was stored. */
export function originalType(head: Buffer, { name, declared }: { name: string; declared: string }): OriginalType {
  const type = detectMediaType(head, declared)
  if (SHOWN.has(type)) return { type, isShown: true }
  if (PLAIN_TEXT.has(type)) {
    const isShown = !ACTIVE_NAME.test(name) && !beginsWithTag(head)
    return isShown ? { type: 'text/plain; charset=utf-8', isShown } : { type: UNKNOWN, isShown }
  }
  return { type: ACTIVE_TYPE.test(type) ? UNKNOWN : type, isShown: false }
}

/** HTML, SVG and XML begin so, behind white space and a byte order mark. */
const beginsWithTag = (head: Buffer): boolean => head.toString().replace('\ufeff', '').trimStart().startsWith('<')
