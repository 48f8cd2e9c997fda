import { z } from 'zod'
import type { ReindexProgress } from '../../ingestion/reindex.ts'
import { iso } from '../iso.ts'
import { route } from '../route.ts'
import type { Services } from '../services.ts'
import { VectorProgress } from './state.ts'

const ReindexStatus = z
  .object({
    status: z.enum(['idle', 'building']),
    generation: z.int().describe('The number of the index that serves.'),
    model: z.string().nullable().describe('The embedding model whose vectors it holds.'),
    building: z
      .object({
        generation: z.int(),
        model: z.string().nullable(),
        started_at: z.iso.datetime(),
        done: z.int().describe('Documents that are in it so far, with those that lie in the trash.'),
        total: z.int(),
        waiting_for: z.string().nullable().describe('Why it stands still, if it does.'),
        vectors: VectorProgress.nullable().describe(
          'Where it is made for another model: how far that is. It takes over when none is missing.',
        ),
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

async function statusOf({ embedding }: Services, progress: ReindexProgress): Promise<z.infer<typeof ReindexStatus>> {
  const { building, last, ...rest } = progress
  const { next: vectors } = building === null ? { next: null } : await embedding.state()
  return {
    ...rest,
    building: building && {
      ...startedAt(building),
      waiting_for: building.waiting_for ?? vectors?.reason ?? null,
      vectors,
    },
    last: last && { ...last, ended_at: iso(last.ended_at) },
  }
}

const startedAt = ({ since, ...rest }: NonNullable<ReindexProgress['building']>) => ({
  ...rest,
  started_at: iso(since),
})

const ReindexEstimate = z
  .object({
    model: z.string().nullable().describe('The embedding model that a new index would be made for.'),
    documents: z.int(),
    chunks: z.int(),
    kept_vectors: z.int().describe('Vectors of that model that need not be made again; at most.'),
    new_vectors: z.int().describe('Chunks for which the model has to be asked.'),
    estimated_tokens: z.int().describe('What a server may charge for: about a quarter of the characters.'),
    estimated_s: z
      .int()
      .nullable()
      .describe('What the model takes for that, measured with a few texts just now; null when it did not answer.'),
    reason: z.string().nullable().describe('Why the model did not answer.'),
  })
  .meta({ id: 'ReindexEstimate' })

const path = '/admin/reindex'
const admin = { access: 'admin', tag: 'State' } as const
const base = { ...admin, path, reply: ReindexStatus } as const

export const reindexRoutes = [
  route({
    ...base,
    method: 'POST',
    audit: { action: 'index.rebuild', object: (_, { building }) => building?.generation ?? null },
    summary: 'Make the index anew',
    description:
      'A second index is made from the record while the present one serves and follows; it takes over when it has caught up, and no search fails. It goes on after a restart. It needs the disk and the memory of the present one once more. Where the settings name another embedding model than that of the present one, it is made for that model, and takes over when no vector is missing.',
    errors: ['REINDEX_UNDERWAY', 'INDEX_FILLING'],
    handle: async ({ services }) => statusOf(services, await services.reindex.start()),
  }),
  route({
    ...base,
    method: 'GET',
    summary: 'How far the new index is',
    handle: ({ services }) => statusOf(services, services.reindex.progress()),
  }),
  route({
    ...base,
    method: 'DELETE',
    audit: { action: 'index.cancel_rebuild' },
    summary: 'Give the new index up',
    description:
      'The present one goes on serving, with the model of its vectors. Vectors that were made meanwhile are kept.',
    errors: ['REINDEX_NOT_FOUND'],
    handle: async ({ services }) => statusOf(services, await services.reindex.cancel()),
  }),
  route({
    ...admin,
    method: 'GET',
    path: `${path}/estimate`,
    reply: ReindexEstimate,
    summary: 'What a new index would cost',
    description: 'Nothing is begun. The model is asked for the vectors of a few texts, to see how long it takes.',
    handle: ({ services, signal }) => services.estimateReindex(signal),
  }),
]
