// The vector of what somebody looks for: made once, remembered, and not waited for longer than a search may take.
import type { Logger } from '../domain/logger.ts'
import type { Embedder } from '../inference/embedder.ts'

/** Queries remembered for each embedder: 1.5 MB at 384 dimensions. */
const REMEMBERED = 1_000

export interface QueryVectorNeeds {
  embedder: Embedder | null
  logger: Logger
}

/** Why a search went without: as people read it. */
export type QueryVector = { vector: Float32Array } | { vector: null; reason: string | null }

/** Never rejects. What comes too late is remembered for the next who asks the same. */
export async function queryVector(
  { embedder, logger }: QueryVectorNeeds,
  text: string,
  waitMs: number,
): Promise<QueryVector> {
  if (embedder === null) return { vector: null, reason: null }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<QueryVector>((resolve) => {
    timer = setTimeout(resolve, waitMs, { vector: null, reason: 'The meaning of the query was not known in time.' })
  })
  const made = remembered(embedder, text).then(
    (vector): QueryVector => ({ vector }),
    (error: unknown): QueryVector => {
      logger.warn({ err: error }, 'a query could not be embedded: the search goes by words alone')
      return { vector: null, reason: 'The meaning of the query could not be reckoned.' }
    },
  )
  return Promise.race([made, late]).finally(() => clearTimeout(timer))
}

const caches = new WeakMap<Embedder, Map<string, Promise<Float32Array>>>()

/** Those asked for last, and those that are being made. */
function remembered(embedder: Embedder, text: string): Promise<Float32Array> {
  const cache = caches.get(embedder) ?? new Map<string, Promise<Float32Array>>()
  caches.set(embedder, cache)
  const known = cache.get(text)
  // Another search may wait for the same vector, so none of them can abort it.
  const vector = known ?? embedder.embedQuery(text, new AbortController().signal)
  cache.delete(text)
  cache.set(text, vector)
  if (known === undefined) vector.catch(() => cache.get(text) === vector && cache.delete(text))
  if (cache.size > REMEMBERED) cache.delete(cache.keys().next().value!)
  return vector
}
