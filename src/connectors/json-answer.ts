// What a source answers as JSON, in the shape that it is documented in.
import type { z } from 'zod'
import { type PullAnswer, SourceError } from './connector.ts'

/** Rejects what is something else, such as the page of a sign-in or of a proxy, with a `SourceError`. */
export function readJson<T>({ url, status, body }: PullAnswer, schema: z.ZodType<T, unknown>): T {
  const { host, pathname } = new URL(url)
  const fail = (what: string) => new SourceError('unexpected', `${host}${pathname} answers ${what}.`, { status })
  const value = parsed(body.toString('utf8'))
  if (value === undefined) throw fail(`something else than JSON (HTTP ${status})`)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw fail(`JSON of another shape (${issue?.path.join('.') || 'it'}: ${issue?.message})`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
