// A language model for tests: real HTTP, the documented wire, and answers by a script.
// https://platform.openai.com/docs/api-reference/chat and …/chat-streaming
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

// biome-ignore lint/suspicious/noExplicitAny: what was asked is what the tests are about to find out.
type Json = any

export interface Asked {
  /** As it was sent: /v1/chat/completions?… */
  path: string
  headers: IncomingHttpHeaders
  body: {
    model: string
    messages: Json[]
    stream?: boolean
    stream_options?: Json
    tools?: Json[]
    tool_choice?: Json
    temperature?: number
    max_tokens?: number
    max_completion_tokens?: number
  }
  /** Set when the client left before the end. */
  isLeft: boolean
}

/** One thing that the server does with an answer. */
export type Step =
  /** A chunk of the stream, as JSON. */
  | { chunk: Json }
  /** These bytes, as they are. */
  | { raw: string | Buffer }
  | { waitMs: number }
  /** Nothing more, and the connection stays. */
  | { hang: true }
  /** The connection is cut. */
  | { cut: true }

export interface Script {
  status?: number
  headers?: Record<string, string>
  /** Ends the answer after the last one. */
  steps: readonly Step[]
}

/** The answer to a request; a list is used from its beginning, its last one for ever. */
export type Scripts = readonly Script[] | ((asked: Asked, count: number) => Script | Promise<Script>)

export interface ModelServer {
  /** For LLM_URL and `api_base`. */
  url: string
  env(model?: string): { LLM_URL: string; LLM_MODEL: string }
  /** Everything that was asked, in order. */
  asked: Asked[]
  /** What it answers from now on. */
  script(scripts: Scripts): void
  end(): Promise<void>
}

/** For tests: ends with the test or file that began it. */
export async function modelServer(scripts: Scripts = [says('Yes.')]): Promise<ModelServer> {
  const server = await openModelServer(scripts)
  after(() => server.end())
  return server
}

/** For everything that is not a test: the caller must call `end`. */
export async function openModelServer(scripts: Scripts): Promise<ModelServer> {
  let [current, count] = [scripts, 0]
  const asked: Asked[] = []
  const next = async (it: Asked): Promise<Script> => {
    const at = count++
    return typeof current === 'function' ? current(it, at) : (current[at] ?? current.at(-1)!)
  }
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const it of request) pieces.push(it as Buffer)
    const body = JSON.parse(Buffer.concat(pieces).toString() || '{}')
    const it: Asked = { path: request.url ?? '', headers: request.headers, body, isLeft: false }
    asked.push(it)
    response.on('close', () => {
      it.isLeft = !response.writableFinished
    })
    response.on('error', () => {})
    await play(await next(it), response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    url,
    env: (model = 'scripted') => ({ LLM_URL: url, LLM_MODEL: model }),
    asked,
    script(scripts) {
      current = scripts
      count = 0
    },
    async end() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function play({ status = 200, headers = STREAM, steps }: Script, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers).flushHeaders()
  for (const step of steps) {
    if (response.destroyed) return
    if ('hang' in step) return
    if ('cut' in step) return void response.socket?.destroy()
    if ('waitMs' in step) await delay(step.waitMs)
    else if (!response.write('raw' in step ? step.raw : `data: ${JSON.stringify(step.chunk)}\n\n`)) {
      await roomIn(response)
    }
  }
  response.end()
}

const roomIn = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })

export const STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
const JSON_TYPE = { 'content-type': 'application/json' }
export const DONE: Step = { raw: 'data: [DONE]\n\n' }

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'scripted' }

/** A chunk whose first choice has that delta. */
export const delta = (it: Json, finish_reason: string | null = null): Step => ({
  chunk: { ...HEAD, choices: [{ index: 0, delta: it, finish_reason }] },
})
export const text = (content: string): Step => delta({ content })
export const finish = (reason = 'stop'): Step => delta({}, reason)
export const usage = (prompt_tokens: number, completion_tokens: number): Step => ({
  chunk: {
    ...HEAD,
    choices: [],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  },
})

/** So many letters a piece. */
export const inPieces = (content: string, length = 7): string[] =>
  content.match(new RegExp(`.{1,${length}}`, 'gsu')) ?? []

/** The whole stream of an ordinary answer. */
export const says = (content: string, { input = 20, output = 5 } = {}): Script => ({
  steps: [
    delta({ role: 'assistant', content: '' }),
    ...inPieces(content).map(text),
    finish(),
    usage(input, output),
    DONE,
  ],
})

export interface ScriptedCall {
  id?: string
  name: string
  /** A text stays as it is, whatever it holds. */
  arguments: Json
}

/** Wants these called; the arguments come in pieces, as they do. */
export const calls = (...wanted: ScriptedCall[]): Script => ({
  steps: [
    delta({ role: 'assistant', content: null }),
    ...wanted.flatMap(({ id, name, arguments: args }, index) => [
      delta({
        tool_calls: [{ index, id: id ?? `call_${index}`, type: 'function', function: { name, arguments: '' } }],
      }),
      ...inPieces(typeof args === 'string' ? args : JSON.stringify(args), 10).map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    finish('tool_calls'),
    usage(20, 5),
    DONE,
  ],
})

/** In one piece, as a server answers that does not stream. */
export const whole = (message: Json, more: Json = {}): Script => ({
  headers: JSON_TYPE,
  steps: [
    {
      raw: JSON.stringify({
        ...HEAD,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 },
        ...more,
      }),
    },
  ],
})

/** An error as the wire has it: https://platform.openai.com/docs/guides/error-codes */
export const fails = (
  status: number,
  message: string,
  more: Json = {},
  headers: Record<string, string> = {},
): Script => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  steps: [{ raw: JSON.stringify({ error: { message, type: 'error', param: null, code: null, ...more } }) }],
})
