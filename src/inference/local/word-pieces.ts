// The word-piece tokenizer of the uncased BERT models: https://github.com/google-research/bert#tokenization
import type { Tokenizer } from './tokenizer.ts'

const MAX_WORD = 100
const WHITESPACE = /\p{Zs}|[\t\n\r]/u
/** Tabs and line ends are white space, not control characters. */
const DROPPED = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\ufffd]/gu
const KEPT_CONTROLS = /[\t\n\r]/g
/** Counts ASCII symbols as punctuation, in addition to the Unicode category. */
const PUNCTUATION = /[!-/:-@[-`{-~\p{P}]/u
const IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/u

/** `vocabulary` has one piece per line, whose id is the line number; pieces within a word begin with "##". */
export function createWordPieceTokenizer(vocabulary: string): Tokenizer {
  const numbers = new Map(vocabulary.split('\n').map((piece, number) => [piece.trimEnd(), number]))
  const numberOf = (piece: string): number => {
    const number = numbers.get(piece)
    if (number === undefined) throw new Error(`the vocabulary lacks ${piece}`)
    return number
  }
  const [begin, end, unknown] = [numberOf('[CLS]'), numberOf('[SEP]'), numberOf('[UNK]')]
  return {
    encode(text, most) {
      const found = [begin]
      for (const word of splitWords(text)) {
        found.push(...(tokenizeWord(numbers, word) ?? [unknown]))
        if (found.length >= most) break
      }
      found.length = Math.min(found.length, most - 1)
      found.push(end)
      return found
    },
  }
}

/** Longest match first, from the left; undefined if a part of the word is not in the vocabulary. */
function tokenizeWord(numbers: ReadonlyMap<string, number>, word: string): number[] | undefined {
  const characters = [...word]
  if (characters.length > MAX_WORD) return undefined
  const pieces: number[] = []
  for (let from = 0; from < characters.length; ) {
    let until = characters.length
    let number: number | undefined
    for (; until > from; until--) {
      number = numbers.get((from === 0 ? '' : '##') + characters.slice(from, until).join(''))
      if (number !== undefined) break
    }
    if (number === undefined) return undefined
    pieces.push(number)
    from = until
  }
  return pieces
}

function* splitWords(text: string): Generator<string> {
  const plain = text
    .replace(KEPT_CONTROLS, ' ')
    .replace(DROPPED, '')
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
  let word = ''
  for (const character of plain) {
    if (WHITESPACE.test(character)) {
      if (word !== '') yield word
      word = ''
    } else if (PUNCTUATION.test(character) || IDEOGRAPH.test(character)) {
      if (word !== '') yield word
      word = ''
      yield character
    } else {
      word += character
    }
  }
  if (word !== '') yield word
}
