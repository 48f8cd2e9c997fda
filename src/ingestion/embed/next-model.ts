// Decides which model a new index is built for, and whether that differs from the model of the serving index.
import type { Embedder } from '../../inference/embedder.ts'
import type { ConfiguredEmbedder, Embedders } from '../../inference/embedders.ts'
import { type ConfiguredModel, type Generations, isSameModel } from '../../search-index/generations.ts'
import type { VectorOptions } from '../../search-index/search-index.ts'

/** The model that the settings ask for; null for none. */
export function configuredModel(configured: ConfiguredEmbedder): ConfiguredModel | null {
  if (configured.kind === 'off') return null
  if (configured.kind === 'ready') return configured.model
  return { model: configured.kind === 'silent' ? configured.name : configured.model.model, dimension: null }
}

/** While the configured model is unavailable, a new index uses the current model; otherwise it would never complete. */
export function modelForNewIndex(configured: ConfiguredEmbedder, serving: VectorOptions | null): VectorOptions | null {
  if (configured.kind === 'off') return null
  return configured.kind === 'ready' ? configured.model : serving
}

/** The configured model, if the index lacks it and the user has not canceled it; otherwise null. */
export function modelToBuild(
  configured: ConfiguredEmbedder,
  { vectors, declinedModel }: Pick<Generations, 'vectors' | 'declinedModel'>,
): VectorOptions | null {
  if (configured.kind !== 'ready' || isSameModel(configured.model, vectors())) return null
  return declinedModel() === configured.model.model ? null : configured.model
}

/** Whether taking over before all vectors exist would lose semantic search. */
export const isModelSwitch = (building: VectorOptions | null, serving: VectorOptions | null): boolean =>
  building !== null && serving !== null && !isSameModel(building, serving)

/** The embedder for queries against these vectors; null when embedding is off or the model is unavailable. */
export const embedderForVectors = (
  { configured, forModel }: Pick<Embedders, 'configured' | 'forModel'>,
  vectors: VectorOptions | null,
): Embedder | null => (vectors === null || configured().kind === 'off' ? null : forModel(vectors))
