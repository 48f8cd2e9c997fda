// A local website whose pages a test can change. It records its requests.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export interface Answer {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface Site {
  url: string
  port: number
  /** Keyed by path and query. */
  pages: Map<string, Answer | ((headers: Record<string, unknown>) => Answer)>
  /** The requested paths in order, with the response status. */
  asked: { path: string; status: number }[]
  /** Bytes of response bodies sent. */
  sent: () => number
}

/**
 * `otherwise` answers requests without a page. The site closes with the test file, or with the process if it is kept.
 */
export async function openSite(
  otherwise: (path: string) => Answer | undefined = () => undefined,
  { isKept = false }: { isKept?: boolean } = {},
): Promise<Site> {
  const pages: Site['pages'] = new Map()
  const asked: Site['asked'] = []
  let bytes = 0
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const page = pages.get(path)
    const found = typeof page === 'function' ? page(request.headers) : (page ?? otherwise(path))
    const { status = 200, headers = {}, body = '' } = found ?? { status: 404, body: 'nothing here' }
    const etag = headers.etag
    const isSame = etag !== undefined && request.headers['if-none-match'] === etag
    const code = isSame ? 304 : status
    asked.push({ path, status: code })
    response.writeHead(code, { 'content-type': 'text/html; charset=utf-8', ...headers })
    if (!isSame) bytes += Buffer.byteLength(body)
    response.end(isSame ? '' : body)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  server.unref()
  if (!isKept) after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, pages, asked, sent: () => bytes }
}

/** A page with links. Its ETag depends on the content. */
export function pageOf(title: string, text: string, links: readonly string[] = [], head = ''): Answer {
  const anchors = links.map((it) => `<a href="${it}">${it}</a>`).join(' ')
  const body = `<html><head><title>${title}</title>${head}</head><body><nav>${anchors}</nav><main><p>${text}</p></main></body></html>`
  return {
    headers: {
      etag: `"${Buffer.from(title + text)
        .toString('hex')
        .slice(-60)}"`,
    },
    body,
  }
}
