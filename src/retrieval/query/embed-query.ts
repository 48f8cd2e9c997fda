// Embeds queries, with a cache and a time limit.
import type { Logger } from '../../domain/logger.ts'
import { createLruCache, type LruCache } from '../../flow/lru-cache.ts'
import { resultOrTimeout } from '../../flow/result-or-timeout.ts'
import type { Embedder } from '../../inference/embedder.ts'
import type { ForeignScoring } from '../../search-index/search-index.ts'
import { foreignLanguages, isInMultilingualScript, type QueryKind, queryKind } from '../../text/language.ts'
import { isIdentifier } from '../../text/names/identifier.ts'
import { countInformativeWords } from '../../text/query-terms.ts'
import { isQuestion } from './is-question.ts'

/** The number of cached queries per embedder; 1.5 MB at 384 dimensions. */
const MAX_CACHED = 1_000

/**
 * A few words name something, and more describe it. A question shares more words with its answer than a description
 * does. A model knows nothing of an identifier. Measured on six collections and two manuals (docs/ranking.md).
 */
const WEIGHTS = { identifier: 0.1, name: 0.4, question: 0.5, description: 0.55 }
/** The number of informative words from which a query is more than a name. */
const DESCRIPTION_WORDS = 4
/** Measured on XQuAD in five languages (docs/ranking.md). */
const LIMITS_OF_ENGLISH_MODEL: Record<QueryKind, number> = { english: 1, latin: 0.3, other_script: 0 }

/** The weight of the semantic score in the fusion; 0 if the model cannot read the query. */
export function semanticWeight({ reads }: Pick<Embedder, 'reads'>, query: string): number {
  const weight = WEIGHTS[queryForm(query)]
  if (reads === 'english') return Math.min(weight, LIMITS_OF_ENGLISH_MODEL[queryKind(query)])
  return reads === 'any' || isInMultilingualScript(query) ? weight : 0
}

function queryForm(query: string): keyof typeof WEIGHTS {
  const text = query.trim()
  if (isIdentifier(text)) return 'identifier'
  if (countInformativeWords(text) < DESCRIPTION_WORDS) return 'name'
  return isQuestion(text) ? 'question' : 'description'
}

/** Undefined if all documents are scored alike. */
function foreignScoring({ foreign }: Pick<Embedder, 'foreign'>, query: string): ForeignScoring | undefined {
  if (foreign === null) return undefined
  const languages = foreignLanguages(query)
  return languages.length === 0 ? undefined : { languages, ...foreign }
}

export interface EmbedQueryDeps {
  embedder: Embedder | null
  logger: Logger
}

/** `reason` tells people why the query has no vector, if it should have one. */
export type QueryVector =
  | { vector: Float32Array; weight: number; foreign?: ForeignScoring; reason: null }
  | { vector: null; weight: 0; foreign?: undefined; reason: string | null }

const noVector = (reason: string | null): QueryVector => ({ vector: null, weight: 0, reason })
const NOT_IN_TIME = noVector('The query was not embedded in time. Results are ranked by keywords only.')

/**
 * Never rejects. A query that the model cannot read has no vector, and nothing is wrong with that. A vector that arrives
 * after the time limit is cached for the next request.
 */
export async function embedQuery(
  { embedder, logger }: EmbedQueryDeps,
  text: string,
  timeoutMs: number,
): Promise<QueryVector> {
  const weight = embedder === null ? 0 : semanticWeight(embedder, text)
  if (embedder === null || weight === 0) return noVector(null)
  const foreign = foreignScoring(embedder, text)
  const embedded = cachedVector(embedder, text).then(
    (vector): QueryVector => ({ vector, weight, ...(foreign && { foreign }), reason: null }),
    (error: unknown) => {
      logger.warn({ err: error }, 'query embedding failed')
      return noVector('The query could not be embedded. Results are ranked by keywords only.')
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
