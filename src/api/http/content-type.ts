// Parses the Content-Type header without a regular expression over the whole header.

/** RFC 6838 allows 127 characters for each half of a media type; only a charset parameter is accepted. */
export const MAX_CONTENT_TYPE = 200

export interface ContentType {
  /** Lower case, without parameters. */
  type: string
  isUtf8: boolean
}

/** Null if the header is too long or has more than one parameter. */
export function parseContentType(header: string): ContentType | null {
  if (header.length > MAX_CONTENT_TYPE) return null
  const [type, ...parameters] = header.split(';').map((it) => it.trim().toLowerCase())
  if (parameters.at(-1) === '') parameters.pop()
  if (type === undefined || parameters.length > 1) return null
  return { type, isUtf8: parameters.every((it) => UTF_8_PARAMETERS.has(it)) }
}

const UTF_8_PARAMETERS = new Set(['charset=utf-8', 'charset=utf8', 'charset="utf-8"', 'charset="utf8"'])

/** `application/json`, or a type with the suffix `+json` (RFC 6839). */
export const isJsonType = (type: string): boolean =>
  type === 'application/json' ||
  (type.startsWith('application/') && type.endsWith('+json') && isMediaTypeToken(type.slice(12, -5)))

const isMediaTypeToken = (text: string): boolean => /^[\w.+-]+$/.test(text)
