// Reads filters and paths of SCIM (RFC 7644, 3.4.2.2 and 3.5.2) in linear time.
import { AppError } from '../domain/errors.ts'
import { SCIM_OPERATORS, type ScimFilter, type ScimValue } from '../domain/scim/filter.ts'

export const MAX_FILTER_LENGTH = 1_000
const MAX_FILTER_DEPTH = 10

/** The target of a PATCH operation, such as `members[value eq "7"]` or `name.givenName`. */
export interface ScimPath {
  attribute: string
  filter: ScimFilter | null
  /** The attribute of the values that the filter matches: `value` in `emails[type eq "work"].value`. */
  sub: string | null
}

/** SCIM_INVALID_FILTER: the text is no filter, longer than 1,000 characters, or nested deeper than 10 levels. */
export function parseFilter(text: string): ScimFilter {
  const tokens = tokenize(text, 'SCIM_INVALID_FILTER')
  const filter = readOr(tokens, 1)
  if (!tokens.isAtEnd()) throw tokens.fail(`"${tokens.peek()}" is not expected here.`)
  return filter
}

/** SCIM_INVALID_PATH: the text is no path, or too long or too deep. */
export function parsePath(text: string): ScimPath {
  const tokens = tokenize(text, 'SCIM_INVALID_PATH')
  const path: ScimPath = { attribute: readAttribute(tokens), filter: null, sub: null }
  if (tokens.take('[')) {
    path.filter = readOr(tokens, 2)
    tokens.expect(']')
    if (!tokens.isAtEnd()) {
      const sub = tokens.next()
      if (!SUB_ATTRIBUTE.test(sub)) throw tokens.fail(`"${sub}" is no attribute.`)
      path.sub = sub.slice(1).toLowerCase()
    }
  }
  if (!tokens.isAtEnd()) throw tokens.fail(`"${tokens.peek()}" is not expected here.`)
  return path
}

type FilterError = 'SCIM_INVALID_FILTER' | 'SCIM_INVALID_PATH'
type Tokens = ReturnType<typeof tokenize>

/** Spaces, brackets, texts in quotes, and words. Every alternative begins with another character. */
const TOKEN = /\s+|[()[\]]|"(?:[^"\\]|\\.)*"|[^\s()[\]"]+/gsy
const ATTRIBUTE = /^[a-z][\w$-]*(?:\.[a-z][\w$-]*)?$/i
const SUB_ATTRIBUTE = /^\.[a-z][\w$-]*$/i
/** The names of the schemas may stand before an attribute. */
const SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i

function tokenize(text: string, code: FilterError) {
  const fail = (reason: string) => new AppError(code, { reason })
  if (text.length > MAX_FILTER_LENGTH) throw fail(`It has more than ${MAX_FILTER_LENGTH} characters.`)
  const tokens: string[] = []
  let end = 0
  for (const [token] of text.matchAll(TOKEN)) {
    end += token.length
    if (token.trim() !== '') tokens.push(token)
  }
  if (end !== text.length) throw fail('A quotation mark is not closed.')
  let at = 0
  return {
    fail,
    isAtEnd: () => at >= tokens.length,
    peek: (): string => tokens[at] ?? '',
    next(): string {
      const token = tokens[at++]
      if (token === undefined) throw fail('It ends too early.')
      return token
    },
    /** True if the next token is this word, which is consumed. */
    take(word: string): boolean {
      if (tokens[at]?.toLowerCase() !== word) return false
      at += 1
      return true
    },
    expect(word: string): void {
      if (tokens[at++]?.toLowerCase() !== word) throw fail(`"${word}" is missing.`)
    },
  }
}

function readOr(tokens: Tokens, depth: number): ScimFilter {
  if (depth > MAX_FILTER_DEPTH) throw tokens.fail(`It is nested deeper than ${MAX_FILTER_DEPTH} levels.`)
  return readList(tokens, 'or', () => readList(tokens, 'and', () => readTerm(tokens, depth)))
}

function readList(tokens: Tokens, kind: 'and' | 'or', read: () => ScimFilter): ScimFilter {
  const first = read()
  const filters = [first]
  while (tokens.take(kind)) filters.push(read())
  return filters.length === 1 ? first : { kind, filters }
}

function readTerm(tokens: Tokens, depth: number): ScimFilter {
  if (tokens.take('not')) {
    tokens.expect('(')
    return { kind: 'not', filter: readGroup(tokens, depth) }
  }
  if (tokens.take('(')) return readGroup(tokens, depth)
  const attribute = readAttribute(tokens)
  if (tokens.take('[')) {
    const filter = readOr(tokens, depth + 1)
    tokens.expect(']')
    return { kind: 'some', attribute, filter }
  }
  const word = tokens.next().toLowerCase()
  if (word === 'pr') return { kind: 'present', attribute }
  const operator = SCIM_OPERATORS.find((it) => it === word)
  if (operator === undefined) throw tokens.fail(`"${word}" is no operator.`)
  return { kind: 'compare', attribute, operator, value: readValue(tokens) }
}

function readGroup(tokens: Tokens, depth: number): ScimFilter {
  const filter = readOr(tokens, depth + 1)
  tokens.expect(')')
  return filter
}

function readAttribute(tokens: Tokens): string {
  const name = tokens.next().replace(SCHEMA, '')
  if (!ATTRIBUTE.test(name)) throw tokens.fail(`"${name}" is no attribute.`)
  return name.toLowerCase()
}

/** A value of JSON, or the words `True` and `False` of Entra ID. */
function readValue(tokens: Tokens): ScimValue {
  const text = tokens.next()
  const word = text.toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  if (word === 'null') return null
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'string' || typeof value === 'number') return value
  } catch {
    // The next line says it.
  }
  throw tokens.fail(`"${text}" is no value. Texts need quotation marks.`)
}
