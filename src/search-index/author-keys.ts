// What an author is found by, and a person who looks for one means.
import { folded } from '../text/fold.ts'
import type { Author } from './search-index.ts'

/** Case, accents and spaces do not matter. */
export const authorKey = (text: string): string => folded(text).trim().replace(/\s+/g, ' ')

/** The name and each word of it, the e-mail address and what stands before its "@". */
export function authorKeysOf({ name, email }: Author): string[] {
  const [whole, address] = [authorKey(name), authorKey(email ?? '')]
  return [whole, ...whole.split(' '), address, address.split('@', 1)[0]!].filter((it) => it !== '')
}
