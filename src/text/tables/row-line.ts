// A row of a table as one line of text. A header between bars, above rows without bars, names the columns of these rows.

export interface RowLine {
  cells: string[]
  /** The line begins and ends with a bar, as in a Markdown table. */
  isBarred: boolean
  /** The line of dashes below the header of a Markdown table. */
  isSeparator: boolean
}

/** Null if the line is not a row of a table. */
export function parseRowLine(line: string): RowLine | null {
  if (!line.includes('|') || line.startsWith('    ') || line.startsWith('\t')) return null
  const text = line.trim()
  const isBarred = text.length > 2 && text.startsWith('|') && text.endsWith('|')
  if (!isBarred && !text.includes(' | ') && !text.endsWith(' |')) return null
  const cells = isBarred ? text.slice(1, -1).split('|') : ` ${text} `.split(' | ')
  const trimmed = cells.map((it) => it.trim())
  if (!isBarred) dropEmptyEnd(trimmed)
  return { cells: trimmed, isBarred, isSeparator: trimmed.length > 0 && trimmed.every((it) => /^:?-+:?$/.test(it)) }
}

/** Empty cells at the end are left out. The line of an empty row is empty. */
export function rowLine(cells: readonly string[]): string {
  const filled = cells.map(oneLine)
  dropEmptyEnd(filled)
  return filled.join(' | ').trim()
}

/** A row below a header stays a row if it has only one cell. */
export function bodyLine(cells: readonly string[]): string {
  const line = rowLine(cells)
  return line === '' || line.includes(' | ') || line.startsWith('| ') ? line : `${line} |`
}

/** A bar in a name would begin another column. */
export const headerLine = (names: readonly string[]): string =>
  `| ${names.map((it) => oneLine(it).replaceAll('|', '/')).join(' | ')} |`

const oneLine = (cell: string): string => cell.replace(/\s+/g, ' ').trim()

function dropEmptyEnd(cells: string[]): void {
  while (cells.at(-1) === '') cells.pop()
}
