/** Splits a text into the pieces that a model knows. */
export interface Tokenizer {
  /** At most `maxTokens` ids, including the start and end tokens. */
  encode(text: string, maxTokens: number): number[]
}
