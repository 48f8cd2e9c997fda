// Finds the words of a text with a scan over its UTF-16 units, in linear time.
import { APOSTROPHE, classAt, DENSE, EXTENDER, HANGUL, JOINER, LETTER, SEPARATOR, widthAt } from './characters.ts'

/** `exact` is a compound such as "PROJ-123"; `dense` is a word of a script without spaces. */
export type WordKind = 'word' | 'exact' | 'dense'
export type VisitWord = (start: number, end: number, kind: WordKind) => void

/** Longer compounds are found only by their parts. */
const MAX_EXACT = 96
/** The maximum number of units passed to the dictionary segmenter, so that no text can block the thread. */
const MAX_DENSE_RUN = 1024

/** Visits every word in order of its start. A compound comes before its parts. */
export function eachWord(text: string, visit: VisitWord): void {
  let at = 0
  while (at < text.length) {
    const plain = PLAIN[text.charCodeAt(at)]!
    if (plain === GAP || plain === SIGN) {
      at++
      continue
    }
    const end = plain === 0 ? at : plainEnd(text, at)
    if (end > at) {
      visit(at, end, 'word')
      at = end
      continue
    }
    const found = classAt(text, at)
    if (found === LETTER || found === HANGUL) at = visitSpacedWords(text, at, visit)
    else if (found === DENSE) at = visitDenseWords(text, at, visit)
    else at += widthAt(text, at)
  }
}

const SMALL = 1
const CAPITAL = 2
const GAP = 3
/** A full stop or a hyphen, which joins two words only if the second one follows directly. */
const SIGN = 4
/** The classes of the most frequent characters by UTF-16 unit; 0 for all others. */
const PLAIN = new Uint8Array(0x10000)
for (let unit = 0; unit < 0x80; unit++) {
  const character = String.fromCharCode(unit)
  if (/[a-z0-9]/.test(character)) PLAIN[unit] = SMALL
  else if (/[A-Z]/.test(character)) PLAIN[unit] = CAPITAL
  else if (classAt(character, 0) === SEPARATOR && !/[+#]/.test(character)) PLAIN[unit] = GAP
  else if (classAt(character, 0) === JOINER) PLAIN[unit] = SIGN
}

/**
 * Returns the end of a plain ASCII word that is neither joined to another word nor in camel case, or `start` for any
 * other word. Plain words take two thirds of the time.
 */
function plainEnd(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && PLAIN[text.charCodeAt(end)] === SMALL) end++
  return isGap(text, end) || (PLAIN[text.charCodeAt(end)] === SIGN && isGap(text, end + 1)) ? end : start
}

const isGap = (text: string, at: number): boolean => at >= text.length || PLAIN[text.charCodeAt(at)] === GAP

/** Visits a word, or several words with single joiners between them. */
function visitSpacedWords(text: string, start: number, visit: VisitWord): number {
  const firstEnd = wordEnd(text, start)
  if (!isJoined(text, firstEnd)) {
    visit(start, signsEnd(text, start, firstEnd), 'word')
    visitCamelCaseParts(text, start, firstEnd, visit)
    return afterElision(text, firstEnd)
  }
  const parts: [start: number, end: number][] = [[start, firstEnd]]
  let end = firstEnd
  while (isJoined(text, end)) {
    const next = end + 1
    end = wordEnd(text, next)
    parts.push([next, end])
  }
  const whole = compoundKind(text, start, end)
  if (whole !== undefined) visit(start, end, whole)
  for (const [from, until] of parts) {
    visit(from, until, 'word')
    visitCamelCaseParts(text, from, until, visit)
  }
  return afterElision(text, end)
}

function wordEnd(text: string, start: number): number {
  const first = classAt(text, start)
  let at = start + widthAt(text, start)
  while (at < text.length) {
    const found = classAt(text, at)
    if (found === first || found === EXTENDER) at += widthAt(text, at)
    else if (found === APOSTROPHE && isSpelledWith(text, at)) at++
    else break
  }
  return at
}

/** Ukrainian "п'ять", Hebrew "צה\"ל" and Catalan "col·legi" are single words. */
const isSpelledWith = (text: string, at: number): boolean =>
  text[at] === '·'
    ? /^l·l$/i.test(text.slice(at - 1, at + 2))
    : text.charCodeAt(at - 1) >= 0x400 &&
      /^[\p{sc=Cyrl}\p{sc=Hebr}]['"’ʼ׳״][\p{sc=Cyrl}\p{sc=Hebr}]/u.test(text.slice(at - 1, at + 2))

const isJoined = (text: string, end: number): boolean =>
  end + 1 < text.length && classAt(text, end) === JOINER && classAt(text, end + 1) === LETTER

/**
 * Ids, versions, file names and addresses are searched as they are. A short syllable with a word is often written as
 * one word: "e-mail", "co-operate". Other hyphens create no new word.
 */
function compoundKind(text: string, start: number, end: number): 'exact' | 'word' | undefined {
  if (end - start > MAX_EXACT) return undefined
  const compound = text.slice(start, end)
  if (/[^\p{L}\p{M}\-\u2010\u2011]/u.test(compound)) return 'exact'
  return /^\p{L}{1,3}[-\u2010\u2011]\p{L}{3,}$/u.test(compound) ? 'word' : undefined
}

/** The signs of "C++" and "C#", which make a different word of one or two letters. */
function signsEnd(text: string, start: number, end: number): number {
  if (end - start > 2) return end
  const signs = text.startsWith('++', end) ? 2 : text[end] === '#' ? 1 : 0
  return signs > 0 && (end + signs >= text.length || classAt(text, end + signs) !== LETTER) ? end + signs : end
}

/** Visits the parts of words such as "getUserName" and "HTTPServer" unless one of them is a single letter. */
function visitCamelCaseParts(text: string, start: number, end: number, visit: VisitWord): void {
  if (!isCamelCase(text, start, end)) return
  const parts = text
    .slice(start, Math.min(end, start + MAX_EXACT))
    .split(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
  if (parts.length < 2 || parts.some((it) => it.length < 2)) return
  let at = start
  for (const part of parts) {
    visit(at, at + part.length, 'word')
    at += part.length
  }
}

function isCamelCase(text: string, start: number, end: number): boolean {
  for (let at = start + 2; at < end - 1; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 65 && unit <= 90) return true
  }
  return false
}

/** Skips the English endings "'s", "n't" and "'ll", which are not searched for. */
function afterElision(text: string, end: number): number {
  if (end >= text.length || classAt(text, end) !== APOSTROPHE || text[end] === '·') return end
  const rest = /^(?:s|t|d|m|ll|re|ve)(?![\p{L}\p{N}])/iu.exec(text.slice(end + 1, end + 4))
  return rest === null ? end : end + 1 + rest[0].length
}

/** Created on first use, because it takes 30 ms in each thread. */
let segmenter: Intl.Segmenter | undefined

function segmentWords(run: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  return segmenter.segment(run)
}

function visitDenseWords(text: string, start: number, visit: VisitWord): number {
  let end = start
  while (end < text.length && end - start < MAX_DENSE_RUN) {
    const found = classAt(text, end)
    if (found !== DENSE && !(found === EXTENDER && end > start)) break
    end += widthAt(text, end)
  }
  for (const { segment, index, isWordLike } of segmentWords(text.slice(start, end))) {
    if (!isWordLike) continue
    visit(start + index, start + index + segment.length, 'dense')
    if (/^\p{sc=Han}{3,}$/u.test(segment)) visitHanBigrams(segment, start + index, visit)
  }
  return end
}

/** The segmentation of Han words depends on the context, so a long word is also indexed by its bigrams. */
function visitHanBigrams(word: string, start: number, visit: VisitWord): void {
  let before = start
  let at = start
  for (const character of word) {
    const end = at + character.length
    if (at > start) visit(before, end, 'dense')
    before = at
    at = end
  }
}
