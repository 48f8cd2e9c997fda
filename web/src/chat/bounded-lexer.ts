// The lexer of Markdown, but what would keep the page busy stays as it was written.
import { Lexer, type Token, type TokensList } from 'marked'

/** Quotes in lists in quotes: nobody writes more, and the lexer's stack ends somewhere. */
const MAX_DEPTH = 16
/** A paragraph of 5,000 characters can take 170 ms, and one of twice the length four times as long. */
const MAX_INLINE = 5_000
/** An honest answer of 20,000 characters takes 10 ms. */
const MAX_MS = 400

export class BoundedLexer extends Lexer {
  readonly #until = performance.now() + MAX_MS
  #depth = 0

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[]
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList
  override blockTokens(src: string, tokens: Token[] = this.tokens, isClipped?: boolean): Token[] {
    return this.#isTooMuch() ? asWritten(src, tokens) : this.#deeper(() => super.blockTokens(src, tokens, isClipped))
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length > MAX_INLINE || this.#isTooMuch()) return asWritten(src, tokens)
    return this.#deeper(() => super.inlineTokens(src, tokens))
  }

  #isTooMuch(): boolean {
    return this.#depth >= MAX_DEPTH || performance.now() > this.#until
  }

  #deeper(tokenize: () => Token[]): Token[] {
    this.#depth += 1
    try {
      return tokenize()
    } finally {
      this.#depth -= 1
    }
  }
}

function asWritten(src: string, tokens: Token[]): Token[] {
  tokens.push({ type: 'escape', raw: src, text: src })
  return tokens
}
