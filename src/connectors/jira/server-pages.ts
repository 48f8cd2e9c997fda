// Reads the issues of a time window from Jira Server, page by page, while they may change.
import { z } from 'zod'
import { SourceError } from '../connector.ts'
import { validateAnswer } from '../rest/json-response.ts'
import type { JiraClient } from './client.ts'
import { isUnreadable, type JiraPage, type JiraWindow, MIN_UNREADABLE, retryEarlier } from './cloud-pages.ts'

const PAGE = 50

const ServerCheckpoint = z.object({
  start: z.number(),
  has_more: z.boolean(),
  offset: z.number(),
  total: z.number().nullable(),
})
type ServerCheckpoint = z.infer<typeof ServerCheckpoint>

const SearchAnswer = z.object({ issues: z.array(z.unknown()), total: z.number().optional() })
type ServerPage = z.infer<typeof SearchAnswer> & { failures: JiraPage['failures'] }

export async function* serverPages(jira: JiraClient, window: JiraWindow): AsyncGenerator<JiraPage, void> {
  const resumed = ServerCheckpoint.safeParse(window.checkpoint)
  let position: ServerCheckpoint = resumed.success
    ? resumed.data
    : { start: window.start, has_more: true, offset: 0, total: null }
  let unreadable = 0
  while (position.has_more) {
    const { offset, total: previousTotal } = position
    const { start, answer } = await retryEarlier(position.start, offset === 0, (start) =>
      searchReadable(jira, window.queryOf(start), { offset, count: PAGE }),
    )
    const { issues, failures, total = null } = answer
    unreadable = issues.length === 0 ? unreadable + failures.length : 0
    if (unreadable >= MIN_UNREADABLE)
      throw new SourceError('unexpected', `No issue is readable: ${failures.at(-1)?.message}`)
    const movedOut = previousTotal === null || total === null ? 0 : previousTotal - total
    if (movedOut > 0 && offset > 0) {
      // Issues that changed have left the window and shifted the rest towards the start, so step back by as many.
      position = { start, has_more: true, offset: Math.max(offset - movedOut, 0), total }
      continue
    }
    const read = issues.length + failures.length
    position = { start, has_more: hasMore({ offset, read, total }), offset: offset + read, total }
    yield { issues, failures, checkpoint: position }
  }
}

/** A server may return fewer issues than requested, so a short page is the last one only if `total` agrees. */
function hasMore({ offset, read, total }: { offset: number; read: number; total: number | null }): boolean {
  if (read === PAGE) return true
  if (total === null || offset + read >= total) return false
  if (read > 0) return true
  throw new SourceError('unexpected', `Jira returned ${offset} issues but reports ${total}.`)
}

async function searchReadable(
  jira: JiraClient,
  jql: string,
  { offset, count }: { offset: number; count: number },
): Promise<ServerPage> {
  const query = { jql, startAt: String(offset), validateQuery: 'True', fields: '*all', maxResults: String(count) }
  try {
    return {
      ...validateAnswer(SearchAnswer, await jira.request(`/search?${new URLSearchParams(query)}`)),
      failures: [],
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    if (count === 1) return unreadableIssueAt(jira, { jql, offset }, error.message)
    return searchInHalves(jira, jql, { offset, count })
  }
}

const IssueKeys = z.object({ issues: z.array(z.object({ key: z.string() })) })

/** Requests the issue without fields to learn at least its key. */
async function unreadableIssueAt(
  jira: JiraClient,
  { jql, offset }: { jql: string; offset: number },
  message: string,
): Promise<ServerPage> {
  const query = { jql, startAt: String(offset), validateQuery: 'True', fields: 'key', maxResults: '1' }
  const { issues } = validateAnswer(IssueKeys, await jira.request(`/search?${new URLSearchParams(query)}`))
  return { issues: [], failures: issues.map(({ key }) => ({ id: key, key, message })) }
}

async function searchInHalves(
  jira: JiraClient,
  jql: string,
  { offset, count }: { offset: number; count: number },
): Promise<ServerPage> {
  const half = Math.ceil(count / 2)
  const first = await searchReadable(jira, jql, { offset, count: half })
  if (first.issues.length + first.failures.length < half) return first
  const second = await searchReadable(jira, jql, { offset: offset + half, count: count - half })
  const total = second.total ?? first.total
  return {
    issues: [...first.issues, ...second.issues],
    failures: [...first.failures, ...second.failures],
    ...(total !== undefined && { total }),
  }
}
