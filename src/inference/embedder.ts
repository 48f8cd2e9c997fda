/** Maps texts to vectors, so that texts of similar meaning lie near each other. */
export interface Embedder {
  /** Identifies the weights and the preprocessing: vectors of different models cannot be compared. */
  readonly model: string
  readonly dimension: number
  /**
   * `english`: trained on English only, so other Latin languages say little to it and other scripts nothing.
   * `multilingual`: knows Latin, Cyrillic, Greek, Chinese, Japanese and Korean letters.
   */
  readonly reads: 'english' | 'multilingual' | 'any'
  /** A document below this similarity that contains no word of the query is not found. */
  readonly minSimilarity: number
  /** How documents in another language than the query's are scored; null if as all others. */
  readonly foreign: { semanticWeight: number; similarityOffset: number } | null

  /** Embeds a search query, ahead of all waiting texts. The vector has length 1. */
  embedQuery(query: string, signal: AbortSignal): Promise<Float32Array>

  /**
   * Returns vectors of length 1 in the order of the texts. Fails as a whole; truncates texts that are too long for the
   * model. Meant for background work, in calls of at most a few hundred texts.
   */
  embedTexts(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>

  /** Ends threads and connections; pending calls reject. */
  close(): Promise<void>
}

/** Why a model did not answer, in words for the operator. */
export class EmbeddingError extends Error {
  /** How long the server asks clients to wait. */
  readonly retryAfterMs: number | null
  /** The model rejects these texts; it may accept others. */
  readonly isInputRejected: boolean
  /** The server does not have the model, if the text is one that any model accepts. */
  readonly isModelUnknown: boolean

  constructor(
    message: string,
    {
      retryAfterMs = null,
      isInputRejected = false,
      isModelUnknown = false,
    }: { retryAfterMs?: number | null; isInputRejected?: boolean; isModelUnknown?: boolean } = {},
  ) {
    super(message)
    this.retryAfterMs = retryAfterMs
    this.isInputRejected = isInputRejected
    this.isModelUnknown = isModelUnknown
  }
}
