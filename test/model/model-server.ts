// A language model server for tests: real HTTP, the documented wire format, and scripted answers.
// https://platform.openai.com/docs/api-reference/chat and …/chat-streaming
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

// biome-ignore lint/suspicious/noExplicitAny: each test checks the request.
type Json = any

export interface ModelRequest {
  /** The path as sent: /v1/chat/completions?… */
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
  /** Set when the client disconnects early. */
  isAbandoned: boolean
}

/** One step of an answer. */
export type ScriptStep =
  /** A chunk of the stream, as JSON. */
  | { chunk: Json }
  /** Raw bytes. */
  | { raw: string | Buffer }
  | { waitMs: number }
  /** Sends nothing more and keeps the connection open. */
  | { hang: true }
  /** Cuts the connection. */
  | { cut: true }

export interface ModelScript {
  status?: number
  headers?: Record<string, string>
  /** The answer ends after the last step. */
  steps: readonly ScriptStep[]
}

/** Answers to requests: a list is used in order, and its last entry repeats. */
export type ModelScripts =
  | readonly ModelScript[]
  | ((asked: ModelRequest, count: number) => ModelScript | Promise<ModelScript>)

export interface ModelServer {
  /** For LLM_URL and `api_base`. */
  url: string
  env(model?: string): { LLM_URL: string; LLM_MODEL: string }
  /** All requests in order. */
  requests: ModelRequest[]
  /** Replaces the answers from now on. */
  script(scripts: ModelScripts): void
  end(): Promise<void>
}

/** For tests: closes after the test or file that started it. */
export async function startModelServer(scripts: ModelScripts = [says('Yes.')]): Promise<ModelServer> {
  const server = await openModelServer(scripts)
  after(() => server.end())
  return server
}

/** For everything else: the caller must call `end`. */
export async function openModelServer(scripts: ModelScripts): Promise<ModelServer> {
  let [current, count] = [scripts, 0]
  const asked: ModelRequest[] = []
  const next = async (it: ModelRequest): Promise<ModelScript> => {
    const at = count++
    return typeof current === 'function' ? current(it, at) : (current[at] ?? current.at(-1)!)
  }
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const it of request) pieces.push(it as Buffer)
    const body = JSON.parse(Buffer.concat(pieces).toString() || '{}')
    const it: ModelRequest = { path: request.url ?? '', headers: request.headers, body, isAbandoned: false }
    asked.push(it)
    response.on('close', () => {
      it.isAbandoned = !response.writableFinished
    })
    response.on('error', () => {})
    await play(await next(it), response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    url,
    env: (model = 'scripted') => ({ LLM_URL: url, LLM_MODEL: model }),
    requests: asked,
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

async function play({ status = 200, headers = STREAM, steps }: ModelScript, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers).flushHeaders()
  for (const step of steps) {
    if (response.destroyed) return
    if ('hang' in step) return
    if ('cut' in step) return void response.socket?.destroy()
    if ('waitMs' in step) await delay(step.waitMs)
    else if (!response.write('raw' in step ? step.raw : `data: ${JSON.stringify(step.chunk)}\n\n`)) {
      await waitForDrain(response)
    }
  }
  response.end()
}

const waitForDrain = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })

export const STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
const JSON_TYPE = { 'content-type': 'application/json' }
export const DONE: ScriptStep = { raw: 'data: [DONE]\n\n' }

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'scripted' }

/** A chunk whose first choice has this delta. */
export const delta = (it: Json, finish_reason: string | null = null): ScriptStep => ({
  chunk: { ...HEAD, choices: [{ index: 0, delta: it, finish_reason }] },
})
export const text = (content: string): ScriptStep => delta({ content })
export const finish = (reason = 'stop'): ScriptStep => delta({}, reason)
export const usage = (prompt_tokens: number, completion_tokens: number): ScriptStep => ({
  chunk: {
    ...HEAD,
    choices: [],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  },
})

/** Splits a text into pieces of this length. */
export const inPieces = (content: string, length = 7): string[] =>
  content.match(new RegExp(`.{1,${length}}`, 'gsu')) ?? []

/** The complete stream of an ordinary answer. */
export const says = (content: string, { input = 20, output = 5 } = {}): ModelScript => ({
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
  /** A string is sent unchanged. */
  arguments: Json
}

/** Requests these calls; the arguments arrive in pieces. */
export const calls = (...wanted: ScriptedCall[]): ModelScript => ({
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

/** A complete answer of a server that does not stream. */
export const unstreamed = (message: Json, more: Json = {}): ModelScript => ({
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

/** The list of a server's models: https://platform.openai.com/docs/api-reference/models/list */
export const lists = (...ids: string[]): ModelScript => ({
  headers: JSON_TYPE,
  steps: [{ raw: JSON.stringify({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) }) }],
})

/** An error in the documented format: https://platform.openai.com/docs/guides/error-codes */
export const fails = (
  status: number,
  message: string,
  more: Json = {},
  headers: Record<string, string> = {},
): ModelScript => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  steps: [{ raw: JSON.stringify({ error: { message, type: 'error', param: null, code: null, ...more } }) }],
})
