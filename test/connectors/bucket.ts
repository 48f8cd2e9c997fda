// A fake S3 service that throttles and rejects keys on request.
import { type Answer, openSite } from './site.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
const list = (keys: readonly string[]) =>
  `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${keys
    .map(
      (key) =>
        `<Contents><Key>${key}</Key><ETag>"${key}"</ETag><Size>20</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`,
    )
    .join('')}</ListBucketResult>`
const fault = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>As the test says.</Message></Error>`

/** Accepts the first key for a number of responses, then only the second. Every `slow`th response is SlowDown. */
export async function openBucket() {
  const keys = numbers(200).map((at) => `k${at}.txt`)
  const state = { accepted: 'first-key', slow: 0, reads: 0, expiresAt: Number.POSITIVE_INFINITY }
  const guarded =
    (answer: () => Answer) =>
    (headers: Record<string, unknown>): Answer => {
      state.reads++
      if (state.reads >= state.expiresAt) state.accepted = 'second-key'
      if (!String(headers.authorization).includes(state.accepted)) return { status: 403, body: fault('ExpiredToken') }
      if (state.slow > 0 && state.reads % state.slow === 0) return { status: 503, body: fault('SlowDown') }
      return answer()
    }
  const answers = new Map(
    keys.map((key) => [
      `/bucket/${key}`,
      guarded(() => ({ headers: { 'content-type': 'text/plain' }, body: `text of object ${key}`.padEnd(20) })),
    ]),
  )
  const site = await openSite()
  for (const [path, answer] of answers) site.pages.set(path, answer)
  for (const query of ['list-type=2&max-keys=1', 'list-type=2&encoding-type=url&prefix='])
    site.pages.set(
      `/bucket/?${query}`,
      guarded(() => ({ headers: { 'content-type': 'application/xml' }, body: list(keys) })),
    )
  return { site, state, count: keys.length }
}

export const keysOf = (aws_access_key_id: string) => ({
  authentication_method: 'access_key',
  aws_access_key_id,
  aws_secret_access_key: 'a-secret-of-the-test',
})
