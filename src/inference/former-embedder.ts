import { type Embedder, EmbeddingError } from './embedder.ts'

/** What is asked of a former model's server before its first text is sent there. */
export type Check = (signal: AbortSignal) => Promise<boolean>

/** Searches do not wait each time for a server that does not have it. */
const ASK_AGAIN_MS = 30_000

/** A model that the settings name no more, on a server that may have it still: rejects while that is not certain. */
export function formerEmbedder(embedder: Embedder, isThere: Check): Embedder {
  let checked: Promise<boolean> | null = null
  let failed: { error: unknown; until: number } | null = null
  const begin = () => {
    // One who goes does not take the answer from the others who wait for it.
    const asked = isThere(new AbortController().signal)
    asked.catch((error: unknown) => {
      checked = null
      failed = { error, until: performance.now() + ASK_AGAIN_MS }
    })
    return asked
  }
  const check = async (signal: AbortSignal) => {
    if (failed !== null && performance.now() < failed.until) throw failed.error
    checked ??= begin()
    const isSure = await checked
    signal.throwIfAborted()
    if (!isSure) throw new EmbeddingError(`the server has no ${embedder.model}: it answers with another model`)
  }
  return {
    ...embedder,
    async embedQuery(query, signal) {
      await check(signal)
      return embedder.embedQuery(query, signal)
    },
    async embedTexts(texts, signal) {
      await check(signal)
      return embedder.embedTexts(texts, signal)
    },
  }
}
