// What does somebody mean who types this into the search box? Never an error: what is no operator is a word.
import { momentOf } from './moment.ts'

export interface Understanding {
  /** The words to look for, in the order they came, phrases among them. */
  text: string
  /** Each must occur as it stands. */
  phrases: string[]
  /** Words and phrases that must not occur. */
  excluded: string[]
  /** Words that must stand in the title. */
  title: string[]
  sources: string[]
  authors: string[]
  document_sets: string[]
  tags: { tag_key: string; tag_value: string }[]
  /** Epoch milliseconds, inclusive. */
  updated_from: number | null
  updated_until: number | null
  /** What looked like an operator and is taken as words, with the way out. */
  not_understood: { text: string; reason: string }[]
}

export interface ParseSettings {
  /** Epoch milliseconds. */
  now: number
  /** The time zone of dates, as the IANA names it. */
  tz: string
}

export function parseSearch(input: string, settings: ParseSettings): Understanding {
  const understanding: Understanding = {
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
  for (const { text, name, value, isQuoted, isExcluded } of partsOf(input)) {
    const operator = name === undefined ? undefined : OPERATORS[name.toLowerCase()]
    if (operator === undefined || value === '') {
      take(understanding, words, name === undefined ? value : text, {
        isQuoted: isQuoted && name === undefined,
        isExcluded,
      })
      continue
    }
    const fault = isExcluded ? 'Only words and phrases can be left out.' : operator(understanding, value, settings)
    if (fault === undefined) continue
    understanding.not_understood.push({ text, reason: fault })
    words.push(value)
  }
  return { ...understanding, text: words.join(' ') }
}

function take(
  { phrases, excluded }: Understanding,
  words: string[],
  value: string,
  { isQuoted, isExcluded }: Pick<Part, 'isQuoted' | 'isExcluded'>,
): void {
  if (value.trim() === '') return
  if (isExcluded) return void excluded.push(value)
  if (isQuoted) phrases.push(value)
  words.push(value)
}

/** Gives what is wrong with the value, if anything; otherwise notes what it means. */
type Operator = (understanding: Understanding, value: string, settings: ParseSettings) => string | undefined

const listed =
  (list: (understanding: Understanding) => string[]): Operator =>
  (understanding, value) => {
    list(understanding).push(value)
    return undefined
  }

const OPERATORS: Record<string, Operator> = Object.assign(Object.create(null), {
  source: listed((it) => it.sources),
  author: listed((it) => it.authors),
  set: listed((it) => it.document_sets),
  title: listed((it) => it.title),
  tag: (understanding, value) => {
    const [, tag_key, tag_value] = /^([^=]+)=(.+)$/s.exec(value) ?? []
    if (tag_key === undefined || tag_value === undefined) return 'A tag is written tag:key=value.'
    understanding.tags.push({ tag_key, tag_value })
    return undefined
  },
  after: (understanding, value, settings) => {
    const from = momentOf(value, settings)
    if (from === undefined) return DATES
    understanding.updated_from = Math.max(from, understanding.updated_from ?? from)
    return undefined
  },
  before: (understanding, value, settings) => {
    const until = momentOf(value, settings)
    if (until === undefined) return DATES
    understanding.updated_until = Math.min(until - 1, understanding.updated_until ?? until)
    return undefined
  },
} satisfies Record<string, Operator>)

const DATES = 'A date is written 2026-05-31, 2026-05, 2026, today, yesterday, or as an age such as 7d, 2w, 3m or 1y.'

interface Part {
  /** As it was typed, without the sign that leaves it out. */
  text: string
  /** What stands before the colon. */
  name?: string
  value: string
  isQuoted: boolean
  isExcluded: boolean
}

/** A quotation mark that nothing closes is a character like any other. */
const PART = /(-(?=[^\s-]))?(?:([a-z]+):)?(?:"([^"]*)"|“([^”“„]*)[”“]|„([^”“„]*)[”“]|«([^»]*)»|(\S+))/giu

function* partsOf(input: string): Generator<Part> {
  for (const [whole, sign, name, ...values] of input.matchAll(PART)) {
    const bare = values.at(-1)
    yield {
      text: sign === undefined ? whole : whole.slice(1),
      ...(name !== undefined && { name }),
      value: values.find((it) => it !== undefined)!,
      isQuoted: bare === undefined,
      isExcluded: sign !== undefined,
    }
  }
}
