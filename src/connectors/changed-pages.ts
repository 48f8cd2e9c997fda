// A listing by time of change, oldest first, that nobody disturbs: what is changed meanwhile moves to its end, and each
// page begins with the time at which the one before has ended.
import { z } from 'zod'
import { SourceError } from './connector.ts'

export const Turn = z.object({
  /** Epoch milliseconds. */
  since: z.number().nullable(),
  page: z.number(),
})
export type Turn = z.infer<typeof Turn>

export interface ChangedPage {
  items: unknown[]
  /** Null: this was the last one. */
  next: Turn | null
}

const Changed = z.object({ id: z.union([z.number(), z.string()]), updated_at: z.string() })

export async function* changedPages(
  begin: Turn,
  ask: (turn: Turn) => Promise<{ items: unknown[]; hasMore: boolean }>,
): AsyncGenerator<ChangedPage, void> {
  /** What has been given, of the moment at which the next page begins. */
  let given = new Set<string>()
  for (let turn: Turn | null = begin; turn !== null; ) {
    const { items, hasMore } = await ask(turn)
    if (hasMore && items.length === 0) {
      throw new SourceError('unexpected', 'The source answers an empty page, and says that there are more.')
    }
    const next: Turn | null = hasMore ? turnAfter(turn, items) : null
    yield { items: items.filter((it) => !given.has(keyOf(it) ?? '')), next }
    const keys = items.flatMap((it) => keyOf(it) ?? [])
    given = next !== null && next.page > 1 ? new Set([...given, ...keys]) : new Set(keys)
    turn = next
  }
}

function keyOf(item: unknown): string | null {
  const changed = Changed.safeParse(item)
  return changed.success ? `${changed.data.id} ${changed.data.updated_at}` : null
}

/** So many things changed in one moment that they fill a page: then there is no other way than the next page. */
function turnAfter({ since, page }: Turn, items: readonly unknown[]): Turn {
  const times = items.flatMap((it) => {
    const changed = Changed.safeParse(it)
    return changed.success ? (timeOf(changed.data.updated_at) ?? []) : []
  })
  const last = Math.max(...times)
  return times.length > 0 && last > (since ?? Number.NEGATIVE_INFINITY)
    ? { since: last, page: 1 }
    : { since, page: page + 1 }
}

export function timeOf(text: string | null | undefined): number | null {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? null : time
}

export const isoOf = (time: number): string => new Date(time).toISOString()
