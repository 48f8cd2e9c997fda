// Reads a table of people, as an administrator edits it in a spreadsheet.
import { AppError } from '../domain/errors.ts'
import { emailKeyOf, ROLES, type Role } from '../domain/subject.ts'
import type { PersonEntry } from '../store/identity/import/import-people.ts'
import { readCsvRows } from '../wire/csv-rows.ts'

export const MAX_LINES = 10_000
const MAX_PROBLEMS = 100
const MAX_NAME = 200
const MAX_EMAIL = 320
const MAX_GROUP_NAME = 500
const MAX_GROUPS = 200
/** The export has all of them. A file may lack all but `email`. */
const COLUMNS = ['email', 'name', 'role', 'groups', 'active'] as const
/** The export has these too; an import does not change them. */
const IGNORED_COLUMNS = ['verified', 'last_seen']
const EMAIL = /^[^\s@\u0000]+@[^\s@\u0000]+$/
const TRUTHS = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])
/** Written by our export before cells that a spreadsheet would evaluate. */
const ESCAPED = /^'(?=[=+\-@\t\r])/

type Column = (typeof COLUMNS)[number]

export interface LineProblem {
  /** The line of the table, without empty lines. The header is line 1. */
  line: number
  reason: string
}

export interface PeopleTable {
  entries: PersonEntry[]
  /** The first 100. */
  problems: LineProblem[]
}

/** INVALID_INPUT: the header cannot be used, or the table is longer than 10,000 lines. */
export function readPeopleTable(text: string): PeopleTable {
  const table: PeopleTable = { entries: [], problems: [] }
  const lineOf = new Map<string, number>()
  let columns: (Column | null)[] | undefined
  let line = 0
  readCsvRows({ text: text.replace(/^\uFEFF/, ''), delimiter: '' }, (cells) => {
    line += 1
    if (line > MAX_LINES + 1)
      throw new AppError('INVALID_INPUT', { reason: `The table has more than ${MAX_LINES} people.` })
    if (columns === undefined) {
      columns = readHeader(cells)
      return
    }
    try {
      const entry = readEntry(columns, cells, line)
      const first = lineOf.get(emailKeyOf(entry.email))
      if (first !== undefined) throw new LineError(`Line ${first} has the same address.`)
      lineOf.set(emailKeyOf(entry.email), line)
      table.entries.push(entry)
    } catch (error) {
      if (!(error instanceof LineError)) throw error
      if (table.problems.length < MAX_PROBLEMS) table.problems.push({ line, reason: error.message })
    }
  })
  if (columns === undefined) throw new AppError('INVALID_INPUT', { reason: 'The table is empty.' })
  return table
}

/** The reason why one line cannot be used. */
class LineError extends Error {}

/** Null for a column that an import does not change. */
function readHeader(cells: readonly string[]): (Column | null)[] {
  const columns = cells.map((cell) => {
    const name = cell.trim().toLowerCase()
    if (IGNORED_COLUMNS.includes(name)) return null
    const column = COLUMNS.find((it) => it === name)
    if (column === undefined) {
      const known = [...COLUMNS, ...IGNORED_COLUMNS].join(', ')
      throw new AppError('INVALID_INPUT', {
        reason: `The first line has the column "${name.slice(0, 100)}". The columns are ${known}.`,
      })
    }
    return column
  })
  if (!columns.includes('email'))
    throw new AppError('INVALID_INPUT', { reason: 'The first line lacks the column email.' })
  const twice = columns.find((it, at) => it !== null && columns.indexOf(it) !== at)
  if (twice != null) throw new AppError('INVALID_INPUT', { reason: `The first line has the column ${twice} twice.` })
  return columns
}

/** Absent columns stay undefined: the import leaves them as they are. */
function readEntry(columns: readonly (Column | null)[], cells: readonly string[], line: number): PersonEntry {
  if (cells.length > columns.length) throw new LineError('The line has more cells than the first line.')
  const cellOf = (column: Column): string | undefined => {
    const at = columns.indexOf(column)
    return at < 0 ? undefined : (cells[at] ?? '').trim().replace(ESCAPED, '')
  }
  const [name, role, groups, active] = [cellOf('name'), cellOf('role'), cellOf('groups'), cellOf('active')]
  return {
    line,
    email: readEmail(cellOf('email') ?? ''),
    ...(name !== undefined && { name: readName(name) }),
    ...(role !== undefined && role !== '' && { role: readRole(role) }),
    ...(groups !== undefined && { groups: readGroups(groups) }),
    ...(active !== undefined && active !== '' && { is_active: readTruth(active) }),
  }
}

function readEmail(cell: string): string {
  if (cell === '') throw new LineError('The address is missing.')
  if (cell.length > MAX_EMAIL || !EMAIL.test(cell)) throw new LineError('The address is not an e-mail address.')
  return cell
}

function readName(cell: string): string | null {
  if (cell.length > MAX_NAME || cell.includes('\u0000'))
    throw new LineError(`The name is not a text of at most ${MAX_NAME} characters.`)
  return cell === '' ? null : cell
}

function readRole(cell: string): Role {
  const role = ROLES.find((it) => it === cell.toLowerCase())
  if (role === undefined) throw new LineError(`The role is none of ${ROLES.join(', ')}.`)
  return role
}

function readGroups(cell: string): string[] {
  const names = [...new Set(cell.split(';').map((it) => it.trim()))].filter((it) => it !== '')
  if (names.length > MAX_GROUPS) throw new LineError(`The line names more than ${MAX_GROUPS} groups.`)
  if (names.some((it) => it.length > MAX_GROUP_NAME || it.includes('\u0000')))
    throw new LineError(`A name of a group is not a text of at most ${MAX_GROUP_NAME} characters.`)
  return names
}

function readTruth(cell: string): boolean {
  const truth = TRUTHS.get(cell.toLowerCase())
  if (truth === undefined) throw new LineError('The column active has neither true nor false.')
  return truth
}
