// Estimates the cost and the duration of a reindex.
import type { Embedder } from '../../inference/embedder.ts'
import type { Embedders } from '../../inference/embedders.ts'
import type { Generations } from '../../search-index/generations.ts'
import { chunksWithHash } from '../../search-index/text-hash.ts'
import type { Database } from '../../store/database/database.ts'
import { countVectorsOfModel } from '../../store/documents/chunk-vectors.ts'
import { countIndexBacklog, listChanges } from '../../store/documents/documents.ts'
import { modelForNewIndex } from '../embed/next-model.ts'
import { embeddingText } from '../embed/text-groups.ts'
import { prepareChanges } from '../index/indexer.ts'

const SAMPLE = 8
const SAMPLE_DOCUMENTS = 20
const SAMPLE_BYTES = 1_000_000
const SAMPLE_TIMEOUT_MS = 8_000
const CHARACTERS_PER_TOKEN = 4

export interface ReindexEstimate {
  model: string | null
  documents: number
  chunks: number
  /** An upper bound: some vectors may belong to texts that no longer exist. */
  kept_vectors: number
  new_vectors: number
  estimated_tokens: number
  /** The size of the present index; the new one needs about as much. */
  disk_bytes: number
  /** Null when the model did not respond. */
  estimated_s: number | null
  reason: string | null
}

interface ReindexEstimateDeps {
  db: Database
  generations: Pick<Generations, 'serving' | 'vectors' | 'diskBytes'>
  embedders: Pick<Embedders, 'configured' | 'forModel'>
  clock: () => number
}

/** Measures the model on a few texts. */
export async function estimateReindex(deps: ReindexEstimateDeps, signal: AbortSignal): Promise<ReindexEstimate> {
  const { db, generations, embedders } = deps
  const model = modelForNewIndex(embedders.configured(), generations.vectors())
  const { documents, chunks } = await generations.serving.stats()
  const disk_bytes = await generations.diskBytes()
  const nothing = { documents, chunks, disk_bytes, kept_vectors: 0, new_vectors: 0, estimated_tokens: 0 }
  if (model === null) return { model, ...nothing, estimated_s: 0, reason: null }
  const kept_vectors = Math.min(chunks, await countVectorsOfModel(db, model.model))
  const new_vectors = chunks - kept_vectors
  const { texts, charactersPerByte } = await sampleTexts(db)
  const characters = (await countIndexBacklog(db, 0)).bytes * charactersPerByte
  const estimated_tokens = Math.ceil((characters / CHARACTERS_PER_TOKEN) * (new_vectors / Math.max(chunks, 1)))
  const embedder = embedders.forModel(model)
  const time = new_vectors === 0 ? NO_TIME : await estimateTime({ ...deps, embedder, texts }, new_vectors, signal)
  return { ...nothing, model: model.model, kept_vectors, new_vectors, estimated_tokens, ...time }
}

const NO_TIME = { estimated_s: 0, reason: null }

interface TextSample {
  texts: string[]
  /** Below 1, because the stored document holds more than its text. */
  charactersPerByte: number
}

async function sampleTexts(db: Database): Promise<TextSample> {
  const changes = await listChanges(db, 0, SAMPLE_DOCUMENTS, SAMPLE_BYTES)
  const texts = prepareChanges(changes, 0)
    .prepared.flatMap((it) => it.document ?? [])
    .flatMap(chunksWithHash)
    .map(embeddingText)
  const bytes = changes.reduce((sum, it) => sum + it.body_bytes, 0)
  const characters = texts.reduce((sum, it) => sum + it.length, 0)
  return { texts: texts.slice(0, SAMPLE), charactersPerByte: characters / Math.max(bytes, 1) }
}

async function estimateTime(
  { embedder, texts, clock }: { embedder: Embedder | null; texts: string[]; clock: () => number },
  chunks: number,
  signal: AbortSignal,
): Promise<Pick<ReindexEstimate, 'estimated_s' | 'reason'>> {
  if (embedder === null) return { estimated_s: null, reason: 'these settings do not provide the model' }
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(SAMPLE_TIMEOUT_MS)])
  try {
    // The first call may load the model, so it is not measured.
    await embedder.embedTexts(texts.slice(0, 1), timeout)
    const started = clock()
    await embedder.embedTexts(texts, timeout)
    const perChunk = (clock() - started) / 1_000 / Math.max(texts.length, 1)
    return { estimated_s: Math.ceil(chunks * perChunk), reason: null }
  } catch (error) {
    return { estimated_s: null, reason: error instanceof Error ? error.message : String(error) }
  }
}
