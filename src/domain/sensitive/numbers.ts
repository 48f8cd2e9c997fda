// Numbers of payment cards, accounts and people.
import { type CharacterTest, endOfRun, isAlphanumeric, isBoundaryBefore, isDigit } from './characters.ts'
import { isIbanChecksumValid, isLuhnValid, isTaxIdChecksumValid } from './checksums.ts'
import { IBAN_LENGTHS } from './iban-lengths.ts'
import type { SensitiveSpan } from './kinds.ts'

/** A number of at least nine signs, or the beginning of an IBAN. */
export const NUMBER_ANCHOR = /\d{2}[\d -]{7}|[A-Z]{2}\d{2} ?[A-Z0-9]{4}/g

/** Numbers that the companies and standards publish as examples. */
const EXAMPLES = new Set([
  '4111111111111111',
  '4012888888881881',
  '4242424242424242',
  '4000056655665556',
  '4000000000000002',
  '5555555555554444',
  '5105105105105100',
  '5200828282828210',
  '2223003122003222',
  '378282246310005',
  '371449635398431',
  '6011111111111117',
  '6011000990139424',
  '3566002020360505',
  '30569309025904',
  '38520000023237',
  '36227206271667',
  'DE89370400440532013000',
  'DE75512108001245126199',
  'GB29NWBK60161331926819',
  'GB82WEST12345698765432',
  'FR1420041010050500013M02606',
  'CH9300762011623852957',
  'AT611904300234573201',
  'NL91ABNA0417164300',
  '078-05-1120',
  '219-09-9999',
  '123-45-6789',
])

/** Adds the numbers of the run that begins at `start`; returns the end of the run. */
export function addNumbersAt(text: string, start: number, spans: SensitiveSpan[]): number {
  if (!isDigit(text.charCodeAt(start))) {
    const iban = ibanAt(text, start)
    if (iban === undefined) return start + 2
    spans.push(iban)
    return iban.end
  }
  const groups = groupsOf(text, start)
  for (let at = 0; at < groups.length; at++) {
    const found = numberAt(text, groups, at)
    if (found === undefined) continue
    spans.push(found.span)
    at += found.groups - 1
  }
  return Math.max(groups.at(-1)?.end ?? start, start + 1)
}

interface Group {
  start: number
  end: number
}

/** Groups of digits with one space or hyphen between them. */
function groupsOf(text: string, start: number): Group[] {
  const groups: Group[] = []
  for (let at = start; ; at++) {
    const end = endOfRun(text, at, isDigit, text.length)
    if (end === at) return groups
    groups.push({ start: at, end })
    const separator = text[end]
    if (separator !== ' ' && separator !== '-') return groups
    at = end
  }
}

interface Found {
  span: SensitiveSpan
  groups: number
}

/** How many digits each group has. */
const FORMS = [
  { kind: 'payment_card', lengths: [4, 4, 4, 4] },
  { kind: 'payment_card', lengths: [4, 6, 5] },
  { kind: 'payment_card', lengths: [4, 6, 4] },
  { kind: 'payment_card', lengths: [16] },
  { kind: 'payment_card', lengths: [15] },
  { kind: 'payment_card', lengths: [14] },
  { kind: 'payment_card', lengths: [19] },
  { kind: 'us_ssn', lengths: [3, 2, 4] },
  { kind: 'german_tax_id', lengths: [2, 3, 3, 3] },
  { kind: 'german_tax_id', lengths: [11] },
] as const

function numberAt(text: string, groups: readonly Group[], at: number): Found | undefined {
  for (const { kind, lengths } of FORMS) {
    const found = groups.slice(at, at + lengths.length)
    const [first, last] = [found[0], found.at(-1)]
    if (first === undefined || last === undefined || found.length < lengths.length) continue
    if (!found.every((it, place) => it.end - it.start === lengths[place]) || !hasOneSeparator(text, found)) continue
    if (!isAlone(text, first.start, last.end)) continue
    const number = found.map((it) => text.slice(it.start, it.end)).join('')
    const isReal = { payment_card: isCard, us_ssn: isSsn, german_tax_id: isTaxId }[kind]
    if (isReal(number, text, first.start, last.end))
      return { span: { kind, start: first.start, end: last.end }, groups: lengths.length }
  }
  return undefined
}

function hasOneSeparator(text: string, groups: readonly Group[]): boolean {
  const signs = groups.slice(0, -1).map((it) => text[it.end])
  return signs.every((it) => it === signs[0])
}

/** Part of no word, decimal number, address or longer number that hyphens join. */
const isPartSign: CharacterTest = (code) =>
  isAlphanumeric(code) || (code >= 45 && code <= 47) || code === 95 || code === 43 || code === 61 || code === 37
const isJoinedSign: CharacterTest = (code) =>
  isAlphanumeric(code) || code === 45 || code === 95 || code === 47 || code === 37

function isAlone(text: string, start: number, end: number): boolean {
  if (!isBoundaryBefore(text, start, isPartSign)) return false
  if (text[end] === '.' && isDigit(text.charCodeAt(end + 1))) return false
  return end >= text.length || !isJoinedSign(text.charCodeAt(end))
}

function isCard(number: string): boolean {
  return hasCardPrefix(number) && isLuhnValid(number) && !EXAMPLES.has(number) && new Set(number).size > 3
}

function hasCardPrefix(number: string): boolean {
  const [two, four] = [Number(number.slice(0, 2)), Number(number.slice(0, 4))]
  if (number.length === 14) return two === 36 || two === 38 || (four >= 3000 && four <= 3059)
  if (number.length === 15) return two === 34 || two === 37
  if (number.length === 19) return two === 62
  const isMastercard = (two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)
  const isDiscover = four === 6011 || two === 65 || (four >= 6440 && four <= 6499)
  return number.startsWith('4') || isMastercard || isDiscover || two === 62 || (four >= 3528 && four <= 3589)
}

/** https://www.ssa.gov/employer/randomization.html: areas 000, 666 and 900 to 999 are never given. */
function isSsn(number: string, text: string, start: number): boolean {
  const written = text.slice(start, start + 11)
  if (written[3] !== '-' || EXAMPLES.has(written)) return false
  const area = number.slice(0, 3)
  if (area === '000' || area === '666' || area.startsWith('9')) return false
  return number.slice(3, 5) !== '00' && number.slice(5) !== '0000' && new Set(number).size > 2
}

const TAX_WORDS = /steuer|idnr|id-nr|identifikationsnummer|steuer-id|\btin\b|tax/i
const WORDS_NEAR = 80

/** One digit of the first ten occurs two or three times, and the others at most once. A word must say that it is one. */
function isTaxId(number: string, text: string, start: number, end: number): boolean {
  if (number.startsWith('0') || !isTaxIdChecksumValid(number)) return false
  const counts = new Map<string, number>()
  for (const it of number.slice(0, 10)) counts.set(it, (counts.get(it) ?? 0) + 1)
  const repeated = [...counts.values()].filter((it) => it > 1)
  if (repeated.length !== 1 || (repeated[0] ?? 0) > 3) return false
  return TAX_WORDS.test(text.slice(Math.max(0, start - WORDS_NEAR), end + WORDS_NEAR))
}

const MAX_IBAN = 34

/** Written in one piece, or in groups of four. */
function ibanAt(text: string, start: number): SensitiveSpan | undefined {
  const length = IBAN_LENGTHS[text.slice(start, start + 2)]
  if (length === undefined || !isBoundaryBefore(text, start, isAlphanumeric)) return undefined
  let iban = ''
  let at = start
  while (iban.length < length && at < start + 2 * MAX_IBAN) {
    const sign = text.charAt(at)
    if (sign === ' ' && iban.length % 4 !== 0) return undefined
    if (sign !== ' ' && !isIbanSign(sign.charCodeAt(0))) return undefined
    if (sign !== ' ') iban += sign
    at++
  }
  if (isAlphanumeric(text.charCodeAt(at)) || EXAMPLES.has(iban) || !isIbanChecksumValid(iban)) return undefined
  return new Set(iban.slice(4)).size > 2 ? { kind: 'iban', start, end: at } : undefined
}
const isIbanSign: CharacterTest = (code) => isDigit(code) || (code >= 65 && code <= 90)
