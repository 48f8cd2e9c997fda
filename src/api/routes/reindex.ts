import { z } from 'zod'
import type { ReindexProgress } from '../../ingestion/reindex.ts'
import { iso } from '../iso.ts'
import { route } from '../route.ts'

const ReindexStatus = z
  .object({
    status: z.enum(['idle', 'building']),
    generation: z.int().describe('The number of the index that serves.'),
    building: z
      .object({
        generation: z.int(),
        started_at: z.iso.datetime(),
        done: z.int().describe('Documents that are in it so far, with those that lie in the trash.'),
        total: z.int(),
        waiting_for: z.string().nullable().describe('Why it stands still, if it does.'),
      })
      .nullable(),
    last: z
      .object({
        status: z.enum(['success', 'canceled']),
        generation: z.int(),
        ended_at: z.iso.datetime(),
        took_ms: z.int(),
      })
      .nullable()
      .describe('How the last one ended since the service was started.'),
  })
  .meta({ id: 'ReindexStatus' })

function statusOf({ building, last, ...rest }: ReindexProgress): z.infer<typeof ReindexStatus> {
  return { ...rest, building: building && startedAt(building), last: last && { ...last, ended_at: iso(last.ended_at) } }
}

const startedAt = ({ since, ...rest }: NonNullable<ReindexProgress['building']>) => ({
  ...rest,
  started_at: iso(since),
})

const base = { path: '/admin/reindex', access: 'admin', tag: 'State', reply: ReindexStatus } as const

export const reindexRoutes = [
  route({
    ...base,
    method: 'POST',
    audit: { action: 'index.rebuild', object: (_, { building }) => building?.generation ?? null },
    summary: 'Make the index anew',
    description:
      'A second index is made from the record while the present one serves and follows; it takes over when it has caught up, and no search fails. It goes on after a restart. It needs the disk and the memory of the present one once more.',
    errors: ['REINDEX_UNDERWAY', 'INDEX_FILLING'],
    handle: async ({ services }) => statusOf(await services.reindex.start()),
  }),
  route({
    ...base,
    method: 'GET',
    summary: 'How far the new index is',
    handle: ({ services }) => statusOf(services.reindex.progress()),
  }),
  route({
    ...base,
    method: 'DELETE',
    audit: { action: 'index.cancel_rebuild' },
    summary: 'Give the new index up',
    description: 'The present one goes on serving.',
    errors: ['REINDEX_NOT_FOUND'],
    handle: async ({ services }) => statusOf(await services.reindex.cancel()),
  }),
]
