// The start of the next page, as an opaque string for clients.
import { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import type { Cursor } from '../domain/search/query.ts'

/** A rank and whether vectors contributed to the ranking; or the last item of the previous page in a sorted list. */
export type PageStart = { place: number; by: 'words' | 'both' } | { after: Cursor }

const MAX_PLACE = 1_000_000
const EncodedCursor = z.union([
  z.object({ place: z.int().min(0).max(MAX_PLACE), by: z.enum(['words', 'both']) }),
  z.object({
    after: z.object({ score: z.number(), updated_at: z.number().nullable(), document_id: z.string().max(2_000) }),
  }),
])

export const encodeCursor = (start: PageStart): string => Buffer.from(JSON.stringify(start)).toString('base64url')

/** A string that `encodeCursor` did not create is INVALID_INPUT. */
export function decodeCursor(text: string): PageStart {
  const parsed = EncodedCursor.safeParse(parseJson(Buffer.from(text, 'base64url').toString()))
  if (parsed.success) return parsed.data
  throw new AppError('INVALID_INPUT', {
    reason: '`cursor` is invalid. Send the `next_cursor` of the previous page, or omit it.',
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
