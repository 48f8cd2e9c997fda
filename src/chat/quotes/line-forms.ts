// Tells the lines of a text apart: a row of a table, code, a heading or the beginning of a paragraph.

export interface TableRow {
  /** Empty for the line below the header of a Markdown table. */
  cells: readonly string[]
  /** Short cells without numbers name the columns. */
  isHeader: boolean
}

const MAX_HEADER_WORDS = 4
const wordCount = (text: string): number => text.split(/\s+/).filter((it) => /[\p{L}\p{N}]/u.test(it)).length

/** Null if the line is not part of a table. */
export function parseRow(line: string): TableRow | null {
  const trimmed = line.trim()
  if (!/ \| |^\|/.test(trimmed) || /[{[] |^>>>|^ {4}/.test(line)) return null
  const isMarkdown = trimmed.length > 1 && trimmed.startsWith('|') && trimmed.endsWith('|')
  const inner = isMarkdown ? trimmed.slice(1, -1) : trimmed
  const parts = inner.split('|').map((it) => it.trim())
  if (parts.every((it) => /^[-:]*$/.test(it))) return { cells: [], isHeader: false }
  return { cells: parts, isHeader: parts.every((it) => wordCount(it) <= MAX_HEADER_WORDS && !/[\d`/_.]/.test(it)) }
}

/** Prompts, indented lines, comments, statements, and lines of signs. */
export function isCode(line: string): boolean {
  if (/^(?: {4}|\t|>>>|\.\.\. |\$ |#!|--|\/\/|\/\*|=> )/.test(line)) return true
  const trimmed = line.trim()
  if (/[{};=\\]$/.test(trimmed) || /^[\w.]+ = /.test(trimmed)) return true
  const signs = trimmed.match(/[{}[\]=<>&*\\/_$@#;()+]/g)?.length ?? 0
  return signs > MAX_SIGNS * trimmed.length && !/[.!?)¶]$/.test(trimmed)
}
const MAX_SIGNS = 0.15

const MAX_TERM_WORDS = 14
const WRAPPED_LENGTH = 60

/** A heading, or the term that the next paragraph defines. A long line is a wrapped sentence, unless it is a signature. */
export function isTermLine(line: string): boolean {
  if (line.startsWith('#')) return true
  const text = line.trim()
  if (text !== withoutListMark(line) || wordCount(text) > MAX_TERM_WORDS || endsSentence(text)) return false
  return /[)¶]$/.test(text) || (text.length < WRAPPED_LENGTH && !/[,:;]$/.test(text))
}

/** A colon announces what follows, so the sentence alone says nothing. */
export const endsSentence = (text: string): boolean => /[.!?…。！？।؟;][\])"'”’»]{0,3}$/u.test(text)

/** Without the mark of a list, a quotation or a heading. */
export const withoutListMark = (line: string): string =>
  line
    .trim()
    .replace(/^(?:[-*•+>]|#{1,6}|\d{1,3}[.)]) +/, '')
    .trim()

/** The paragraphs of a page are one line each, and mostly longer. */
const MAX_WRAPPED_LENGTH = 200

/** Whether a line was wrapped in the middle of a sentence. */
export function joinsNext(line: string, next: string): boolean {
  const end = line.trimEnd()
  if (/[\p{L}\p{N},;–-]$/u.test(end) && /^\p{Ll}/u.test(next.trimStart())) return true
  if (end.length < WRAPPED_LENGTH || end.length > MAX_WRAPPED_LENGTH) return false
  return /^[\p{L}\p{N}"'“„«`(*[]/u.test(next.trimStart()) && !(endsSentence(end) && isTermLine(next))
}
