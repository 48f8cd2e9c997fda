// Writes the paragraphs of a Word document: headings, lists and the rows of tables.
import type { SectionWriter } from '../../../section-writer.ts'
import { createSlugger } from '../../../slugger.ts'
import { createTableWriter } from '../../../table-writer.ts'
import type { ParagraphFormat } from './doc-formats.ts'
import type { DocParagraph } from './doc-paragraphs.ts'

export interface DocBodyWriter {
  paragraph(paragraph: DocParagraph): void
  end(): void
}

/** Word allows 63 columns. Longer rows are split. */
const MAX_CELLS = 1_000
const MAX_CELL = 1_000_000

/** `hasRowMarks`: whether formats tell where a row ends; otherwise it ends after an empty cell. */
export function createDocBody(
  writer: SectionWriter,
  { headings, hasRowMarks }: { headings: ReadonlySet<number>; hasRowMarks: boolean },
): DocBodyWriter {
  const toSlug = createSlugger()
  const table = createTableWriter(writer, 'text')
  let cells: string[] = []
  let cell = ''
  let isInTable = false

  const isHeading = ({ outline, style }: ParagraphFormat) => (outline === null ? headings.has(style) : outline < 9)
  const endRow = (isHeader: boolean) => {
    if (cell.trim() !== '') cells.push(cell)
    if (cells.length > 0) table.row(cells, { isHeader })
    cells = []
    cell = ''
  }
  const endTable = () => {
    if (!isInTable) return
    endRow(false)
    table.end()
    writer.line('')
    isInTable = false
  }
  const addToTable = ({ text, isCellEnd, format }: DocParagraph) => {
    isInTable = true
    const isRowEnd = isCellEnd && (hasRowMarks ? format.isRowEnd : text === '' && cell === '' && cells.length > 0)
    if (isRowEnd) return endRow(format.isTableHeader)
    cell += text
    if (isCellEnd) {
      cells.push(cell)
      cell = ''
    } else if (format.isInnerCell) cell += ' | '
    else cell += format.isInnerRowEnd ? '; ' : ' '
    if (cells.length > MAX_CELLS || cell.length > MAX_CELL) endRow(false)
  }
  return {
    paragraph(paragraph) {
      const { text, isCellEnd, format } = paragraph
      if (isCellEnd || format.isInTable || (!hasRowMarks && cells.length > 0)) return addToTable(paragraph)
      endTable()
      const line = text.trim()
      if (line !== '' && isHeading(format)) writer.heading(line, toSlug(line))
      else writer.line(line !== '' && format.isListItem ? `- ${line}` : text)
    },
    end() {
      endTable()
      writer.end()
    },
  }
}
