// How the issues of a window are read from a cloud: first their ids, then what is in them, so that nothing moves away.
import { z } from 'zod'
import { SourceError } from './connector.ts'
import { Garbled, parsed } from './json-answer.ts'
import { orMissing, type Tracker, TrackerRefusal } from './ticket-tracker-api.ts'

export interface Page {
  /** As they were answered. */
  issues: unknown[]
  /** Issues that the tracker has, and that cannot be had from it. */
  failures: { id: string; key?: string; message: string }[]
  checkpoint?: unknown
}

export interface Range {
  start: number
  queryOf: (start: number) => string
  checkpoint: unknown
}

const ID_PAGE = 5_000
const BATCH = 50
/** So many issues in a row are not broken one by one. */
export const MIN_BROKEN = 20
const HOUR_MS = 3_600_000

const Checkpoint = z.object({
  start: z.number(),
  has_more: z.boolean(),
  all_issue_ids: z.array(z.array(z.string())),
  ids_done: z.boolean(),
  cursor: z.string().nullable(),
})
type Checkpoint = z.infer<typeof Checkpoint>

const IdPage = z.object({ issues: z.array(z.object({ id: z.string() })), nextPageToken: z.string().nullish() })
const BulkAnswer = z.object({
  issues: z.array(z.unknown()),
  issueErrors: z.array(z.object({ id: z.string(), errorMessage: z.string().nullish() })).nullish(),
})

export async function* pagesOfCloud(tracker: Tracker, range: Range): AsyncGenerator<Page, void> {
  const left = Checkpoint.safeParse(range.checkpoint)
  let at: Checkpoint = left.success ? left.data : beginAt(range.start)
  let isResumed = left.success
  while (at.has_more) {
    if (at.all_issue_ids.length === 0 && !at.ids_done) {
      try {
        at = await nextIds(tracker, range, at)
      } catch (error) {
        // A page token lives seven days: what an old run has left is begun anew.
        if (!isResumed || at.cursor === null || !isRefusal(error)) throw error
        at = beginAt(range.start)
        isResumed = false
        continue
      }
    }
    const ids = at.all_issue_ids.at(-1)
    const page = ids === undefined ? { issues: [], failures: [] } : await fetchBatch(tracker, ids)
    const all_issue_ids = at.all_issue_ids.slice(0, -1)
    at = { ...at, all_issue_ids, has_more: all_issue_ids.length > 0 || !at.ids_done }
    yield { ...page, checkpoint: at }
  }
}

/** The issues of these ids or keys that are there. */
export async function* pagesOfNamed(tracker: Tracker, names: readonly string[]): AsyncGenerator<Page, void> {
  if (!tracker.isCloud) {
    for (const name of names) {
      const issue = await orMissing(tracker.ask(`/issue/${encodeURIComponent(name)}`))
      yield { issues: issue === null ? [] : [issue], failures: [] }
    }
    return
  }
  for (let at = 0; at < names.length; at += BATCH) yield await fetchIssues(tracker, names.slice(at, at + BATCH))
}

const beginAt = (start: number): Checkpoint => ({
  start,
  has_more: true,
  all_issue_ids: [],
  ids_done: false,
  cursor: null,
})

async function nextIds(tracker: Tracker, range: Range, at: Checkpoint): Promise<Checkpoint> {
  const { start, answer } = await withinDates(at.start, at.cursor === null, (start) => {
    const cursor = at.cursor === null ? {} : { nextPageToken: at.cursor }
    const query = { jql: range.queryOf(start), maxResults: String(ID_PAGE), fields: 'id', ...cursor }
    return tracker.ask(`/search/jql?${new URLSearchParams(query)}`)
  })
  const { issues, nextPageToken } = parsed(IdPage, answer)
  const cursor = nextPageToken ?? null
  if (cursor !== null && cursor === at.cursor) {
    throw new SourceError('unexpected', 'The tracker answers the same page of its search again and again.')
  }
  const ids = [...new Set(issues.map((it) => it.id))]
  const all_issue_ids = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, batch) =>
    ids.slice(batch * BATCH, (batch + 1) * BATCH),
  )
  return { start, has_more: true, all_issue_ids, ids_done: cursor === null, cursor }
}

const isRefusal = (error: unknown): error is TrackerRefusal => error instanceof TrackerRefusal && error.status === 400

/** Where the clock was set back the tracker does not know the hour that is asked for: the one before will do. */
export async function withinDates(
  start: number,
  isFirst: boolean,
  ask: (start: number) => Promise<unknown>,
): Promise<{ start: number; answer: unknown }> {
  try {
    return { start, answer: await ask(start) }
  } catch (error) {
    if (!isFirst || !isRefusal(error) || !error.answer.includes("field 'updated' is invalid")) throw error
    const earlier = Math.max(start - HOUR_MS, 0)
    return { start: earlier, answer: await ask(earlier) }
  }
}

/** Where not one can be read it is no fault of single issues. */
async function fetchBatch(tracker: Tracker, ids: readonly string[]): Promise<Page> {
  const page = await fetchIssues(tracker, ids)
  const [failure] = page.failures
  if (ids.length < MIN_BROKEN || page.failures.length < ids.length || failure === undefined) return page
  throw new SourceError('unexpected', `None of ${ids.length} issues can be read: ${failure.message}`)
}

/** One issue that spoils an answer is found by asking for ever fewer. */
async function fetchIssues(tracker: Tracker, ids: readonly string[]): Promise<Page> {
  try {
    const answer = await tracker.ask('/issue/bulkfetch', { issueIdsOrKeys: ids, fields: ['*all'] })
    const { issues, issueErrors } = parsed(BulkAnswer, answer)
    const failures = (issueErrors ?? []).map(({ id, errorMessage }) => ({ id, message: errorMessage ?? 'no reason' }))
    return { issues, failures }
  } catch (error) {
    if (!isSpoilt(error)) throw error
    if (ids.length === 1) return { issues: [], failures: [{ id: ids[0]!, message: (error as Error).message }] }
    const middle = Math.ceil(ids.length / 2)
    const first = await fetchIssues(tracker, ids.slice(0, middle))
    const second = await fetchIssues(tracker, ids.slice(middle))
    return {
      issues: [...first.issues, ...second.issues],
      failures: [...first.failures, ...second.failures],
    }
  }
}

/** Broken, or larger than an answer may be. */
export const isSpoilt = (error: unknown): boolean =>
  error instanceof Garbled ||
  (error instanceof SourceError && (error.cause as { reason?: unknown } | undefined)?.reason === 'size')
