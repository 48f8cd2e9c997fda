// How the issues of a window are read from a server: page by page, while others change them.
import { z } from 'zod'
import { SourceError } from './connector.ts'
import { parsed } from './json-answer.ts'
import type { Tracker } from './ticket-tracker-api.ts'
import { isSpoilt, MIN_BROKEN, type Page, type Range, withinDates } from './ticket-tracker-pages.ts'

const PAGE = 50

const Checkpoint = z.object({
  start: z.number(),
  has_more: z.boolean(),
  offset: z.number(),
  total: z.number().nullable(),
})
type Checkpoint = z.infer<typeof Checkpoint>

const SearchAnswer = z.object({ issues: z.array(z.unknown()), total: z.number().optional() })
type Found = z.infer<typeof SearchAnswer> & { failures: Page['failures'] }

export async function* pagesOfServer(tracker: Tracker, range: Range): AsyncGenerator<Page, void> {
  const left = Checkpoint.safeParse(range.checkpoint)
  let at: Checkpoint = left.success ? left.data : { start: range.start, has_more: true, offset: 0, total: null }
  let spoilt = 0
  while (at.has_more) {
    const { offset, total: before } = at
    const { start, answer } = await withinDates(at.start, offset === 0, (start) =>
      search(tracker, range.queryOf(start), { offset, count: PAGE }),
    )
    const { issues, failures, total = null } = answer as Found
    spoilt = issues.length === 0 ? spoilt + failures.length : 0
    if (spoilt >= MIN_BROKEN) throw new SourceError('unexpected', `No issue can be read: ${failures.at(-1)?.message}`)
    const gone = before === null || total === null ? 0 : before - total
    if (gone > 0 && offset > 0) {
      // What was changed meanwhile has left the window, and what came after has moved up to where nobody looks again.
      at = { start, has_more: true, offset: Math.max(offset - gone, 0), total }
      continue
    }
    const read = issues.length + failures.length
    at = { start, has_more: hasMore({ offset, read, total }), offset: offset + read, total }
    yield { issues, failures, checkpoint: at }
  }
}

/** A server may give less than it is asked for; a page that is not full is the last one only if it says so too. */
function hasMore({ offset, read, total }: { offset: number; read: number; total: number | null }): boolean {
  if (read === PAGE) return true
  if (total === null || offset + read >= total) return false
  if (read > 0) return true
  throw new SourceError('unexpected', `The tracker gives ${offset} issues, and says that there are ${total}.`)
}

async function search(
  tracker: Tracker,
  jql: string,
  { offset, count }: { offset: number; count: number },
): Promise<Found> {
  const query = { jql, startAt: String(offset), validateQuery: 'True', fields: '*all', maxResults: String(count) }
  try {
    return { ...parsed(SearchAnswer, await tracker.ask(`/search?${new URLSearchParams(query)}`)), failures: [] }
  } catch (error) {
    if (!isSpoilt(error)) throw error
    if (count === 1) return failureAt(tracker, { jql, offset }, (error as Error).message)
    return searchHalves(tracker, jql, { offset, count })
  }
}

const NamedOnes = z.object({ issues: z.array(z.object({ key: z.string() })) })

/** Without its fields it says at least which one it is. */
async function failureAt(
  tracker: Tracker,
  { jql, offset }: { jql: string; offset: number },
  message: string,
): Promise<Found> {
  const query = { jql, startAt: String(offset), validateQuery: 'True', fields: 'key', maxResults: '1' }
  const { issues } = parsed(NamedOnes, await tracker.ask(`/search?${new URLSearchParams(query)}`))
  return { issues: [], failures: issues.map(({ key }) => ({ id: key, key, message })) }
}

async function searchHalves(
  tracker: Tracker,
  jql: string,
  { offset, count }: { offset: number; count: number },
): Promise<Found> {
  const half = Math.ceil(count / 2)
  const first = await search(tracker, jql, { offset, count: half })
  if (first.issues.length + first.failures.length < half) return first
  const second = await search(tracker, jql, { offset: offset + half, count: count - half })
  const total = second.total ?? first.total
  return {
    issues: [...first.issues, ...second.issues],
    failures: [...first.failures, ...second.failures],
    ...(total !== undefined && { total }),
  }
}
