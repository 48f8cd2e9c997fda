// Where the next page begins, as clients send it back: a text that means nothing to them.
import { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import type { Cursor } from '../domain/query.ts'

/** In a ranking, a place and whether meaning had a part in it; in a list, what stood last. */
export type PageStart = { place: number; by: 'words' | 'both' } | { after: Cursor }

const MAX_PLACE = 1_000_000
const Encoded = z.union([
  z.object({ place: z.int().min(0).max(MAX_PLACE), by: z.enum(['words', 'both']) }),
  z.object({
    after: z.object({ score: z.number(), updated_at: z.number().nullable(), document_id: z.string().max(2_000) }),
  }),
])

export const encodeCursor = (start: PageStart): string => Buffer.from(JSON.stringify(start)).toString('base64url')

/** What was not made by `encodeCursor` is INVALID_INPUT. */
export function decodeCursor(text: string): PageStart {
  const parsed = Encoded.safeParse(jsonOf(Buffer.from(text, 'base64url').toString()))
  if (parsed.success) return parsed.data
  throw new AppError('INVALID_INPUT', {
    reason: '`cursor` is none that a search answered: send the `next_cursor` of the page before, or leave it out.',
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
