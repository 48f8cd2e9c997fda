import { z } from 'zod'
import { nullish, WITHOUT_NUL, wireArray, wireInteger, wireString, wireUnion } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1_000
const source = wireString({ min: 1, max: 100, pattern: WITHOUT_NUL })

export const tagRoutes = [
  route({
    name: 'listTags',
    method: 'GET',
    path: '/query/valid-tags',
    access: 'search',
    pool: 'search',
    tag: 'Search',
    summary: 'List tags',
    description: 'Lists the tags of documents that the key may read, once per source, most frequent first.',
    query: z.object({
      match_pattern: nullish(wireString({ max: 1_000 })).describe(
        'Substring of the key, of the value or of `key=value`, case-insensitive.',
      ),
      sources: nullish(wireUnion({ one: source, several: wireArray(source, { max: 100 }) })).describe(
        'Only tags of documents of this source. Repeat the parameter for several sources.',
      ),
      limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe(`Default: ${DEFAULT_LIMIT}.`),
    }),
    reply: z
      .object({
        tags: z.array(
          z.object({ tag_key: z.string(), tag_value: z.string(), source: z.string() }).meta({ id: 'SourceTag' }),
        ),
      })
      .meta({ id: 'TagResponse' }),
    services: ['tags'],
    handle: async ({ query: { match_pattern, sources, limit }, subject, services }) => ({
      tags: await services.tags(subject, {
        pattern: match_pattern ?? '',
        sources: sources === null ? null : [sources].flat(),
        limit: limit ?? DEFAULT_LIMIT,
      }),
    }),
  }),
  route({
    name: 'listReadableSources',
    method: 'GET',
    path: '/search/sources',
    access: 'search',
    pool: 'search',
    tag: 'Search',
    summary: 'List readable sources',
    description:
      'Lists the sources of documents that the key may read, the source with the most documents first. A search can be limited to them.',
    reply: z
      .object({
        sources: z.array(z.object({ source: z.string(), document_count: z.int() }).meta({ id: 'ReadableSource' })),
      })
      .meta({ id: 'ReadableSources' }),
    services: ['readableSources'],
    handle: async ({ subject, services }) => ({ sources: await services.readableSources(subject) }),
  }),
]
