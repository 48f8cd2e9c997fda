import { type Embedder, EmbeddingError } from './embedder.ts'

/** Whether the server still has the former model; called before the first text is sent. */
export type ModelCheck = (signal: AbortSignal) => Promise<boolean>

/** Searches do not wait each time for a server that lacks the model. */
const RECHECK_MS = 30_000

/**
 * An embedder for a model that the settings no longer name; rejects until the server has confirmed that it still has
 * it.
 */
export function createFormerEmbedder(embedder: Embedder, checkModel: ModelCheck): Embedder {
  let checked: Promise<boolean> | null = null
  let failed: { error: unknown; until: number } | null = null
  const startCheck = () => {
    // The check is shared: a caller that aborts must not cancel it for the others.
    const asked = checkModel(new AbortController().signal)
    asked.catch((error: unknown) => {
      checked = null
      failed = { error, until: performance.now() + RECHECK_MS }
    })
    return asked
  }
  const requireModel = async (signal: AbortSignal) => {
    if (failed !== null && performance.now() < failed.until) throw failed.error
    checked ??= startCheck()
    const isSure = await checked
    signal.throwIfAborted()
    if (!isSure) throw new EmbeddingError(`the server does not have ${embedder.model}: it answers with another model`)
  }
  return {
    ...embedder,
    async embedQuery(query, signal) {
      await requireModel(signal)
      return embedder.embedQuery(query, signal)
    },
    async embedTexts(texts, signal) {
      await requireModel(signal)
      return embedder.embedTexts(texts, signal)
    },
  }
}
