// Finds formulas in Markdown: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` on their own.
import type { MarkedOptions, Token } from 'marked'
import { MAX_FORMULA } from './parse-tex.ts'

export interface MathToken {
  type: 'math'
  raw: string
  text: string
  isBlock: boolean
}

/** Texts beyond this are not searched for the start of a formula, so that the time stays bounded. */
const MAX_LOOKAHEAD = 5_000

export const isMathToken = (token: Token): token is Token & MathToken => token.type === 'math'

export const mathExtensions: NonNullable<MarkedOptions['extensions']> = {
  renderers: {},
  childTokens: {},
  inline: [(src) => inlineFormula(src)],
  startInline: [(src) => src.slice(0, MAX_LOOKAHEAD).search(/[$]|\\[([]/)],
  // A formula that does not begin a paragraph is found in it: cutting paragraphs would take quadratic time.
  block: [(src) => blockFormula(src)],
}

function blockFormula(src: string): MathToken | undefined {
  const indent = /^ {0,3}(?=\$\$|\\\[)/.exec(src)
  if (indent === null) return undefined
  const rest = src.slice(indent[0].length)
  const found = fenced(rest, '$$', '$$') ?? fenced(rest, '\\[', '\\]')
  if (found === undefined) return undefined
  const after = /^[ \t]*(?:\n|$)/.exec(rest.slice(found.raw.length))
  if (after === null) return undefined
  return { ...found, raw: indent[0] + found.raw + after[0], isBlock: true }
}

function inlineFormula(src: string): MathToken | undefined {
  const display = fenced(src, '$$', '$$') ?? fenced(src, '\\[', '\\]')
  if (display !== undefined) return { ...display, isBlock: true }
  const inline = fenced(src, '\\(', '\\)') ?? dollars(src)
  return inline && { ...inline, isBlock: false }
}

type Found = Omit<MathToken, 'isBlock'>

function fenced(src: string, open: string, close: string): Found | undefined {
  if (!src.startsWith(open)) return undefined
  const end = src.slice(0, MAX_FORMULA).indexOf(close, open.length)
  const text = src.slice(open.length, end).trim()
  return end < 0 || text === '' ? undefined : { type: 'math', raw: src.slice(0, end + close.length), text }
}

/** Amounts of money are no formulas: the signs touch the formula, and no digit follows the last one. */
function dollars(src: string): Found | undefined {
  const end = src.slice(0, MAX_FORMULA).indexOf('$', 1)
  const text = src.slice(1, end)
  if (!src.startsWith('$') || end < 2 || text.includes('\n')) return undefined
  const touches = !/^\s/.test(text) && !/[\s\\]$/.test(text.slice(-1))
  return touches && !/^[\d$]/.test(src.slice(end + 1)) ? { type: 'math', raw: src.slice(0, end + 1), text } : undefined
}
