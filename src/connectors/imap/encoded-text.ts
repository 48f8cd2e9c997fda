// Decodes non-ASCII text in mailbox names and mail headers.

/** Modified UTF-7: https://www.rfc-editor.org/rfc/rfc3501#section-5.1.3 */
export function decodeMailboxName(name: string): string {
  const text = name.replace(/&([A-Za-z0-9+,]*)-/g, (_, base64: string) => {
    if (base64 === '') return '&'
    const bytes = Buffer.from(base64.replaceAll(',', '/'), 'base64')
    return bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString('utf16le')
  })
  // Servers with UTF8=ACCEPT send names as UTF-8.
  return /[\x80-\xff]/.test(name) ? Buffer.from(text, 'latin1').toString('utf8') : text
}

const ENCODED_WORD = /=\?([\w.-]+)(?:\*[\w-]*)?\?([bq])\?([^?]*)\?=/gi

/** Encoded words: https://www.rfc-editor.org/rfc/rfc2047 */
export const decodeEncodedWords = (text: string): string =>
  text
    // White space between two encoded words is ignored.
    .replace(/(\?=)\s+(?==\?[\w.-]+(?:\*[\w-]*)?\?[bq]\?)/gi, '$1')
    .replace(ENCODED_WORD, (whole, charset: string, kind: string, data: string) => {
      const bytes = kind.toLowerCase() === 'b' ? Buffer.from(data, 'base64') : decodeQ(data)
      try {
        return new TextDecoder(charset).decode(bytes)
      } catch {
        // Unknown character set.
        return whole
      }
    })

const decodeQ = (data: string): Buffer =>
  Buffer.from(
    data
      .replaceAll('_', ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
