// Parses a search query. Never fails: text that is not a valid operator is treated as words.
import { parseDateExpression } from './date-expression.ts'

export interface ParsedQuery {
  /** The words in their order, including those of phrases. */
  text: string
  /** Phrases that must occur exactly. */
  phrases: string[]
  /** Words and phrases that must not occur. */
  excluded: string[]
  /** Words that must occur in the title. */
  title: string[]
  sources: string[]
  authors: string[]
  document_sets: string[]
  tags: { tag_key: string; tag_value: string }[]
  /** Epoch milliseconds, inclusive. */
  updated_from: number | null
  updated_until: number | null
  /** Invalid operators, which are searched as words, with a hint. */
  not_understood: { text: string; reason: string }[]
}

export interface ParseOptions {
  /** Epoch milliseconds. */
  now: number
  /** The IANA time zone for dates. */
  tz: string
}

export function parseQuery(input: string, settings: ParseOptions): ParsedQuery {
  const parsed: ParsedQuery = {
    text: '',
    phrases: [],
    excluded: [],
    title: [],
    sources: [],
    authors: [],
    document_sets: [],
    tags: [],
    updated_from: null,
    updated_until: null,
    not_understood: [],
  }
  const words: string[] = []
  for (const { text, name, value, isQuoted, isExcluded } of tokenize(input)) {
    const operator = name === undefined ? undefined : OPERATORS[name.toLowerCase()]
    if (operator === undefined || value === '') {
      addWords(parsed, words, name === undefined ? value : text, {
        isQuoted: isQuoted && name === undefined,
        isExcluded,
      })
      continue
    }
    const problem = isExcluded ? 'Only words and phrases can be excluded.' : operator(parsed, value, settings)
    if (problem === undefined) continue
    parsed.not_understood.push({ text, reason: problem })
    words.push(value)
  }
  return { ...parsed, text: words.join(' ') }
}

function addWords(
  { phrases, excluded }: ParsedQuery,
  words: string[],
  value: string,
  { isQuoted, isExcluded }: Pick<QueryToken, 'isQuoted' | 'isExcluded'>,
): void {
  if (value.trim() === '') return
  if (isExcluded) return void excluded.push(value)
  if (isQuoted) phrases.push(value)
  words.push(value)
}

/** Returns what is wrong with the value, or adds its meaning to the parsed query. */
type OperatorParser = (parsed: ParsedQuery, value: string, settings: ParseOptions) => string | undefined

const listOperator =
  (list: (parsed: ParsedQuery) => string[]): OperatorParser =>
  (parsed, value) => {
    list(parsed).push(value)
    return undefined
  }

const OPERATORS: Record<string, OperatorParser> = Object.assign(Object.create(null), {
  source: listOperator((it) => it.sources),
  author: listOperator((it) => it.authors),
  set: listOperator((it) => it.document_sets),
  title: listOperator((it) => it.title),
  tag: (parsed, value) => {
    const [, tag_key, tag_value] = /^([^=]+)=(.+)$/s.exec(value) ?? []
    if (tag_key === undefined || tag_value === undefined) return 'Use the form tag:key=value.'
    parsed.tags.push({ tag_key, tag_value })
    return undefined
  },
  after: (parsed, value, settings) => {
    const from = parseDateExpression(value, settings)
    if (from === undefined) return DATE_SYNTAX
    parsed.updated_from = Math.max(from, parsed.updated_from ?? from)
    return undefined
  },
  before: (parsed, value, settings) => {
    const until = parseDateExpression(value, settings)
    if (until === undefined) return DATE_SYNTAX
    parsed.updated_until = Math.min(until - 1, parsed.updated_until ?? until)
    return undefined
  },
} satisfies Record<string, OperatorParser>)

const DATE_SYNTAX =
  'Use a date such as 2026-05-31, 2026-05, 2026, today or yesterday, or an age such as 7d, 2w, 3m or 1y.'

interface QueryToken {
  /** The token as typed, without the minus sign. */
  text: string
  /** The text before the colon. */
  name?: string
  value: string
  isQuoted: boolean
  isExcluded: boolean
}

/** An unmatched quotation mark is an ordinary character. */
const TOKEN = /(-(?=[^\s-]))?(?:([a-z]+):)?(?:"([^"]*)"|“([^”“„]*)[”“]|„([^”“„]*)[”“]|«([^»]*)»|(\S+))/giu

function* tokenize(input: string): Generator<QueryToken> {
  for (const [whole, sign, name, ...values] of input.matchAll(TOKEN)) {
    const bare = values.at(-1)
    yield {
      text: sign === undefined ? whole : whole.slice(1),
      ...(name !== undefined && { name }),
      // Only one of them is defined.
      value: values.join(''),
      isQuoted: bare === undefined,
      isExcluded: sign !== undefined,
    }
  }
}
