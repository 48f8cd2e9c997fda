// For which model should an index be made, and is that another one than the index that serves was made for?
import type { Embedder } from '../inference/embedder.ts'
import type { Configured, Embedders } from '../inference/embedders.ts'
import { type Generations, isSameModel, type WantedModel } from '../search-index/generations.ts'
import type { VectorOptions } from '../search-index/search-index.ts'

/** What the settings want of the index; null: no vectors. */
export function wantedModel(configured: Configured): WantedModel | null {
  if (configured.kind === 'off') return null
  if (configured.kind === 'ready') return configured.model
  return { model: configured.kind === 'silent' ? configured.name : configured.model.model, dimension: null }
}

/** With a model that cannot be asked, a new index would never be whole: until then it is made with the present one. */
export function nextModel(configured: Configured, serving: VectorOptions | null): VectorOptions | null {
  if (configured.kind === 'off') return null
  return configured.kind === 'ready' ? configured.model : serving
}

/** The model that the settings ask for and the index does not have; null where there is nothing to do by itself. */
export function modelToBegin(
  configured: Configured,
  { vectors, declined }: Pick<Generations, 'vectors' | 'declined'>,
): VectorOptions | null {
  if (configured.kind !== 'ready' || isSameModel(configured.model, vectors())) return null
  return declined() === configured.model.model ? null : configured.model
}

/** Whether an index that takes over without all its vectors would lose what the present one can. */
export const isSwitch = (building: VectorOptions | null, serving: VectorOptions | null): boolean =>
  building !== null && serving !== null && !isSameModel(building, serving)

/** What understands a query as these vectors were made. The settings may want nobody to be asked. */
export const embedderOf = (
  { configured, of }: Pick<Embedders, 'configured' | 'of'>,
  vectors: VectorOptions | null,
): Embedder | null => (vectors === null || configured().kind === 'off' ? null : of(vectors))
