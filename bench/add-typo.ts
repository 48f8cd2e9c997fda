import type { Random } from '../test/random.ts'

/** Inserts, omits, replaces or swaps one letter in one word of four letters or more. */
export function addTypo(text: string, random: Random): string {
  const words = [...text.matchAll(/\p{L}{4,}/gu)]
  if (words.length === 0) return text
  const chosen = words[random.below(words.length)]!
  const start = chosen.index
  return text.slice(0, start) + edited(chosen[0], random) + text.slice(start + chosen[0].length)
}

function edited(word: string, random: Random): string {
  const at = random.below(word.length)
  const letter = String.fromCharCode(97 + random.below(26))
  const edits = [
    word.slice(0, at) + letter + word.slice(at),
    word.slice(0, at) + word.slice(at + 1),
    word.slice(0, at) + letter + word.slice(at + 1),
    word.slice(0, at) +
      word
        .slice(at, at + 2)
        .split('')
        .reverse()
        .join('') +
      word.slice(at + 2),
  ]
  const result = edits[random.below(edits.length)]!
  // Replacing a letter by itself makes no typo.
  return result === word ? edited(word, random) : result
}
