/** Turns texts into vectors, so that texts of like meaning lie near each other. */
export interface Embedder {
  /** Names the weights and how texts are prepared for them: vectors of different names cannot be compared. */
  readonly model: string
  readonly dimension: number

  /** Of what somebody looks for, ahead of every text that waits. The vector has length 1. */
  embedQuery(query: string, signal: AbortSignal): Promise<Float32Array>

  /**
   * In the order of the texts, each of length 1. Rejects as a whole; what is too long for the model is cut by it. Takes
   * its time: meant for what can wait, in calls of some hundred texts at most.
   */
  embedTexts(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>

  /** Ends threads and connections; calls that are under way reject. */
  close(): Promise<void>
}

/** Why a model did not answer, in words for the operator. */
export class EmbeddingError extends Error {
  /** How long it asks to be left alone. */
  readonly retryAfterMs: number | null
  /** It does not take these texts; others it may take. */
  readonly isAboutTexts: boolean
  /** Where the text is one that any model takes: it does not have this model. */
  readonly isAboutModel: boolean

  constructor(
    message: string,
    {
      retryAfterMs = null,
      isAboutTexts = false,
      isAboutModel = false,
    }: { retryAfterMs?: number | null; isAboutTexts?: boolean; isAboutModel?: boolean } = {},
  ) {
    super(message)
    this.retryAfterMs = retryAfterMs
    this.isAboutTexts = isAboutTexts
    this.isAboutModel = isAboutModel
  }
}
