// Addresses and phone numbers: single ones stand in most documents, many of them are a list of people.
import { type CharacterTest, endOfRun, isAlphanumeric, isBase64Url, isDigit } from './characters.ts'

/** A list has at least this number of different ones. */
export const MIN_CONTACTS = 50
/** Further ones are not counted. */
const MAX_CONTACTS = 10_000
const MAX_LOCAL = 64
const MAX_DOMAIN = 100
const MAX_PHONE = 24

/** Adds the addresses whose "@" is in the range. */
export function addMailAddresses(text: string, from: number, to: number, found: Set<string>): void {
  for (
    let at = text.indexOf('@', from);
    at >= 0 && at < to && found.size < MAX_CONTACTS;
    at = text.indexOf('@', at + 1)
  ) {
    let start = at
    while (start > 0 && at - start < MAX_LOCAL && isLocal(text.charCodeAt(start - 1))) start--
    const end = endOfRun(text, at + 1, isDomain, MAX_DOMAIN)
    const domain = text.slice(at + 1, end)
    if (start < at && domain.includes('.', 1) && isAlphanumeric(text.charCodeAt(end - 1)))
      found.add(text.slice(start, end).toLowerCase())
  }
}
const isLocal: CharacterTest = (code) => isBase64Url(code) || code === 46 || code === 43
const isDomain: CharacterTest = (code) => isAlphanumeric(code) || code === 45 || code === 46

/** Adds the international numbers whose "+" is in the range. */
export function addPhoneNumbers(text: string, from: number, to: number, found: Set<string>): void {
  for (
    let at = text.indexOf('+', from);
    at >= 0 && at < to && found.size < MAX_CONTACTS;
    at = text.indexOf('+', at + 1)
  ) {
    const written = text.slice(at + 1, endOfRun(text, at + 1, isPhoneSign, MAX_PHONE))
    const digits = written.replaceAll(/\D/g, '')
    if (/^[1-9]\d/.test(written) && digits.length >= 9 && digits.length <= 15) found.add(digits)
  }
}
const isPhoneSign: CharacterTest = (code) =>
  isDigit(code) || code === 32 || code === 40 || code === 41 || code === 45 || code === 46 || code === 47
