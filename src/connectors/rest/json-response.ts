// Parses JSON responses and validates them against a schema.
import type { z } from 'zod'
import { SourceError, type SourceResponse } from '../connector.ts'

/** Thrown for invalid or unexpected JSON. A request for fewer items may succeed. */
export class MalformedAnswerError extends SourceError {}

/** This many parse in a few hundred milliseconds. The 60 million that fit into a response take many seconds. */
const MAX_OPENING_BRACKETS = 2_000_000
const SMALL_BYTES = 1 << 20

/** Brackets inside strings count too; the limit is far above what real text contains. */
function countOpeningBrackets(body: Buffer): number {
  if (body.length <= SMALL_BYTES) return 0
  let count = 0
  for (const byte of body) if (byte === 0x5b || byte === 0x7b) count++
  return count
}

/** `field` names the config field of the URL; it is reported when the response is an HTML page. */
export function parseJsonBody(answer: SourceResponse, field: string | null = null): unknown {
  const { body, headers, status } = answer
  if (countOpeningBrackets(body) > MAX_OPENING_BRACKETS) {
    const message = `${describeUrl(answer)} returned more than ${MAX_OPENING_BRACKETS} arrays and objects in one response.`
    throw new MalformedAnswerError('unexpected', message, { status })
  }
  const text = body.toString('utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    const isPage = /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(text)
    if (!isPage)
      throw new MalformedAnswerError('unexpected', `${describeUrl(answer)} returned invalid JSON.`, {
        status,
        cause,
      })
    const hint = 'Check that this is the address of its API and that the token works without a login page.'
    const message = `${describeUrl(answer)} returned a web page instead of data. ${hint}`
    throw new SourceError('unexpected', message, { status, cause, field })
  }
}

export function validateAnswer<S extends z.ZodType>(schema: S, value: unknown, source = 'The source'): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const place = issue === undefined || issue.path.length === 0 ? 'it' : issue.path.join('.')
  throw new MalformedAnswerError(
    'unexpected',
    `${source} returned an unexpected response: ${place}: ${issue?.message}.`,
  )
}

export const parseJsonAnswer = <T>(answer: SourceResponse, schema: z.ZodType<T, unknown>): T =>
  validateAnswer(schema, parseJsonBody(answer), describeUrl(answer))

/** Null if the text is not JSON. */
export function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function describeUrl({ url }: SourceResponse): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
