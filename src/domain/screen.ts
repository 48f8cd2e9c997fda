// Does this text speak to a model that reads it, or hold what a person would not see? It is marked, not judged: a page
// about such attacks is marked too.
import words from './instructions.json' with { type: 'json' }
import type { PassageWarning } from './passage.ts'

/** What speaks to a model, with some words around it; null where nothing does. */
export function instructionsIn(text: string): { kind: string; excerpt: string } | null {
  for (const around of suspicious(text)) {
    for (const { kind, pattern } of PATTERNS) {
      const match = pattern.exec(around)
      if (match === null) continue
      const start = Math.max(0, match.index - AROUND)
      return {
        kind,
        excerpt: around
          .slice(start, match.index + match[0].length + AROUND)
          .toWellFormed()
          .trim(),
      }
    }
  }
  return null
}
const AROUND = 60

export function warningsOf(text: string): PassageWarning[] {
  const warnings: PassageWarning[] = []
  if (instructionsIn(text) !== null) warnings.push('instructions')
  if (HIDDEN.test(text)) warnings.push('hidden_text')
  return warnings
}

/** Characters that no reader sees and every model does (Unicode tags). Those that make a flag stay. */
export const withoutTags = (text: string): string => (TAGS.test(text) ? text.replace(TAGS_OR_FLAGS, '$1') : text)

/** England, Scotland and Wales: https://unicode.org/reports/tr51/#valid-emoji-tag-sequences */
const REGIONS = [
  '\\u{E0065}\\u{E006E}\\u{E0067}',
  '\\u{E0073}\\u{E0063}\\u{E0074}',
  '\\u{E0077}\\u{E006C}\\u{E0073}',
].join('|')
const FLAG = `\\u{1F3F4}\\u{E0067}\\u{E0062}(?:${REGIONS})\\u{E007F}`
const TAGS = /[\u{E0000}-\u{E007F}]/u
const TAGS_OR_FLAGS = new RegExp(`(${FLAG})|[\\u{E0000}-\\u{E007F}]`, 'gu')

/**
 * Tags; overrides of the direction of writing; and more characters without a width in a row than spelling or an emoji
 * takes: bits of a message are written with them.
 */
const HIDDEN = new RegExp(
  [
    `(?<!\\u{1F3F4}[\\u{E0061}-\\u{E007A}]{0,5})[\\u{E0000}-\\u{E007F}]`,
    '[\\u202D\\u202E]',
    '[\\u180E\\u200B-\\u200F\\u2060-\\u2064\\uFEFF]{8}',
    '[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]{3}',
  ].join('|'),
  'u',
)

const STEMS = new RegExp(words.stems.map((it) => it.replace(/[|[\](){}.*+?^$\\]/g, '\\$&')).join('|'))
const PATTERNS = Object.entries(words.patterns).flatMap(([kind, patterns]) =>
  patterns.map((it) => ({ kind, pattern: new RegExp(it, 'u') })),
)

/** What is looked at around a stem; the longest pattern is shorter. */
const WINDOW = 600

/** The surroundings of each stem; most texts have none. */
function* suspicious(text: string): Generator<string> {
  const folded = fold(text)
  for (let at = 0; ; ) {
    const distance = folded.slice(at).search(STEMS)
    if (distance < 0) return
    const stem = at + distance
    yield folded.slice(Math.max(0, stem - WINDOW), stem + WINDOW)
    at = stem + WINDOW
  }
}

/** As a model reads it: letters written wide or with nothing between them are letters. */
const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g, '')
    .toLowerCase()
    .replace(/[^\S\n]+/g, ' ')
