// A Markdown lexer with limits: input that would block the page stays plain text.
import { Lexer, type MarkedOptions, type Token, type TokensList } from 'marked'

/** Protects the stack of the recursive lexer. No real text nests this deeply. */
const MAX_DEPTH = 16
/** The lexer is quadratic: a paragraph of 5,000 characters can take 170 ms. */
const MAX_INLINE = 5_000
/** A usual answer of 20,000 characters takes 10 ms. */
const MAX_MS = 400

export class BoundedLexer extends Lexer {
  readonly #until: number
  #depth = 0

  constructor(options: MarkedOptions, maxMs = MAX_MS) {
    super(options)
    this.#until = performance.now() + maxMs
  }

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[]
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList
  override blockTokens(src: string, tokens: Token[] = this.tokens, isClipped?: boolean): Token[] {
    return this.#isTooMuch()
      ? pushPlainText(src, tokens)
      : this.#deeper(() => super.blockTokens(src, tokens, isClipped))
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length > MAX_INLINE || this.#isTooMuch()) return pushPlainText(src, tokens)
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

function pushPlainText(src: string, tokens: Token[]): Token[] {
  tokens.push({ type: 'escape', raw: src, text: src })
  return tokens
}
