// A fake JSON API whose responses a test can replace.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import type { Answer } from './site.ts'

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape.
export type Json = any

export interface Request {
  method: string
  /** Decoded. */
  path: string
  query: URLSearchParams
  headers: Record<string, unknown>
  /** Null if there is none. */
  body: Json
}

export interface JsonServer {
  url: string
  asked: Request[]
  /** Replaces the response. Undefined: the normal response. */
  intercept: (request: Request) => Answer | undefined | Promise<Answer | undefined>
}

export const json = (body: Json, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: JSON.stringify(body),
})

export async function openJsonServer(answer: (request: Request, url: string) => Answer): Promise<JsonServer> {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://source')
    const body = await text(request)
    const asked: Request = {
      method: request.method ?? 'GET',
      path: decodeURIComponent(pathname),
      query: searchParams,
      headers: request.headers,
      body: body === '' ? null : JSON.parse(body),
    }
    opened.asked.push(asked)
    const found = (await opened.intercept(asked)) ?? answer(asked, opened.url)
    const { status = 200, headers = {} } = found
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    response.end(found.body ?? '')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  server.unref()
  after(() => void server.close())
  const { port } = server.address() as AddressInfo
  const opened: JsonServer = { url: `http://127.0.0.1:${port}`, asked: [], intercept: () => undefined }
  return opened
}

/** One page of a list with a Link header to the next (RFC 8288), like GitHub and GitLab. */
export function pageOf(all: Json[], { path, query }: Request, url: string): Answer {
  const size = Number(query.get('per_page') ?? 30)
  const page = Number(query.get('page') ?? 1)
  const items = all.slice((page - 1) * size, page * size)
  const next = new URLSearchParams(query)
  next.set('page', String(page + 1))
  const link = `<${url}${encodeURI(path)}?${next}>; rel="next", <${url}${encodeURI(path)}?page=99>; rel="last"`
  return json(items, 200, page * size < all.length ? { link } : {})
}
