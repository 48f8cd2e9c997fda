// A chat client that behaves like existing clients: it reads lines of JSON as they arrive and may disconnect at any line.
import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'

// biome-ignore lint/suspicious/noExplicitAny: each test checks the line.
export type Line = any

/** The messages of a session without the root message. */
export function withoutRoot(session: Line): Line {
  const [{ message_id, message_type, parent_message, message, latest_child_message }, ...messages] = session.messages
  assert.deepEqual([message_id, message_type, parent_message, message], [0, 'system', null, ''])
  assert.equal(latest_child_message, session.latest_child_message)
  return { ...session, messages }
}

export interface Stream {
  status: number
  headers: IncomingMessage['headers']
  /** The next line; undefined after the last one. */
  next(): Promise<Line | undefined>
  /** Reads until a line meets the condition, and returns it. */
  until(isSo: (line: Line) => boolean): Promise<Line>
  /** Returns all remaining lines. */
  rest(): Promise<Line[]>
  /** Ends the connection. */
  leave(): void
  /** Returns all bytes after the end. */
  text(): Promise<string>
}

export type StreamRequester = (
  method: string,
  path: string,
  question?: { body?: unknown; key?: string; headers?: Record<string, string> },
) => Promise<Stream>

export const createStreamRequester =
  ({ url, key }: { url: string; key: string }): StreamRequester =>
  (method, path, question = {}) =>
    new Promise((resolve, reject) => {
      const payload = question.body === undefined ? undefined : JSON.stringify(question.body)
      const headers = {
        authorization: `Bearer ${question.key ?? key}`,
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...question.headers,
      }
      const sent = request(`${url}${path}`, { method, headers, agent: false }, (response) =>
        resolve(streamOf(response, () => sent.destroy())),
      )
      sent.on('error', reject)
      sent.end(payload)
    })

function streamOf(response: IncomingMessage, leave: () => void): Stream {
  let text = ''
  let taken = 0
  let isEnded = false
  let wake = () => {}
  response.setEncoding('utf8')
  response.on('data', (piece: string) => {
    text += piece
    wake()
  })
  const end = () => {
    isEnded = true
    wake()
  }
  response.on('end', end)
  response.on('close', end)
  response.on('error', end)
  const next = async (): Promise<Line | undefined> => {
    for (;;) {
      const at = text.indexOf('\n', taken)
      if (at >= 0) {
        const line = text.slice(taken, at)
        taken = at + 1
        return JSON.parse(line)
      }
      if (isEnded) return undefined
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    next,
    async until(isSo) {
      for (let line = await next(); line !== undefined; line = await next()) if (isSo(line)) return line
      assert.fail(`the stream ended without such a line: ${text}`)
    },
    async rest() {
      const lines: Line[] = []
      for (let line = await next(); line !== undefined; line = await next()) lines.push(line)
      return lines
    },
    leave,
    async text() {
      while (!isEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return text
    },
  }
}

export const typeOf = (line: Line): string => line.obj?.type ?? Object.keys(line)[0]
export const isType = (type: string) => (line: Line) => typeOf(line) === type
/** The text that a person reads. */
export const wordsOf = (lines: readonly Line[]): string =>
  lines.map((it) => (it.obj?.type === 'message_delta' ? it.obj.content : '')).join('')
