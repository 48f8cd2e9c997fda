// The part of a message that a search in chats shows, with the words that were found.

export interface Excerpt {
  text: string
  /** Offsets in `text`, in UTF-16 code units, end exclusive, in ascending order. */
  spans: [from: number, to: number][]
}

/** How much of a message is searched for its excerpt. */
export const MAX_EXCERPT_SOURCE = 100_000
const MAX_LENGTH = 160
/** Room for what precedes the first word. */
const BEFORE = 40
const WINDOW = MAX_LENGTH - BEFORE
const MAX_HITS = 1_000

/** Takes the place with the most of the words, which are folded like the messages. Null if none of them occurs. */
export function excerptOf(message: string, words: readonly string[]): Excerpt | null {
  const text = displayText(message.slice(0, MAX_EXCERPT_SOURCE))
  const hits = findHits(text, words)
  const first = bestHit(hits)
  if (first === undefined) return null
  const from = startBefore(text, first.from)
  const to = endAfter(text, Math.max(first.to, from + MAX_LENGTH), first.to)
  const [before, after] = [from > 0 ? '…' : '', to < text.length ? '…' : '']
  const shift = before.length - from
  const shown = hits.filter((it) => it.from >= from && it.to <= to)
  return {
    text: `${before}${text.slice(from, to)}${after}`,
    spans: withoutOverlaps(shown).map((it) => [it.from + shift, it.to + shift]),
  }
}

/** Citations are links in the text of an answer, and NFKC is what the words are folded with. */
const displayText = (message: string): string =>
  message
    .replace(/\[\[\d+\]\]\([^()]*\)/g, '')
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .trim()

interface Hit {
  word: string
  from: number
  to: number
}

/** In ascending order. */
function findHits(text: string, words: readonly string[]): Hit[] {
  const { folded, offsets } = foldWithOffsets(text)
  const hits = words.flatMap((word) => {
    const found: Hit[] = []
    for (let at = folded.indexOf(word); at >= 0 && found.length < MAX_HITS; at = folded.indexOf(word, at + word.length))
      found.push({ word, from: offsets(at), to: offsets(at + word.length) })
    return found
  })
  return hits.sort((a, b) => a.from - b.from || b.to - a.to)
}

/** A few letters have another length in lower case. */
function foldWithOffsets(text: string): { folded: string; offsets: (at: number) => number } {
  const folded = text.toLowerCase()
  if (folded.length === text.length) return { folded, offsets: (at) => at }
  const letters = [...text].map((it) => ({ length: it.length, folded: it.toLowerCase() }))
  const starts: number[] = []
  let at = 0
  for (const letter of letters) {
    for (let unit = 0; unit < letter.folded.length; unit++) starts.push(at)
    at += letter.length
  }
  return { folded: letters.map((it) => it.folded).join(''), offsets: (it) => starts[it] ?? text.length }
}

/** The first place with the most different words, without what only repeats before them. */
function bestHit(hits: readonly Hit[]): Hit | undefined {
  const counts = new Map<string, number>()
  let best: { hit: Hit; words: number; until: number } | undefined
  let end = 0
  for (const hit of hits) {
    for (let next = hits[end]; next !== undefined && next.to <= hit.from + WINDOW; next = hits[++end])
      counts.set(next.word, (counts.get(next.word) ?? 0) + 1)
    const words = counts.size
    if (best === undefined || words > best.words) best = { hit, words, until: hit.from + WINDOW }
    else if (words > 1 && words === best.words && hit.from < best.until) best = { ...best, hit }
    const left = (counts.get(hit.word) ?? 0) - 1
    if (left > 0) counts.set(hit.word, left)
    else counts.delete(hit.word)
  }
  return best?.hit
}

/** The start of a word, or of a letter where there is no space. */
function startBefore(text: string, hit: number): number {
  const from = hit - BEFORE
  if (from <= 0) return 0
  const space = text.indexOf(' ', from)
  return space >= 0 && space < hit ? space + 1 : letterStart(text, from)
}

function endAfter(text: string, to: number, hitEnd: number): number {
  if (to >= text.length) return text.length
  const space = text.lastIndexOf(' ', to)
  return space >= hitEnd ? space : letterStart(text, to)
}

const letterStart = (text: string, at: number): number =>
  /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) ? at - 1 : at

function withoutOverlaps(hits: readonly Hit[]): Hit[] {
  const kept: Hit[] = []
  for (const hit of hits) if (hit.from >= (kept.at(-1)?.to ?? 0)) kept.push(hit)
  return kept
}
