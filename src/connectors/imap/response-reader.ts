// Parses IMAP responses: https://www.rfc-editor.org/rfc/rfc3501#section-4
import type { Socket } from 'node:net'
import { SourceError } from '../connector.ts'

/** An atom, number or quoted string; a literal; NIL; a list. */
export type ImapValue = string | Buffer | null | ImapValue[]

/** A line of the server and its literals. */
export type ImapResponse = (string | Buffer)[]

const MAX_LINE = 32 << 20
const CRLF = Buffer.from('\r\n')
const LITERAL = /~?\{(\d+)\+?\}$/

export interface ResponseReader {
  /** Rejects when the connection ends or a literal is longer than `maxLiteral` bytes. */
  next(maxLiteral: number): Promise<ImapResponse>
}

export function createResponseReader(socket: Socket): ResponseReader {
  const chunks: AsyncIterator<Buffer> = socket.iterator({ destroyOnReturn: false })
  let rest: Buffer = Buffer.alloc(0)
  const nextChunk = async (): Promise<Buffer> => {
    const { done, value } = await chunks.next()
    if (done === true) throw new SourceError('unavailable', 'The mail server closed the connection.')
    return value
  }
  const bytes = async (count: number): Promise<Buffer> => {
    const parts = [rest]
    let length = rest.length
    while (length < count) {
      const chunk = await nextChunk()
      parts.push(chunk)
      length += chunk.length
    }
    const all = Buffer.concat(parts, length)
    rest = all.subarray(count)
    return all.subarray(0, count)
  }
  const line = async (): Promise<string> => {
    const parts: Buffer[] = []
    for (let length = 0; ; ) {
      const at = rest.indexOf(CRLF)
      if (at >= 0) {
        parts.push(rest.subarray(0, at))
        rest = rest.subarray(at + 2)
        return Buffer.concat(parts).toString('latin1')
      }
      // A trailing CR may belong to the next CRLF.
      const kept = rest.at(-1) === 13 ? 1 : 0
      parts.push(rest.subarray(0, rest.length - kept))
      length += rest.length - kept
      if (length > MAX_LINE) throw unexpectedImapAnswer('an endless line')
      rest = Buffer.concat([rest.subarray(rest.length - kept), await nextChunk()])
    }
  }
  return {
    async next(maxLiteral) {
      const response: ImapResponse = []
      for (;;) {
        const text = await line()
        const literal = LITERAL.exec(text)
        if (literal === null) return [...response, text]
        const count = Number(literal[1])
        if (count > maxLiteral) throw unexpectedImapAnswer(`a literal of ${count} bytes`)
        response.push(text.slice(0, literal.index), await bytes(count))
      }
    },
  }
}

const unexpectedImapAnswer = (what: string) => new SourceError('unexpected', `The mail server sent ${what}.`)

const TOKEN = / +|([()])|"((?:[^"\\]|\\.)*)"|([^ ()"]+)/gy

/** Enough for a megabyte of addresses; parsing this many takes less than a second. */
const MAX_VALUES = 2_000_000

export function parseResponse(response: ImapResponse): ImapValue[] {
  const root: ImapValue[] = []
  let list = root
  const outerLists: ImapValue[][] = []
  let count = 0
  const add = (value: ImapValue) => {
    if (++count > MAX_VALUES) throw unexpectedImapAnswer(`a line of more than ${MAX_VALUES} values`)
    list.push(value)
  }
  for (const part of response) {
    if (typeof part !== 'string') {
      add(part)
      continue
    }
    for (let at = 0; at < part.length; at = TOKEN.lastIndex) {
      TOKEN.lastIndex = at
      const [, bracket, quoted, atom] = TOKEN.exec(part) ?? []
      if (TOKEN.lastIndex === 0) throw unexpectedImapAnswer('an invalid IMAP response')
      if (bracket === '(') {
        const inner: ImapValue[] = []
        add(inner)
        outerLists.push(list)
        list = inner
      } else if (bracket === ')') {
        const outer = outerLists.pop()
        if (outer === undefined) throw unexpectedImapAnswer('an unexpected closing parenthesis')
        list = outer
      } else if (quoted !== undefined) add(quoted.replace(/\\(.)/g, '$1'))
      else if (atom !== undefined) add(atom.toUpperCase() === 'NIL' ? null : atom)
    }
  }
  if (outerLists.length > 0) throw unexpectedImapAnswer('an unclosed list')
  return root
}

/** Decodes a string that was read as Latin-1 bytes as UTF-8. */
export const textOfValue = (value: ImapValue | undefined): string =>
  typeof value === 'string'
    ? Buffer.from(value, 'latin1').toString('utf8')
    : Buffer.isBuffer(value)
      ? value.toString('utf8')
      : ''
