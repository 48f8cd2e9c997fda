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
  /** The operators as they stand in the query, in their order. */
  operators: QueryOperator[]
  /** Invalid operators, which are searched as words, with a hint. */
  not_understood: { text: string; reason: string }[]
}

export const OPERATOR_KINDS = [
  'phrase',
  'excluded',
  'title',
  'source',
  'author',
  'set',
  'tag',
  'after',
  'before',
] as const

export interface QueryOperator {
  kind: (typeof OPERATOR_KINDS)[number]
  value: string
  /** Offsets in the query, in UTF-16 code units, end exclusive. */
  start: number
  end: number
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
    operators: [],
    not_understood: [],
  }
  const words: string[] = []
  let outside = 0
  for (const { text, name, value, isQuoted, isExcluded, start, end } of tokenize(input)) {
    const kind = name === undefined ? undefined : OPERATOR_NAMES.find((it) => it === name.toLowerCase())
    if (kind === undefined || value === '') {
      const added = addWords(parsed, words, name === undefined ? value : text, {
        isQuoted: isQuoted && name === undefined,
        isExcluded,
      })
      if (added !== undefined) parsed.operators.push({ ...added, start, end })
      else outside++
      continue
    }
    const problem = isExcluded ? 'Only words and phrases can be excluded.' : OPERATORS[kind](parsed, value, settings)
    if (problem === undefined) {
      parsed.operators.push({ kind, value, start, end })
      continue
    }
    parsed.not_understood.push({ text, reason: problem })
    words.push(value)
  }
  const text = words.join(' ')
  return outside > MAX_WORDS_BESIDE_PHRASE ? { ...withoutPhrases(parsed), text } : { ...parsed, text }
}

/** In a longer text, quotation marks are those of its author and no operators. Its words still weigh more side by side. */
const MAX_WORDS_BESIDE_PHRASE = 12

const withoutPhrases = (parsed: ParsedQuery): ParsedQuery => ({
  ...parsed,
  phrases: [],
  operators: parsed.operators.filter((it) => it.kind !== 'phrase'),
})

/** Returns the operator that the words are, if they are one. */
function addWords(
  { phrases, excluded }: ParsedQuery,
  words: string[],
  value: string,
  { isQuoted, isExcluded }: Pick<QueryToken, 'isQuoted' | 'isExcluded'>,
): Pick<QueryOperator, 'kind' | 'value'> | undefined {
  if (value.trim() === '') return undefined
  if (isExcluded) {
    excluded.push(value)
    return { kind: 'excluded', value }
  }
  words.push(value)
  if (!isQuoted) return undefined
  phrases.push(value)
  return { kind: 'phrase', value }
}

/** Returns what is wrong with the value, or adds its meaning to the parsed query. */
type OperatorParser = (parsed: ParsedQuery, value: string, settings: ParseOptions) => string | undefined

const listOperator =
  (list: (parsed: ParsedQuery) => string[]): OperatorParser =>
  (parsed, value) => {
    list(parsed).push(value)
    return undefined
  }

const OPERATORS = {
  source: listOperator((it) => it.sources),
  author: listOperator((it) => it.authors),
  set: listOperator((it) => it.document_sets),
  title: listOperator((it) => it.title),
  tag: (parsed: ParsedQuery, value: string) => {
    const [, tag_key, tag_value] = /^([^=]+)=(.+)$/s.exec(value) ?? []
    if (tag_key === undefined || tag_value === undefined) return 'Use the form tag:key=value.'
    parsed.tags.push({ tag_key, tag_value })
    return undefined
  },
  after: (parsed: ParsedQuery, value: string, settings: ParseOptions) => {
    const from = parseDateExpression(value, settings)
    if (from === undefined) return DATE_SYNTAX
    parsed.updated_from = Math.max(from, parsed.updated_from ?? from)
    return undefined
  },
  before: (parsed: ParsedQuery, value: string, settings: ParseOptions) => {
    const until = parseDateExpression(value, settings)
    if (until === undefined) return DATE_SYNTAX
    parsed.updated_until = Math.min(until - 1, parsed.updated_until ?? until)
    return undefined
  },
} satisfies Record<string, OperatorParser>
/** `constructor:x` is no operator. */
const OPERATOR_NAMES = ['title', 'source', 'author', 'set', 'tag', 'after', 'before'] as const

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
  start: number
  end: number
}

/** An unmatched quotation mark is an ordinary character. */
const TOKEN = /(-(?=[^\s-]))?(?:([a-z]+):)?(?:"([^"]*)"|“([^”“„]*)[”“]|„([^”“„]*)[”“]|«([^»]*)»|(\S+))/giu

function* tokenize(input: string): Generator<QueryToken> {
  for (const match of input.matchAll(TOKEN)) {
    const [whole, sign, name, ...values] = match
    const bare = values.at(-1)
    yield {
      text: sign === undefined ? whole : whole.slice(1),
      ...(name !== undefined && { name }),
      // Only one of them is defined.
      value: values.join(''),
      isQuoted: bare === undefined,
      isExcluded: sign !== undefined,
      start: match.index,
      end: match.index + whole.length,
    }
  }
}
