// Which parts of a passage can stand alone as an answer: sentences and rows of tables, but no headings, code or lists of links.
import type { Language } from '../../text/language.ts'
import { findSentences } from '../../text/sentences.ts'
import { isMarkedHeader } from '../../text/tables/find-tables.ts'
import { parseRowLine } from '../../text/tables/row-line.ts'
import { endsSentence, isCode, isTermLine, joinsNext, parseRow, type TableRow, withoutListMark } from './line-forms.ts'

export interface Statement {
  /** As it stands in the passage, with its lines joined. */
  text: string
  form: 'sentence' | 'row'
  /** The heading or the defined term above it. */
  lead: string
  /** The sentence before it in the same paragraph. */
  before: string
  /** Its place in the passage. */
  start: number
  cells: readonly Cell[]
}

export interface Cell {
  header: string
  value: string
}

/** Sentences and rows; of a text without any, its longer lines. */
export function findStatements(text: string, language: Language): Statement[] {
  const all = readStatements(text, language)
  const whole = all.flatMap(({ form, ...it }): Statement[] => (form === 'fragment' ? [] : [{ ...it, form }]))
  return whole.length > 0 ? whole : all.map((it) => ({ ...it, form: 'sentence' }))
}

function readStatements(text: string, language: Language): ReadStatement[] {
  const found: ReadStatement[] = []
  let lead = ''
  let header: TableRow | null = null
  let marked: TableRow | null = null
  for (const block of blocksOf(text)) {
    if (block.form !== 'row' || block.isMarkedHeader) marked = block.form === 'row' ? block.row : null
    if (block.form === 'row' && marked !== null && block.row.cells.length <= marked.cells.length) {
      // Each piece of a long table begins with its header.
      if (!block.isMarkedHeader) found.push(rowStatement(block, { ...marked, isHeader: true }, lead))
      continue
    }
    if (block.form === 'row') {
      const isFirst = header?.cells.length !== block.row.cells.length
      if (header === null || isFirst) header = block.row
      if (!isFirst || !header.isHeader) found.push(rowStatement(block, header, lead))
      continue
    }
    header = null
    if (block.form === 'term') {
      lead = block.text
      found.push(statement(isNameLine(lead) ? 'sentence' : 'fragment', lead, block.start))
    }
    if (block.form !== 'paragraph') continue
    const sentences = readParagraph(block, language, lead)
    found.push(...sentences)
    // A question above its answer says what the answer is about.
    lead = sentences.findLast((it) => it.text.endsWith('?'))?.text ?? lead
  }
  return found
}

type ReadStatement = Omit<Statement, 'form'> & { form: Statement['form'] | 'fragment' }

function readParagraph({ text, start: offset }: TextBlock, language: Language, lead: string): ReadStatement[] {
  let before = ''
  return findSentences(text, language).map(({ start, end }) => {
    const own = text.slice(start, end)
    const form = endsSentence(own) && isWhole(own) ? 'sentence' : 'fragment'
    const found = { ...statement(form, own, offset + start), lead, before }
    before = found.text
    return found
  })
}

/** "vacuum — collects garbage": a name and what it stands for. */
const isNameLine = (text: string): boolean => /^\S+(?: \S+){0,3} [—–] \S+ \S+ \S/.test(text)

/** Not cut within brackets, and not a question. */
function isWhole(sentence: string): boolean {
  const count = (sign: string) => sentence.split(sign).length
  return !sentence.endsWith('?') && count('(') <= count(')')
}

const statement = (form: ReadStatement['form'], text: string, start: number): ReadStatement => ({
  text: text.replace(/\s+/g, ' '),
  form,
  lead: '',
  before: '',
  start,
  cells: [],
})

function rowStatement({ row, start }: RowBlock, header: TableRow, lead: string): ReadStatement {
  const cells = row.cells.map((value, at) => ({ header: header.isHeader ? (header.cells[at] ?? '') : '', value }))
  const before = header.isHeader ? header.cells.join(' ') : ''
  return { ...statement('row', row.cells.join(' | '), start), lead, before, cells }
}

/** A row of a table whose other cells are empty. */
function parseSingleCell(line: string): TableRow | null {
  const [cell = '', rest, ...others] = line.trim().split(' |')
  return rest === '' && others.length === 0 ? { cells: [cell, ''], isHeader: false } : null
}

function isMarked(lines: readonly string[], at: number): boolean {
  const [before = null, own = null, next = null] = [at - 1, at, at + 1].map((it) => parseRowLine(lines[it] ?? ''))
  return own !== null && isMarkedHeader(own, before, next)
}

type RowBlock = { form: 'row'; row: TableRow; start: number; isMarkedHeader: boolean }
type TextBlock = { form: 'paragraph' | 'term' | 'code' | 'gap'; text: string; start: number }
type Block = RowBlock | TextBlock

/** Paragraphs with their wrapped lines joined, and what is between them. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let isFenced = false
  let at = 0
  const lines = text.split('\n')
  for (const [nth, line] of lines.entries()) {
    const start = at
    at += line.length + 1
    if (line.trimStart().startsWith('```')) {
      isFenced = !isFenced
      continue
    }
    const last = blocks.at(-1)
    const bare = withoutListMark(line)
    const row = parseRow(line) ?? (last?.form === 'row' ? parseSingleCell(line) : null)
    if (line.trim() === '') blocks.push({ form: 'gap', text: '', start })
    else if (isFenced || (row === null && isCode(line)) || /^ {4}/.test(line))
      blocks.push({ form: 'code', text: line, start })
    else if (row !== null) {
      if (row.cells.length > 0) blocks.push({ form: 'row', row, start, isMarkedHeader: isMarked(lines, nth) })
    } else if (last?.form === 'paragraph' && bare === line.trim() && joinsNext(lines[nth - 1] ?? '', line))
      last.text += ` ${bare}`
    else blocks.push({ form: isTermLine(line) ? 'term' : 'paragraph', text: bare, start })
  }
  return blocks
}
