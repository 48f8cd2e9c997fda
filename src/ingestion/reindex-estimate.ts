// What would it cost to make the index anew, and how long would the model take?
import type { Embedder } from '../inference/embedder.ts'
import type { Embedders } from '../inference/embedders.ts'
import type { Generations } from '../search-index/generations.ts'
import { chunksWithHash } from '../search-index/text-hash.ts'
import { countVectorsOf } from '../store/chunk-vectors.ts'
import type { Database } from '../store/database.ts'
import { countBacklog, listChanges } from '../store/documents.ts'
import { prepare } from './indexer.ts'
import { nextModel } from './next-model.ts'
import { textOf } from './vector-follower.ts'

const SAMPLE = 8
const SAMPLE_DOCUMENTS = 20
const SAMPLE_BYTES = 1_000_000
const SAMPLE_TIMEOUT_MS = 8_000
const CHARACTERS_PER_TOKEN = 4

export interface ReindexEstimate {
  model: string | null
  documents: number
  chunks: number
  /** At most: some may be of texts that no document holds any more. */
  kept_vectors: number
  new_vectors: number
  estimated_tokens: number
  /** Null when the model did not answer. */
  estimated_s: number | null
  reason: string | null
}

interface Needs {
  db: Database
  generations: Pick<Generations, 'serving' | 'vectors'>
  embedders: Pick<Embedders, 'configured' | 'of'>
  clock: () => number
}

/** The model is asked for the vectors of a few texts, so that its time is not a guess. */
export async function estimateReindex(needs: Needs, signal: AbortSignal): Promise<ReindexEstimate> {
  const { db, generations, embedders } = needs
  const model = nextModel(embedders.configured(), generations.vectors())
  const { documents, chunks } = await generations.serving.stats()
  const nothing = { documents, chunks, kept_vectors: 0, new_vectors: 0, estimated_tokens: 0 }
  if (model === null) return { model, ...nothing, estimated_s: 0, reason: null }
  const kept_vectors = Math.min(chunks, await countVectorsOf(db, model.model))
  const new_vectors = chunks - kept_vectors
  const { texts, charactersPerByte } = await sampleOf(db)
  const characters = (await countBacklog(db, 0)).bytes * charactersPerByte
  const estimated_tokens = Math.ceil((characters / CHARACTERS_PER_TOKEN) * (new_vectors / Math.max(chunks, 1)))
  const embedder = embedders.of(model)
  const time = new_vectors === 0 ? NO_TIME : await timeFor({ ...needs, embedder, texts }, new_vectors, signal)
  return { ...nothing, model: model.model, kept_vectors, new_vectors, estimated_tokens, ...time }
}

const NO_TIME = { estimated_s: 0, reason: null }

interface Sample {
  texts: string[]
  /** What is kept of a document has more than its text. */
  charactersPerByte: number
}

async function sampleOf(db: Database): Promise<Sample> {
  const changes = await listChanges(db, 0, SAMPLE_DOCUMENTS, SAMPLE_BYTES)
  const texts = prepare(changes, 0)
    .ready.flatMap((it) => it.document ?? [])
    .flatMap(chunksWithHash)
    .map(textOf)
  const bytes = changes.reduce((sum, it) => sum + it.body_bytes, 0)
  const characters = texts.reduce((sum, it) => sum + it.length, 0)
  return { texts: texts.slice(0, SAMPLE), charactersPerByte: characters / Math.max(bytes, 1) }
}

async function timeFor(
  { embedder, texts, clock }: { embedder: Embedder | null; texts: string[]; clock: () => number },
  chunks: number,
  signal: AbortSignal,
): Promise<Pick<ReindexEstimate, 'estimated_s' | 'reason'>> {
  if (embedder === null) return { estimated_s: null, reason: 'the model cannot be asked with these settings' }
  const patience = AbortSignal.any([signal, AbortSignal.timeout(SAMPLE_TIMEOUT_MS)])
  try {
    // The first call may have to load the model.
    await embedder.embedTexts(texts.slice(0, 1), patience)
    const started = clock()
    await embedder.embedTexts(texts, patience)
    const perChunk = (clock() - started) / 1_000 / Math.max(texts.length, 1)
    return { estimated_s: Math.ceil(chunks * perChunk), reason: null }
  } catch (error) {
    return { estimated_s: null, reason: error instanceof Error ? error.message : String(error) }
  }
}
