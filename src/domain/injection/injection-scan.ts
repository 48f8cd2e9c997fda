// Flags text that addresses a language model, or contains characters that people cannot see. A flag is only a warning:
// a page about prompt injection is flagged too.

import type { PassageWarning } from '../chat/passage.ts'
import { findPattern } from './find-pattern.ts'
import { INJECTION_PATTERNS } from './injection-patterns.ts'
import words from './injection-stems.json' with { type: 'json' }

/** The first text that addresses a model, with some context; null if there is none. */
export function findInjection(text: string): { kind: string; excerpt: string } | null {
  for (const window of suspiciousWindows(text)) {
    for (const { kind, pattern } of PATTERNS) {
      const match = findPattern(pattern, window)
      if (match === undefined) continue
      return {
        kind,
        excerpt: window
          .slice(Math.max(0, match.start - EXCERPT_MARGIN), match.end + EXCERPT_MARGIN)
          .toWellFormed()
          .trim(),
      }
    }
  }
  return null
}
const EXCERPT_MARGIN = 60

export function detectWarnings(text: string): PassageWarning[] {
  const warnings: PassageWarning[] = []
  if (findInjection(text) !== null) warnings.push('instructions')
  if (HIDDEN_TEXT.test(text)) warnings.push('hidden_text')
  return warnings
}

/** Removes Unicode tag characters, which models read and people cannot see. Those in flag emoji stay. */
export const removeUnicodeTags = (text: string): string => (TAGS.test(text) ? text.replace(TAGS_OR_FLAGS, '$1') : text)

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
 * Tag characters, bidirectional overrides, and more zero-width characters or variation selectors in a row than spelling
 * or an emoji needs: they can encode a message.
 */
const HIDDEN_TEXT = new RegExp(
  [
    `(?<!\\u{1F3F4}[\\u{E0061}-\\u{E007A}]{0,5})[\\u{E0000}-\\u{E007F}]`,
    '[\\u202D\\u202E]',
    '[\\u180E\\u200B-\\u200F\\u2060-\\u2064\\uFEFF]{8}',
    '[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]{3}',
  ].join('|'),
  'u',
)

const STEMS = new RegExp(words.stems.map((it) => RegExp.escape(it)).join('|'))
const PATTERNS = Object.entries(INJECTION_PATTERNS).flatMap(([kind, patterns]) =>
  patterns.map((pattern) => ({ kind, pattern })),
)

/** The characters examined on both sides of a stem; the longest pattern is shorter. */
const WINDOW = 600

/** The text around each stem; most texts contain none. */
function* suspiciousWindows(text: string): Generator<string> {
  const folded = normalizeForScan(text)
  for (let at = 0; ; ) {
    const distance = folded.slice(at).search(STEMS)
    if (distance < 0) return
    const stem = at + distance
    yield folded.slice(Math.max(0, stem - WINDOW), stem + WINDOW)
    at = stem + WINDOW
  }
}

/** Normalises text as a model reads it: folds full-width letters and removes zero-width characters. */
const normalizeForScan = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g, '')
    .toLowerCase()
    .replace(/[^\S\n]+/g, ' ')
