// Keyset pagination for lists that stay plain arrays: `after` is the id of the last item of the previous page. A page
// shorter than `limit` is the last one.
import { z } from 'zod'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import { nullish, wireInteger } from '../../wire/schemas.ts'

const MAX_LIMIT = 1_000

/** For lists with further query parameters. */
export const pageFields = {
  limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe('Maximum number of items. Default: all.'),
  after: nullish(wireInteger({ min: 0 })).describe('Return only items with a greater id.'),
}
export const toPage = ({ limit, after }: { limit: number | null; after: number | null }): KeysetPage => ({
  limit: limit ?? Number.MAX_SAFE_INTEGER,
  after: after ?? -1,
})

export const PageQuery = z.object(pageFields).transform(toPage)
