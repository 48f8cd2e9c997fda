// What a source answers as JSON, in the shape that it is documented in.
import type { z } from 'zod'
import { type PullAnswer, SourceError } from './connector.ts'

/** It says that it is data, and cannot be understood: a smaller answer may be. */
export class Garbled extends SourceError {}

/** `field`: where the address was given, in case it leads to a page. */
export function jsonIn(answer: PullAnswer, field: string | null = null): unknown {
  const { body, headers, status } = answer
  const text = body.toString('utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    const isPage = /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(text)
    if (!isPage)
      throw new Garbled('unexpected', `${placeOf(answer)} answers with JSON that is broken.`, { status, cause })
    const question = 'is this the address of its API, and does it let the token in without a login page?'
    const message = `${placeOf(answer)} answers with a page instead of data: ${question}`
    throw new SourceError('unexpected', message, { status, cause, field })
  }
}

export function parsed<S extends z.ZodType>(schema: S, value: unknown, source = 'The source'): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const place = issue === undefined || issue.path.length === 0 ? 'it' : issue.path.join('.')
  throw new Garbled('unexpected', `${source} answers something else than it should: ${place}: ${issue?.message}.`)
}

export const readJson = <T>(answer: PullAnswer, schema: z.ZodType<T, unknown>): T =>
  parsed(schema, jsonIn(answer), placeOf(answer))

/** Null where it is none. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function placeOf({ url }: PullAnswer): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
