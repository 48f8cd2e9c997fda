// A fake embedding server with the documented wire format: https://platform.openai.com/docs/api-reference/embeddings
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export interface Asked {
  model: string
  input: string[]
  key: string | undefined
}

/** `models` maps the known models to the dimension of their vectors. */
export async function startEmbeddingServer(models: Record<string, number>, port = 0) {
  const seen: Asked[] = []
  const script = { before: (_: Asked): Promise<void> | void => {} }
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const it of request) pieces.push(it as Buffer)
    const { model, input } = JSON.parse(Buffer.concat(pieces).toString()) as Omit<Asked, 'key'>
    const asked = { model, input, key: request.headers.authorization }
    seen.push(asked)
    await script.before(asked)
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const dimension = models[model]
    if (dimension === undefined) return answer(404, { error: { message: `there is no model ${model}` } })
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: Array.from({ length: dimension }, (_, at) => (text.codePointAt(at % text.length) ?? 0) + at),
    }))
    return answer(200, { object: 'list', data })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const end = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  after(() => server.listening && end())
  const { port: own } = server.address() as AddressInfo
  const env = (model: string) => ({
    EMBEDDING: 'openai',
    EMBEDDING_URL: `http://127.0.0.1:${own}/v1`,
    EMBEDDING_MODEL: model,
  })
  return { seen, script, end, env, port: own }
}
export type EmbeddingServer = Awaited<ReturnType<typeof startEmbeddingServer>>
