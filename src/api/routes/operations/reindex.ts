import { z } from 'zod'
import type { ReindexProgress } from '../../../ingestion/reindex/reindex.ts'
import { type RouteServices, route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'
import { VectorProgress } from './status.ts'

const ReindexStatus = z
  .object({
    status: z.enum(['idle', 'building']),
    generation: z.int().describe('The generation of the index that serves searches.'),
    model: z.string().nullable().describe('The embedding model of its vectors.'),
    building: z
      .object({
        generation: z.int(),
        model: z.string().nullable(),
        started_at: z.iso.datetime(),
        done: z.int().describe('Number of documents indexed so far, including documents in the trash.'),
        total: z.int(),
        waiting_for: z.string().nullable().describe('Why the rebuild is stalled.'),
        vectors: VectorProgress.nullable().describe(
          'Progress of the vectors, if the rebuild is for another embedding model. The new index takes over once all vectors are computed.',
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
      .describe('Result of the last rebuild since the service started.'),
  })
  .meta({ id: 'ReindexStatus' })

async function reindexStatus(
  { embedding }: RouteServices<'embedding'>,
  progress: ReindexProgress,
): Promise<z.infer<typeof ReindexStatus>> {
  const { building, last, ...rest } = progress
  const { next: vectors } = building === null ? { next: null } : await embedding.state()
  return {
    ...rest,
    building: building && {
      ...buildingStatus(building),
      waiting_for: building.waiting_for ?? vectors?.reason ?? null,
      vectors,
    },
    last: last && { ...last, ended_at: iso(last.ended_at) },
  }
}

const buildingStatus = ({ since, ...rest }: NonNullable<ReindexProgress['building']>) => ({
  ...rest,
  started_at: iso(since),
})

const ReindexEstimate = z
  .object({
    model: z.string().nullable().describe('The embedding model of the new index.'),
    documents: z.int(),
    chunks: z.int(),
    kept_vectors: z.int().describe('Number of stored vectors of that model that can be reused; an upper bound.'),
    new_vectors: z.int().describe('Number of chunks to embed.'),
    estimated_tokens: z.int().describe('Estimated number of tokens, about a quarter of the characters.'),
    disk_bytes: z.int().describe('Size of the current index on disk. The new index needs about as much in addition.'),
    estimated_s: z
      .int()
      .nullable()
      .describe('Estimated seconds to embed the chunks, measured with a few texts. Null if the model did not respond.'),
    reason: z.string().nullable().describe('Why the model did not respond.'),
  })
  .meta({ id: 'ReindexEstimate' })

const reindexPath = '/admin/reindex'
const adminDefaults = { access: 'admin', tag: 'State' } as const
const reindexDefaults = { ...adminDefaults, path: reindexPath, reply: ReindexStatus } as const

export const reindexRoutes = [
  route({
    ...reindexDefaults,
    name: 'startReindex',
    method: 'POST',
    allowsTokens: true,
    audit: { action: 'index.rebuild', object: (_, { building }) => building?.generation ?? null },
    summary: 'Start reindex',
    description:
      'Builds a second index from the database while the current index keeps serving and receiving changes. The new index takes over once it has caught up, without failed searches. The rebuild continues after a restart, and needs as much disk and memory as the current index. If the configured embedding model differs from that of the current index, the new index is built for the configured model and takes over once all vectors are computed.',
    errors: ['REINDEX_UNDERWAY', 'INDEX_FILLING'],
    services: ['reindex', 'embedding'],
    handle: async ({ services }) => reindexStatus(services, await services.reindex.start()),
  }),
  route({
    ...reindexDefaults,
    name: 'getReindexStatus',
    method: 'GET',
    summary: 'Get reindex status',
    services: ['reindex', 'embedding'],
    handle: ({ services }) => reindexStatus(services, services.reindex.progress()),
  }),
  route({
    ...reindexDefaults,
    name: 'cancelReindex',
    method: 'DELETE',
    allowsTokens: true,
    audit: { action: 'index.cancel_rebuild' },
    summary: 'Cancel reindex',
    description: 'The current index keeps serving, with the model of its vectors. Vectors computed so far are kept.',
    errors: ['REINDEX_NOT_FOUND'],
    services: ['reindex', 'embedding'],
    handle: async ({ services }) => reindexStatus(services, await services.reindex.cancel()),
  }),
  route({
    ...adminDefaults,
    name: 'estimateReindex',
    method: 'GET',
    path: `${reindexPath}/estimate`,
    reply: ReindexEstimate,
    summary: 'Estimate reindex',
    description: 'Does not start a rebuild. Embeds a few texts to measure the speed of the model.',
    services: ['estimateReindex'],
    handle: ({ services, signal }) => services.estimateReindex(signal),
  }),
]
