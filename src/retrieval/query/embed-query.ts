// Embeds queries, with a cache and a time limit.
import type { Logger } from '../../domain/logger.ts'
import { createLruCache, type LruCache } from '../../flow/lru-cache.ts'
import { resultOrTimeout } from '../../flow/result-or-timeout.ts'
import type { Embedder } from '../../inference/embedder.ts'

/** The number of cached queries per embedder; 1.5 MB at 384 dimensions. */
const MAX_CACHED = 1_000

export interface EmbedQueryDeps {
  embedder: Embedder | null
  logger: Logger
}

/** `reason` tells people why the query has no vector. */
export type QueryVector = { vector: Float32Array } | { vector: null; reason: string | null }

const NOT_IN_TIME: QueryVector = {
  vector: null,
  reason: 'The query was not embedded in time. Results are ranked by keywords only.',
}

/** Never rejects. A vector that arrives after the time limit is cached for the next request. */
export async function embedQuery(
  { embedder, logger }: EmbedQueryDeps,
  text: string,
  timeoutMs: number,
): Promise<QueryVector> {
  if (embedder === null) return { vector: null, reason: null }
  const embedded = cachedVector(embedder, text).then(
    (vector): QueryVector => ({ vector }),
    (error: unknown): QueryVector => {
      logger.warn({ err: error }, 'query embedding failed')
      return { vector: null, reason: 'The query could not be embedded. Results are ranked by keywords only.' }
    },
  )
  return resultOrTimeout(embedded, timeoutMs, NOT_IN_TIME)
}

const caches = new WeakMap<Embedder, LruCache<string, Promise<Float32Array>>>()

/** Most recently used vectors, including those being computed. */
function cachedVector(embedder: Embedder, text: string): Promise<Float32Array> {
  const cache = caches.get(embedder) ?? createLruCache<string, Promise<Float32Array>>(MAX_CACHED)
  caches.set(embedder, cache)
  return cache.getOrCreate(text, () => {
    // Not abortable, because other searches may wait for the same vector.
    const vector = embedder.embedQuery(text, new AbortController().signal)
    vector.catch(() => cache.get(text) === vector && cache.delete(text))
    return vector
  })
}
