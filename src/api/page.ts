// Every list keeps the form of the wire, an array; `limit` and `after` ask for a part of it, by key. The id of the last
// item of one page is the `after` of the next, and a page that is shorter than its limit is the last one.
import { z } from 'zod'
import type { Page } from '../domain/page.ts'
import { nullish, wireInteger } from '../domain/wire.ts'

const MAX_LIMIT = 1_000

/** For a list that takes more than a page in its query. */
export const pageFields = {
  limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe('At most so many items; without it, all.'),
  after: nullish(wireInteger({ min: 0 })).describe('Only items whose id is above this one.'),
}
export const pageOf = ({ limit, after }: { limit: number | null; after: number | null }): Page => ({
  limit: limit ?? Number.MAX_SAFE_INTEGER,
  after: after ?? -1,
})

export const PageQuery = z.object(pageFields).transform(pageOf)
