// What an IMAP server says, taken apart: https://www.rfc-editor.org/rfc/rfc3501#section-4
import type { Socket } from 'node:net'
import { SourceError } from './connector.ts'

/** An atom, a number or a quoted text; a literal; NIL; a list. */
export type Value = string | Buffer | null | Value[]

/** A line of the server, and the literals in it. */
export type Response = (string | Buffer)[]

const MAX_LINE = 32 << 20
const CRLF = Buffer.from('\r\n')
const LITERAL = /~?\{(\d+)\+?\}$/

export interface ResponseReader {
  /** Rejects when the connection ends, and where a literal is longer than `maxLiteral`. */
  next(maxLiteral: number): Promise<Response>
}

export function openReader(socket: Socket): ResponseReader {
  const chunks: AsyncIterator<Buffer> = socket.iterator({ destroyOnReturn: false })
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<Buffer> => {
    const { done, value } = await chunks.next()
    if (done === true) throw new SourceError('unavailable', 'The mail server closed the connection.')
    return value
  }
  const bytes = async (count: number): Promise<Buffer> => {
    const parts = [rest]
    let length = rest.length
    while (length < count) {
      const chunk = await more()
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
      // What may be the first half of the end stays.
      const kept = rest.at(-1) === 13 ? 1 : 0
      parts.push(rest.subarray(0, rest.length - kept))
      length += rest.length - kept
      if (length > MAX_LINE) throw unexpected('a line without end')
      rest = Buffer.concat([rest.subarray(rest.length - kept), await more()])
    }
  }
  return {
    async next(maxLiteral) {
      const response: Response = []
      for (;;) {
        const text = await line()
        const literal = LITERAL.exec(text)
        if (literal === null) return [...response, text]
        const count = Number(literal[1])
        if (count > maxLiteral) throw unexpected(`a text of ${count} bytes`)
        response.push(text.slice(0, literal.index), await bytes(count))
      }
    },
  }
}

const unexpected = (what: string) => new SourceError('unexpected', `The mail server answers ${what}.`)

const TOKEN = / +|([()])|"((?:[^"\\]|\\.)*)"|([^ ()"]+)/gy

export function valuesOf(response: Response): Value[] {
  const root: Value[] = []
  const open = [root]
  const add = (value: Value) => void open.at(-1)!.push(value)
  for (const part of response) {
    if (typeof part !== 'string') {
      add(part)
      continue
    }
    for (let at = 0; at < part.length; at = TOKEN.lastIndex) {
      TOKEN.lastIndex = at
      const [, bracket, quoted, atom] = TOKEN.exec(part) ?? []
      if (TOKEN.lastIndex === 0) throw unexpected('a line that is no IMAP')
      if (bracket === '(') {
        const list: Value[] = []
        add(list)
        open.push(list)
      } else if (bracket === ')') {
        open.pop()
        if (open.length === 0) throw unexpected('a list that was not begun')
      } else if (quoted !== undefined) add(quoted.replace(/\\(.)/g, '$1'))
      else if (atom !== undefined) add(atom.toUpperCase() === 'NIL' ? null : atom)
    }
  }
  if (open.length > 1) throw unexpected('a list that does not end')
  return root
}

/** Bytes that were read one for one, as UTF-8. */
export const textOf = (value: Value | undefined): string =>
  typeof value === 'string'
    ? Buffer.from(value, 'latin1').toString('utf8')
    : Buffer.isBuffer(value)
      ? value.toString('utf8')
      : ''
