// The passage of a chunk that shows best why it was found, with the words that matched.
import type { SightedChunk } from '../search-index/search-index.ts'
import type { Sighting } from '../text/positions.ts'

export interface Snippet {
  text: string
  /** Offsets in `text`, in UTF-16 units, end exclusive, in order, without overlap. */
  highlights: [start: number, end: number][]
}

const MAX_SNIPPET = 280

export function snippetOf({ content, sightings: matches }: Pick<SightedChunk, 'content' | 'sightings'>): Snippet {
  const { start, end } = passage(content, matches)
  const inside = matches.filter((it) => it.start >= start && it.end <= end)
  const highlights = spans(inside).map(([from, to]): [number, number] => [from - start, to - start])
  return { text: content.slice(start, end), highlights }
}

/** The window with the most different words; of equals, the first. */
function passage(content: string, matches: readonly Sighting[]): { start: number; end: number } {
  if (content.length <= MAX_SNIPPET) return { start: 0, end: content.length }
  let best = { start: 0, count: 0 }
  for (const [at, { start }] of matches.entries()) {
    const words = new Set<number>()
    for (let next = at; next < matches.length && matches[next]!.end <= start + MAX_SNIPPET; next++) {
      words.add(matches[next]!.word)
    }
    if (words.size > best.count) best = { start, count: words.size }
  }
  return widened(content, best.start)
}

/** Some words before the first match, and whole words at both ends. */
function widened(content: string, firstMatch: number): { start: number; end: number } {
  const wanted = Math.max(0, Math.min(firstMatch - MAX_SNIPPET / 5, content.length - MAX_SNIPPET))
  const space = wanted === 0 ? -1 : content.slice(wanted, firstMatch).search(/\s/)
  const start = wanted === 0 ? 0 : space < 0 ? firstMatch : wanted + space + 1
  const limit = Math.min(content.length, start + MAX_SNIPPET)
  const lastSpace = limit === content.length ? limit : content.lastIndexOf(' ', limit)
  if (lastSpace > start) return { start, end: lastSpace }
  return { start, end: isHighSurrogate(content.charCodeAt(limit - 1)) ? limit - 1 : limit }
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

function spans(sightings: readonly Sighting[]): [number, number][] {
  const merged: [number, number][] = []
  for (const { start, end } of [...sightings].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (it) => ESCAPES[it]!)

/** Safe HTML: the text escaped first, then the words marked. */
export function highlightedHtml({ text, highlights }: Snippet): string {
  let html = ''
  let done = 0
  for (const [start, end] of highlights) {
    html += `${escapeHtml(text.slice(done, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>`
    done = end
  }
  return html + escapeHtml(text.slice(done))
}
