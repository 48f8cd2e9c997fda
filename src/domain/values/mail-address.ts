// Addresses that a mail can be sent to, and their domains.
import { domainToASCII } from 'node:url'

/** Stricter than what RFC 5322 permits: an address that needs quotes could hide a second one. */
const PLAIN_ADDRESS = /^[^\s@<>,;:"()[\]\\\p{Cc}]{1,64}@[^\s@<>,;:"()[\]\\\p{Cc}]{1,255}$/u

export const isMailAddress = (text: string): boolean => PLAIN_ADDRESS.test(text)

/** The domain as DNS knows it, in lower case; null if the text is no host name with a dot. */
export function parseMailDomain(text: string): string | null {
  const domain = domainToASCII(text.trim().toLowerCase())
  const labels = domain.split('.')
  const isGood = domain.length <= 253 && labels.length > 1 && labels.every((it) => LABEL.test(it))
  return isGood && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : null
}

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Null if the address has none. */
export const mailDomainOf = (address: string): string | null =>
  isMailAddress(address) ? parseMailDomain(address.slice(address.lastIndexOf('@') + 1)) : null
