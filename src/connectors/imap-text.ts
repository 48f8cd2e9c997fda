// How mail writes what is not ASCII, in names of mailboxes and in headers.

/** Modified UTF-7: https://www.rfc-editor.org/rfc/rfc3501#section-5.1.3 */
export function decodeMailbox(name: string): string {
  const text = name.replace(/&([A-Za-z0-9+,]*)-/g, (_, base64: string) => {
    if (base64 === '') return '&'
    const bytes = Buffer.from(base64.replaceAll(',', '/'), 'base64')
    return bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString('utf16le')
  })
  // A server that speaks UTF-8 writes it as it is.
  return /[\x80-\xff]/.test(name) ? Buffer.from(text, 'latin1').toString('utf8') : text
}

const WORD = /=\?([\w.-]+)(?:\*[\w-]*)?\?([bq])\?([^?]*)\?=/gi

/** Encoded words: https://www.rfc-editor.org/rfc/rfc2047 */
export const decodeWords = (text: string): string =>
  text
    // Space between two of them is none of the text.
    .replace(/(\?=)\s+(?==\?[\w.-]+(?:\*[\w-]*)?\?[bq]\?)/gi, '$1')
    .replace(WORD, (whole, charset: string, kind: string, data: string) => {
      const bytes = kind.toLowerCase() === 'b' ? Buffer.from(data, 'base64') : quotedBytes(data)
      try {
        return new TextDecoder(charset).decode(bytes)
      } catch {
        // A character set that nobody knows.
        return whole
      }
    })

const quotedBytes = (data: string): Buffer =>
  Buffer.from(
    data
      .replaceAll('_', ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
