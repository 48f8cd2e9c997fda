// A small client over keep-alive connections. It is cheaper than fetch and reports how a request ended.
import { Agent, request } from 'node:http'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The response as JSON, or as text if it is not JSON. */
  body: unknown
}

export interface Client {
  (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  close(): void
}

export function connect(url: string, key: string, maxSockets = 64, timeoutMs = 30_000): Client {
  const agent = new Agent({ keepAlive: true, maxSockets })
  const client = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const payload = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const type: Record<string, string | number> =
      payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': payload.length }
    return new Promise<Answer>((resolve, reject) => {
      // A network error has no stack that leads to the request.
      const fail = (error: Error) => reject(Object.assign(error, { request: `${method} ${path}` }))
      const sent = request(`${url}${path}`, {
        method,
        agent,
        timeout: timeoutMs,
        headers: { authorization: `Bearer ${key}`, ...type, ...headers },
      })
      sent.on('response', (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', fail)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString()
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parse(text) })
        })
      })
      sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path} within ${timeoutMs} ms`)))
      sent.on('error', fail)
      sent.end(payload)
    })
  }
  return Object.assign(client, { close: () => agent.destroy() })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
