// A server of transcripts for tests: real HTTP, the documented wire format, scripted answers.
// https://platform.openai.com/docs/api-reference/audio/createTranscription
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export interface TranscriptionRequest {
  path: string
  headers: IncomingHttpHeaders
  fields: Record<string, string>
  file: { name: string; type: string; bytes: Buffer }
}

export interface TranscriptionAnswer {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

export type TranscriptionScript = (
  request: TranscriptionRequest,
  count: number,
) => TranscriptionAnswer | Promise<TranscriptionAnswer>

/** The answer in the format `verbose_json`. */
export const heard = (segments: readonly [start: number, text: string][], duration: number): TranscriptionAnswer => ({
  body: {
    task: 'transcribe',
    language: 'english',
    duration,
    text: segments.map(([, text]) => text).join(' '),
    segments: segments.map(([start, text], id) => ({ id, start, end: start + 1, text, avg_logprob: -0.2 })),
  },
})

export async function startTranscriptionServer(script: TranscriptionScript) {
  let current = script
  const requests: TranscriptionRequest[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const it of request) pieces.push(it)
    const parsed = await readForm(request.url ?? '', request.headers, Buffer.concat(pieces))
    requests.push(parsed)
    const { status = 200, headers = {}, body } = await current(parsed, requests.length - 1)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script(it: TranscriptionScript) {
      current = it
    },
  }
}

async function readForm(path: string, headers: IncomingHttpHeaders, body: Buffer): Promise<TranscriptionRequest> {
  const content = new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } })
  const fields: Record<string, string> = {}
  let file = { name: '', type: '', bytes: Buffer.alloc(0) }
  for (const [name, value] of await content.formData()) {
    if (typeof value === 'string') fields[name] = value
    else file = { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) }
  }
  return { path, headers, fields, file }
}
