// Joins the runs of a Word document to paragraphs, without the codes of fields and the marks of pictures and notes.
import { CHANGING_FIELD } from '../../beside/docx-headers.ts'
import type { DocFormats, ParagraphFormat } from './doc-formats.ts'
import type { TextRun } from './doc-pieces.ts'

export interface DocParagraph {
  text: string
  /** The paragraph is the end of a cell or of a row. */
  isCellEnd: boolean
  format: ParagraphFormat
  /** The text had a field such as a page number, which is left out. */
  hasChangingField: boolean
}

export interface ParagraphSettings {
  formats: DocFormats
  /** In headers, page numbers and dates are no text. */
  changingFields: 'keep' | 'leave out'
}

/** Longer paragraphs are split. */
const MAX_PARAGRAPH = 1_000_000
const MAX_CODE = 200
const MAX_OPEN_FIELDS = 1_000

const [CELL_END, LINE_BREAK, PAGE_BREAK, PARAGRAPH_END, COLUMN_BREAK] = [0x07, 0x0b, 0x0c, 0x0d, 0x0e]
const [FIELD_BEGIN, FIELD_RESULT, FIELD_END] = [0x13, 0x14, 0x15]
const TAB = 0x09
const FIXED_HYPHEN = 0x1e

interface OpenField {
  code: string
  isInCode: boolean
}

export function* readParagraphs(
  runs: Iterable<TextRun>,
  { formats, changingFields }: ParagraphSettings,
): Generator<DocParagraph> {
  let text = ''
  let hasChangingField = false
  let fields: OpenField[] = []
  const isChanging = (it: OpenField) => changingFields === 'leave out' && CHANGING_FIELD.test(it.code)
  const append = (piece: string) => {
    const field = fields.at(-1)
    if (field?.isInCode) field.code = (field.code + piece).slice(0, MAX_CODE)
    else if (!fields.some(isChanging)) text += piece
  }
  const readFieldMark = (mark: number) => {
    const field = fields.at(-1)
    if (mark === FIELD_BEGIN && fields.length < MAX_OPEN_FIELDS) fields.push({ code: '', isInCode: true })
    else if (mark === FIELD_RESULT && field !== undefined) field.isInCode = false
    else if (mark === FIELD_END && field !== undefined) {
      hasChangingField ||= isChanging(field)
      fields.pop()
      if (field.isInCode) append(textOfCode(field.code))
    }
  }
  const end = (at: number, isCellEnd: boolean): DocParagraph => {
    const paragraph = { text, isCellEnd, format: formats.paragraphAt(at), hasChangingField }
    text = ''
    hasChangingField = false
    // The code of a field ends in its paragraph; its result may go on.
    fields = fields.filter((it) => !it.isInCode)
    return paragraph
  }
  for (const run of runs) {
    for (const { piece, mark, at } of splitAtMarks(run.text)) {
      if (!run.isDeleted) append(piece)
      if (mark === CELL_END || (!run.isDeleted && (mark === PARAGRAPH_END || mark === PAGE_BREAK)))
        yield end(run.place + at * run.charBytes, mark === CELL_END)
      else if (mark >= FIELD_BEGIN && mark <= FIELD_END) readFieldMark(mark)
      else if (!run.isDeleted) append(TEXT_OF_MARK[mark] ?? '')
      if (text.length > MAX_PARAGRAPH) yield end(run.place + at * run.charBytes, false)
    }
  }
  if (text !== '') yield end(-1, false)
}

/** Some fields show a part of their code: buttons their caption, and equations and ruby text their operands. */
function textOfCode(code: string): string {
  const button = /^\s{0,9}(?:MACROBUTTON|GOTOBUTTON)\s{1,9}\S{1,100}\s([^\\]*)/i.exec(code)
  if (button !== null) return button[1] ?? ''
  if (!/^\s{0,9}EQ\s/i.test(code)) return ''
  return code
    .replace(/^\s{0,9}EQ\s/i, '')
    .replace(/\\\*\s?(?:"[^"]*"|\w+)|\\\w+\s?\d*/g, '')
    .replace(/[(),;]/g, ' ')
}

const TEXT_OF_MARK: Readonly<Record<number, string>> = {
  [TAB]: '\t',
  [LINE_BREAK]: '\n',
  [COLUMN_BREAK]: '\n',
  [FIXED_HYPHEN]: '-',
}

/** `mark` is -1 at the end of the text. */
function* splitAtMarks(text: string): Generator<{ piece: string; mark: number; at: number }> {
  let begun = 0
  for (const { index } of text.matchAll(/[\0-\x1f]/g)) {
    yield { piece: text.slice(begun, index), mark: text.charCodeAt(index), at: index }
    begun = index + 1
  }
  yield { piece: text.slice(begun), mark: -1, at: text.length }
}
