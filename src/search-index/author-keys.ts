// The keys by which an author is found.
import { normalizeAndFold } from '../text/normalize.ts'
import type { Author } from './search-index.ts'

/** Ignores case, accents and repeated spaces. */
export const normalizeAuthor = (text: string): string => normalizeAndFold(text).trim().replace(/\s+/g, ' ')

/** Returns the name and each of its words, the e-mail address and its local part. */
export function authorKeys({ name, email }: Author): string[] {
  const [whole, address] = [normalizeAuthor(name), normalizeAuthor(email ?? '')]
  return [whole, ...whole.split(' '), address, ...address.split('@', 1)].filter((it) => it !== '')
}
