// Tells whether two texts are the same name: the same words, in whatever form and order.
import { extractTerms } from '../analyze.ts'
import { plainName } from './plain-name.ts'

const MAX_NAME = 200

/**
 * Equal for "Window functions" and "window function". The forms are English ones in every language, because a key is
 * only compared with other keys. Empty for a text without a word.
 */
export function nameKey(text: string): string {
  const name = plainName(text.slice(0, MAX_NAME))
  return [...new Set(extractTerms(name, 'en'))].sort().join(' ') || name
}
