// JSON over HTTP with a token, in pages that name the next one: what GitHub, GitLab and Confluence have in common.
import { z } from 'zod'
import { type Pull, type PullAnswer, SourceError, type SourceFault } from './connector.ts'
import { jsonIn, jsonOrNull, parsed } from './json-answer.ts'

export interface RestSettings {
  /** Without a slash at its end. */
  base: string
  /** How people call the source. */
  label: string
  headers: Record<string, string>
  tokenField: string
  addressField: string
}

export interface RestAnswer {
  value: unknown
  headers: Readonly<Record<string, string>>
  /** The path of the page after this one. */
  next: string | null
}

export interface Rest {
  /** Rejects with a `Refusal` for any answer but a good one. With a body, which becomes JSON, it is a POST. */
  ask(path: string, body?: unknown): Promise<RestAnswer>
  /** A body as it is. */
  bytes(path: string): Promise<Buffer>
}

/** The source has answered, and means no. */
export class Refusal extends SourceError {
  readonly answer: string
  constructor(fault: SourceFault, message: string, facts: { status: number; field: string | null; answer: string }) {
    super(fault, message, facts)
    this.answer = facts.answer
  }
}

const MAX_BYTES = 64 << 20

export function openRest(fetch: Pull['fetch'], settings: RestSettings): Rest {
  const { base, headers } = settings
  const get = async (path: string, accept: string, body?: unknown) => {
    const post = { method: 'POST', body: JSON.stringify(body) } as const
    const answer = await fetch(`${base}${path}`, {
      headers: { accept, ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && post),
      maxBytes: MAX_BYTES,
    })
    if (answer.status < 200 || answer.status >= 300) throw refusalOf(answer, settings)
    return answer
  }
  return {
    async ask(path, body) {
      const answer = await get(path, 'application/json', body)
      return { value: jsonIn(answer, settings.addressField), headers: answer.headers, next: nextOf(answer, base) }
    },
    bytes: async (path) => (await get(path, '*/*')).body,
  }
}

/** Every item of a listing, to its end. */
export async function* askAll<S extends z.ZodType>(rest: Rest, path: string, schema: S): AsyncGenerator<z.output<S>> {
  for (let at: string | null = path; at !== null; ) {
    const { value, next } = await rest.ask(at)
    yield* parsed(z.array(schema), value)
    at = next
  }
}

export async function allOf<S extends z.ZodType>(rest: Rest, path: string, schema: S): Promise<z.output<S>[]> {
  const all: z.output<S>[] = []
  for await (const it of askAll(rest, path, schema)) all.push(it)
  return all
}

/** Null where the source says no, or something that cannot be understood; that it has no answer at all is thrown. */
export async function orNull<T>(asked: Promise<T>, statuses: readonly number[] = [403, 404]): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refusal && error.status !== null && statuses.includes(error.status)) return null
    throw error
  }
}

/** RFC 8288. The host stays ours, as a token goes with it. */
function nextOf({ headers, url }: PullAnswer, base: string): string | null {
  const [, target] = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(headers.link ?? '') ?? []
  if (target === undefined || !URL.canParse(target, url)) return null
  const { pathname, search } = new URL(target, url)
  const root = new URL(base).pathname.replace(/\/$/, '')
  return `${pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : pathname}${search}`
}

function refusalOf(answer: PullAnswer, { label, tokenField, addressField }: RestSettings): SourceError {
  const { status, url } = answer
  const said = sentenceOf(answer)
  if (status === 401) {
    const message = `${label} does not accept the token: it is wrong or has expired (HTTP 401). ${said}`
    return new SourceError('credential', message, { field: tokenField, status })
  }
  if (status === 403) {
    const message = `The token may not read this from ${label} (HTTP 403): ${said}`
    return new Refusal('credential', message, { status, field: tokenField, answer: said })
  }
  const message = `${new URL(url).host} answers ${status}: ${said}`
  return new Refusal('unexpected', message, { status, field: addressField, answer: said })
}

const Said = z.looseObject({
  message: z.unknown().optional(),
  error: z.unknown().optional(),
  error_description: z.unknown().optional(),
})
const MAX_SAID = 500

function sentenceOf({ body, status }: PullAnswer): string {
  const said = Said.safeParse(jsonOrNull(body.toString('utf8')))
  const { message, error, error_description } = said.success ? said.data : {}
  const text = [message, error_description, error].find((it) => typeof it === 'string' && it !== '')
  return (typeof text === 'string' ? text : `HTTP ${status}`).slice(0, MAX_SAID)
}

/** Schemes, spaces and slashes at the end, as people type them. */
export function addressOf(text: string, field: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? text.trim() : `https://${text.trim()}`
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new SourceError('config', `${text} is no address: give it as https://host.`, { field })
  }
  return url.replace(/\/+$/, '')
}
