// Lists items by update time, oldest first. Each page starts at the last update time of the previous page, so items
// that change during the listing move to its end and none is missed.
import { z } from 'zod'
import { SourceError } from '../connector.ts'

export const ChangeCursor = z.object({
  /** Epoch milliseconds. */
  since: z.number().nullable(),
  page: z.number(),
})
export type ChangeCursor = z.infer<typeof ChangeCursor>

export interface ChangedPage {
  items: unknown[]
  /** Null on the last page. */
  next: ChangeCursor | null
}

const ChangedItem = z.object({ id: z.union([z.number(), z.string()]), updated_at: z.string() })

export async function* changedPages(
  start: ChangeCursor,
  fetchPage: (cursor: ChangeCursor) => Promise<{ items: unknown[]; hasMore: boolean }>,
): AsyncGenerator<ChangedPage, void> {
  /** Items already yielded that the next page may repeat. */
  let alreadyYielded = new Set<string>()
  for (let cursor: ChangeCursor | null = start; cursor !== null; ) {
    const { items, hasMore } = await fetchPage(cursor)
    if (hasMore && items.length === 0) {
      throw new SourceError('unexpected', 'The source returned an empty page although it announced more items.')
    }
    const next: ChangeCursor | null = hasMore ? nextCursor(cursor, items) : null
    yield { items: items.filter((it) => !alreadyYielded.has(changeKey(it) ?? '')), next }
    const keys = items.flatMap((it) => changeKey(it) ?? [])
    alreadyYielded = next !== null && next.page > 1 ? new Set([...alreadyYielded, ...keys]) : new Set(keys)
    cursor = next
  }
}

function changeKey(item: unknown): string | null {
  const changed = ChangedItem.safeParse(item)
  return changed.success ? `${changed.data.id} ${changed.data.updated_at}` : null
}

/** When all items of a page share one update time, only the page number can advance. */
function nextCursor({ since, page }: ChangeCursor, items: readonly unknown[]): ChangeCursor {
  const times = items.flatMap((it) => {
    const changed = ChangedItem.safeParse(it)
    return changed.success ? (parseTime(changed.data.updated_at) ?? []) : []
  })
  const last = Math.max(...times)
  return times.length > 0 && last > (since ?? Number.NEGATIVE_INFINITY)
    ? { since: last, page: 1 }
    : { since, page: page + 1 }
}

export function parseTime(text: string | null | undefined): number | null {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? null : time
}

export const toIsoTime = (time: number): string => new Date(time).toISOString()
