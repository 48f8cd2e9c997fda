// Reads the issues of a time window from Jira Cloud: first all ids, then the issues, so that concurrent changes shift
// nothing.
import { z } from 'zod'
import { isSizeLimitError, SourceError } from '../connector.ts'
import { MalformedAnswerError, validateAnswer } from '../rest/json-response.ts'
import { type JiraClient, JiraStatusError, nullIfMissing } from './client.ts'

export interface JiraPage {
  /** Raw issues. */
  issues: unknown[]
  /** Issues that exist but cannot be fetched. */
  failures: { id: string; key?: string; message: string }[]
  checkpoint?: unknown
}

export interface JiraWindow {
  start: number
  queryOf: (start: number) => string
  checkpoint: unknown
}

const ID_PAGE = 5_000
const BATCH = 50
/** More consecutive unreadable issues than this indicate a general problem. */
export const MIN_UNREADABLE = 20
const HOUR_MS = 3_600_000

const CloudCheckpoint = z.object({
  start: z.number(),
  has_more: z.boolean(),
  all_issue_ids: z.array(z.array(z.string())),
  ids_done: z.boolean(),
  cursor: z.string().nullable(),
})
type CloudCheckpoint = z.infer<typeof CloudCheckpoint>

const IdPage = z.object({ issues: z.array(z.object({ id: z.string() })), nextPageToken: z.string().nullish() })
const BulkAnswer = z.object({
  issues: z.array(z.unknown()),
  issueErrors: z.array(z.object({ id: z.string(), errorMessage: z.string().nullish() })).nullish(),
})

export async function* cloudPages(jira: JiraClient, window: JiraWindow): AsyncGenerator<JiraPage, void> {
  const resumed = CloudCheckpoint.safeParse(window.checkpoint)
  let position: CloudCheckpoint = resumed.success ? resumed.data : startCheckpoint(window.start)
  let isResumed = resumed.success
  while (position.has_more) {
    if (position.all_issue_ids.length === 0 && !position.ids_done) {
      try {
        position = await fetchNextIds(jira, window, position)
      } catch (error) {
        // Page tokens expire after seven days; the search then restarts.
        if (!isResumed || position.cursor === null || !isBadRequest(error)) throw error
        position = startCheckpoint(window.start)
        isResumed = false
        continue
      }
    }
    const ids = position.all_issue_ids.at(-1)
    const page = ids === undefined ? { issues: [], failures: [] } : await fetchBatchOrFail(jira, ids)
    const all_issue_ids = position.all_issue_ids.slice(0, -1)
    position = { ...position, all_issue_ids, has_more: all_issue_ids.length > 0 || !position.ids_done }
    yield { ...page, checkpoint: position }
  }
}

/** Fetches the existing issues among these ids or keys. */
export async function* pagesByIds(jira: JiraClient, names: readonly string[]): AsyncGenerator<JiraPage, void> {
  if (!jira.isCloud) {
    for (const name of names) {
      const issue = await nullIfMissing(jira.request(`/issue/${encodeURIComponent(name)}`))
      yield { issues: issue === null ? [] : [issue], failures: [] }
    }
    return
  }
  for (let at = 0; at < names.length; at += BATCH) yield await fetchReadableIssues(jira, names.slice(at, at + BATCH))
}

const startCheckpoint = (start: number): CloudCheckpoint => ({
  start,
  has_more: true,
  all_issue_ids: [],
  ids_done: false,
  cursor: null,
})

async function fetchNextIds(jira: JiraClient, window: JiraWindow, position: CloudCheckpoint): Promise<CloudCheckpoint> {
  const { start, answer } = await retryEarlier(position.start, position.cursor === null, (start) => {
    const cursor = position.cursor === null ? {} : { nextPageToken: position.cursor }
    const query = { jql: window.queryOf(start), maxResults: String(ID_PAGE), fields: 'id', ...cursor }
    return jira.request(`/search/jql?${new URLSearchParams(query)}`)
  })
  const { issues, nextPageToken } = validateAnswer(IdPage, answer)
  const cursor = nextPageToken ?? null
  if (cursor !== null && cursor === position.cursor) {
    throw new SourceError('unexpected', 'Jira keeps returning the same page of search results.')
  }
  const ids = [...new Set(issues.map((it) => it.id))]
  const all_issue_ids = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, batch) =>
    ids.slice(batch * BATCH, (batch + 1) * BATCH),
  )
  return { start, has_more: true, all_issue_ids, ids_done: cursor === null, cursor }
}

const isBadRequest = (error: unknown): error is JiraStatusError =>
  error instanceof JiraStatusError && error.status === 400

/** Jira rejects times in the hour that a DST change skips; an hour earlier works. */
export async function retryEarlier<T>(
  start: number,
  isFirst: boolean,
  ask: (start: number) => Promise<T>,
): Promise<{ start: number; answer: T }> {
  try {
    return { start, answer: await ask(start) }
  } catch (error) {
    if (!isFirst || !isBadRequest(error) || !error.detail.includes("field 'updated' is invalid")) throw error
    const earlier = Math.max(start - HOUR_MS, 0)
    return { start: earlier, answer: await ask(earlier) }
  }
}

/** Throws if not a single issue is readable, because that is not an error of the issues. */
async function fetchBatchOrFail(jira: JiraClient, ids: readonly string[]): Promise<JiraPage> {
  const page = await fetchReadableIssues(jira, ids)
  const [failure] = page.failures
  if (ids.length < MIN_UNREADABLE || page.failures.length < ids.length || failure === undefined) return page
  throw new SourceError('unexpected', `None of ${ids.length} issues is readable: ${failure.message}`)
}

/** Bisects the batch to find the issue that breaks the response. */
async function fetchReadableIssues(jira: JiraClient, ids: readonly string[]): Promise<JiraPage> {
  try {
    const answer = await jira.request('/issue/bulkfetch', { issueIdsOrKeys: ids, fields: ['*all'] })
    const { issues, issueErrors } = validateAnswer(BulkAnswer, answer)
    const failures = (issueErrors ?? []).map(({ id, errorMessage }) => ({ id, message: errorMessage ?? 'no reason' }))
    return { issues, failures }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    const [id, ...others] = ids
    if (id !== undefined && others.length === 0) return { issues: [], failures: [{ id, message: error.message }] }
    const middle = Math.ceil(ids.length / 2)
    const first = await fetchReadableIssues(jira, ids.slice(0, middle))
    const second = await fetchReadableIssues(jira, ids.slice(middle))
    return {
      issues: [...first.issues, ...second.issues],
      failures: [...first.failures, ...second.failures],
    }
  }
}

/** Malformed, or larger than the response limit. */
export const isUnreadable = (error: unknown): error is SourceError =>
  error instanceof MalformedAnswerError || isSizeLimitError(error)
