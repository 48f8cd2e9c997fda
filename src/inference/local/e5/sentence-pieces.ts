// The SentencePiece tokenizer of a unigram vocabulary: https://arxiv.org/abs/1804.10959
import type { Tokenizer } from '../tokenizer.ts'

const [BEGIN, END, UNKNOWN] = [0, 2, 3]
/** Pieces of special tokens, which no text contains. */
const SPECIAL = new Set([BEGIN, 1, END, UNKNOWN])
/** Stands for a space, at the start of a word. */
const SPACE = '\u2581'
/** The longest piece, in code points. */
const MAX_PIECE = 16
/** An unknown character is less likely than every piece by this logarithm. */
const UNKNOWN_PENALTY = 10

interface Vocabulary {
  ids: ReadonlyMap<string, number>
  scores: Float32Array
  unknownScore: number
  replacements: ReadonlyMap<number, string>
}

/** `bytes` is the content of pieces.bin, whose format src/inference/local/e5/weights.ts describes. */
export function createSentencePieceTokenizer(bytes: Buffer): Tokenizer {
  const vocabulary = readVocabulary(bytes)
  return {
    encode(text, maxTokens) {
      const found = [BEGIN]
      // A token has at most MAX_PIECE characters, so the rest of the text cannot count.
      for (const word of splitWords(normalize(vocabulary, text.slice(0, maxTokens * MAX_PIECE)))) {
        found.push(...likeliestPieces(vocabulary, word))
        if (found.length >= maxTokens) break
      }
      found.length = Math.min(found.length, maxTokens - 1)
      found.push(END)
      return found
    },
  }
}

function readVocabulary(bytes: Buffer): Vocabulary {
  const count = bytes.readUInt32LE(0)
  const scoresAt = 4 + count
  const scores = new Float32Array(count)
  const ids = new Map<string, number>()
  let at = scoresAt + 4 * count
  for (let id = 0; id < count; id++) {
    scores[id] = bytes.readFloatLE(scoresAt + 4 * id)
    const end = at + bytes.readUInt8(4 + id)
    if (!SPECIAL.has(id)) ids.set(bytes.toString('utf8', at, end), id)
    at = end
  }
  const unknownScore = scores.reduce((least, it) => Math.min(least, it), 0) - UNKNOWN_PENALTY
  return { ids, scores, unknownScore, replacements: readReplacements(bytes, at) }
}

function readReplacements(bytes: Buffer, start: number): Map<number, string> {
  const replacements = new Map<number, string>()
  const count = bytes.readUInt32LE(start)
  let at = start + 4
  for (let it = 0; it < count; it++) {
    const length = bytes.readUInt8(at + 4)
    const points = Array.from({ length }, (_, nth) => bytes.readUInt32LE(at + 5 + 4 * nth))
    replacements.set(bytes.readUInt32LE(at), String.fromCodePoint(...points))
    at += 5 + 4 * length
  }
  return replacements
}

function normalize({ replacements }: Vocabulary, text: string): string {
  let plain = ''
  for (const character of text) plain += replacements.get(character.codePointAt(0) ?? 0) ?? character
  return plain.replace(/ {2,}/g, ' ')
}

/** Each word begins with the sign for a space, also the first one. */
function* splitWords(text: string): Generator<string> {
  if (text === '') return
  const spaced = text.replaceAll(' ', SPACE)
  let from = 0
  for (let at = spaced.indexOf(SPACE, 1); at !== -1; at = spaced.indexOf(SPACE, at + 1)) {
    yield startWithSpace(spaced.slice(from, at))
    from = at
  }
  yield startWithSpace(spaced.slice(from))
}

const startWithSpace = (word: string): string => (word.startsWith(SPACE) ? word : SPACE + word)

/** Returns the pieces with the highest sum of scores. Successive unknown characters are one unknown piece. */
function likeliestPieces({ ids, scores, unknownScore }: Vocabulary, word: string): number[] {
  const characters = [...word]
  const best = Array.from(characters, () => ({ score: Number.NEGATIVE_INFINITY, from: 0, id: UNKNOWN }))
  for (const [from] of characters.entries()) {
    const before = from === 0 ? 0 : (best[from - 1]?.score ?? 0)
    let piece = ''
    for (let last = from; last < Math.min(characters.length, from + MAX_PIECE); last++) {
      piece += characters[last] ?? ''
      const id = ids.get(piece)
      if (id === undefined && last > from) continue
      const score = before + (id === undefined ? unknownScore : (scores[id] ?? 0))
      const path = best[last]
      if (path !== undefined && score > path.score) best[last] = { score, from, id: id ?? UNKNOWN }
    }
  }
  const pieces: number[] = []
  for (let end = characters.length; end > 0; ) {
    const { id, from } = best[end - 1] ?? { id: UNKNOWN, from: end - 1 }
    if (id !== UNKNOWN || pieces.at(-1) !== UNKNOWN) pieces.push(id)
    end = from
  }
  return pieces.reverse()
}
