// Checksums of tokens, cards, accounts and tax numbers.
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECKSUM_LENGTH = 6

/** https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/ */
export function tokenChecksum(random: string): string {
  let text = ''
  for (let rest = crc32(random); rest > 0; rest = Math.floor(rest / BASE62.length))
    text = BASE62.charAt(rest % BASE62.length) + text
  return text.padStart(CHECKSUM_LENGTH, '0')
}

/** Whether the last six characters are the checksum of those before. */
export const hasTokenChecksum = (body: string): boolean =>
  tokenChecksum(body.slice(0, -CHECKSUM_LENGTH)) === body.slice(-CHECKSUM_LENGTH)

/** ISO/IEC 7812-1, annex B. `digits` holds digits only. */
export function isLuhnValid(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits.charAt(digits.length - 1 - at))
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** ISO 13616: the number without spaces, with its letters in upper case. */
export function isIbanChecksumValid(iban: string): boolean {
  let rest = 0
  for (const sign of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(sign, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

/** ISO 7064, MOD 11,10, over all digits but the last, which is the check digit. */
export function isTaxIdChecksumValid(digits: string): boolean {
  let product = 10
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10
    product = ((sum === 0 ? 10 : sum) * 2) % 11
  }
  return (11 - product) % 10 === Number(digits.slice(-1))
}
