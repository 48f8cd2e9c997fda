// Reads the common part of TeX's formulas. Null stands for a formula that is not understood as a whole.
import {
  ACCENTS,
  DOUBLE_STRUCK,
  ENVIRONMENTS,
  FUNCTIONS,
  IGNORED,
  LETTERS,
  OPERATORS,
  SPACES,
  TEXTS,
} from './tex-symbols.ts'

export type MathNode =
  | { kind: 'row'; children: readonly MathNode[] }
  | { kind: 'letter' | 'number' | 'operator' | 'function' | 'text'; text: string }
  | { kind: 'space'; em: number }
  | { kind: 'fraction'; top: MathNode; bottom: MathNode; isBinomial: boolean }
  | { kind: 'root'; radicand: MathNode; degree: MathNode | null }
  | { kind: 'accent'; base: MathNode; accent: string }
  | { kind: 'scripts'; base: MathNode; sub: MathNode | null; sup: MathNode | null }
  | { kind: 'table'; open: string; close: string; rows: readonly (readonly MathNode[])[] }

export const MAX_FORMULA = 2_000
/** Protects the stack. */
const MAX_DEPTH = 30

class NotUnderstood extends Error {}

export function parseTex(tex: string): MathNode | null {
  if (tex.length > MAX_FORMULA) return null
  try {
    const reader = new TexReader(tex)
    const formula = reader.row(0, () => false)
    return reader.isAtEnd() ? formula : null
  } catch (error) {
    if (error instanceof NotUnderstood) return null
    throw error
  }
}

const TOKEN = /\\[a-zA-Z]+|\\[^a-zA-Z]|\d+(?:[.,]\d+)*|\s+|[^\\\d\s]/gu

class TexReader {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(tex: string) {
    const tokens = tex.match(TOKEN) ?? []
    if (tokens.join('').length !== tex.length) throw new NotUnderstood()
    this.#tokens = tokens
  }

  isAtEnd = (): boolean => this.#at >= this.#tokens.length

  /** Reads up to a token that ends it, which it leaves. */
  row(depth: number, isEnd: (token: string) => boolean): MathNode {
    if (depth > MAX_DEPTH) throw new NotUnderstood()
    const children: MathNode[] = []
    for (let token = this.#peek(); token !== undefined && !isEnd(token); token = this.#peek()) {
      if (token === '}' || token === '&' || token === '\\\\') throw new NotUnderstood()
      if (token === '^' || token === '_') children.push(this.#scripts(depth, children.pop() ?? EMPTY))
      else children.push(...this.#atom(depth))
    }
    return rowOf(children)
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]
  }

  #next(): string {
    const token = this.#tokens[this.#at]
    if (token === undefined) throw new NotUnderstood()
    this.#at += 1
    return token
  }

  #skipSpace(): void {
    while (/^\s/.test(this.#peek() ?? '')) this.#at += 1
  }

  /** Nothing for white space and for commands of style. */
  #atom(depth: number): MathNode[] {
    const token = this.#next()
    if (token === '{') {
      const inner = this.row(depth + 1, (it) => it === '}')
      this.#expect('}')
      return [inner]
    }
    if (token.startsWith('\\')) return this.#command(token.slice(1), depth)
    if (/^\s/.test(token)) return []
    if (/^\d/.test(token)) return [{ kind: 'number', text: token }]
    if (/^\p{L}/u.test(token)) return [{ kind: 'letter', text: token }]
    if (token === "'") return [{ kind: 'operator', text: '′' }]
    return [{ kind: 'operator', text: token === '-' ? '−' : token }]
  }

  #command(name: string, depth: number): MathNode[] {
    const space = SPACES.get(name)
    if (space !== undefined) return [{ kind: 'space', em: space }]
    if (IGNORED.has(name)) return this.#afterStyle(name)
    const letter = LETTERS.get(name)
    if (letter !== undefined) return [{ kind: 'letter', text: letter }]
    const operator = OPERATORS.get(name)
    if (operator !== undefined) return [{ kind: 'operator', text: operator }]
    if (FUNCTIONS.has(name)) return [{ kind: 'function', text: name === 'bmod' ? 'mod' : name }]
    return [this.#structure(name, depth)]
  }

  /** A fence `.` after `\left` or `\right` is invisible. */
  #afterStyle(name: string): MathNode[] {
    if (!['left', 'right', 'middle'].includes(name)) return []
    this.#skipSpace()
    if (this.#peek() === '.') this.#at += 1
    return []
  }

  #structure(name: string, depth: number): MathNode {
    if (TEXTS.has(name)) return textOf(name, this.#rawArgument())
    const accent = ACCENTS.get(name)
    if (accent !== undefined) return { kind: 'accent', base: this.#argument(depth), accent }
    switch (name) {
      case 'frac':
      case 'dfrac':
      case 'tfrac':
      case 'binom':
        return {
          kind: 'fraction',
          top: this.#argument(depth),
          bottom: this.#argument(depth),
          isBinomial: name === 'binom',
        }
      case 'sqrt':
        return { kind: 'root', degree: this.#degree(depth), radicand: this.#argument(depth) }
      case 'begin':
        return this.#environment(depth)
      default:
        throw new NotUnderstood()
    }
  }

  /** A group, or one symbol. */
  #argument(depth: number): MathNode {
    this.#skipSpace()
    const [argument] = this.#atom(depth + 1)
    if (argument === undefined) throw new NotUnderstood()
    return argument
  }

  #degree(depth: number): MathNode | null {
    if (this.#peek() !== '[') return null
    this.#at += 1
    const degree = this.row(depth + 1, (it) => it === ']')
    this.#expect(']')
    return degree
  }

  #rawArgument(): string {
    this.#skipSpace()
    this.#expect('{')
    let text = ''
    for (let token = this.#next(); token !== '}'; token = this.#next()) {
      if (token === '{' || /^\\[a-zA-Z]/.test(token)) throw new NotUnderstood()
      text += token.startsWith('\\') ? token.slice(1) : token
    }
    return text
  }

  #environment(depth: number): MathNode {
    const name = this.#rawArgument()
    const fences = ENVIRONMENTS.get(name)
    if (fences === undefined) throw new NotUnderstood()
    const rows: MathNode[][] = [[]]
    for (let end = ''; end !== '\\end'; ) {
      rows.at(-1)?.push(this.row(depth + 1, (it) => it === '&' || it === '\\\\' || it === '\\end'))
      end = this.#next()
      if (end === '\\\\') rows.push([])
    }
    if (this.#rawArgument() !== name) throw new NotUnderstood()
    const [open, close] = fences
    return { kind: 'table', open, close, rows: rows.filter((it) => it.some((cell) => cell !== EMPTY)) }
  }

  #scripts(depth: number, base: MathNode): MathNode {
    const isSub = this.#next() === '_'
    const script = this.#argument(depth)
    const before = base.kind === 'scripts' ? base : { base, sub: null, sup: null }
    if ((isSub ? before.sub : before.sup) !== null) throw new NotUnderstood()
    return { ...before, kind: 'scripts', ...(isSub ? { sub: script } : { sup: script }) }
  }

  #expect(token: string): void {
    if (this.#next() !== token) throw new NotUnderstood()
  }
}

const EMPTY: MathNode = { kind: 'row', children: [] }

function rowOf(children: readonly MathNode[]): MathNode {
  const [only] = children
  if (only === undefined) return EMPTY
  return children.length === 1 ? only : { kind: 'row', children }
}

function textOf(command: string, text: string): MathNode {
  if (command === 'mathbb') return { kind: 'letter', text: DOUBLE_STRUCK.get(text) ?? text }
  return { kind: command === 'operatorname' ? 'function' : 'text', text }
}
