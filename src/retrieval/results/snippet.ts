// Creates a snippet: the part of a chunk with the most matches, and the matches in it.
import type { ChunkWithMatches } from '../../search-index/search-index.ts'
import type { TermMatch } from '../../text/term-matcher.ts'

export interface Snippet {
  text: string
  /** Offsets in `text` in UTF-16 units; end-exclusive, in order, without overlap. */
  highlights: [start: number, end: number][]
}

const MAX_SNIPPET = 280

export function createSnippet({ content, matches }: Pick<ChunkWithMatches, 'content' | 'matches'>): Snippet {
  const { start, end } = findBestWindow(content, matches)
  const inside = matches.filter((it) => it.start >= start && it.end <= end)
  const highlights = mergeSpans(inside).map(([from, to]): [number, number] => [from - start, to - start])
  return { text: content.slice(start, end), highlights }
}

/** The number of distinct words of the query in the snippet. */
export function wordsOfSnippet({ content, matches }: Pick<ChunkWithMatches, 'content' | 'matches'>): number {
  const { start, end } = findBestWindow(content, matches)
  return new Set(matches.filter((it) => it.start >= start && it.end <= end).map((it) => it.word)).size
}

/** Returns the window with the most distinct words; the first one if several are equal. */
function findBestWindow(content: string, matches: readonly TermMatch[]): { start: number; end: number } {
  if (content.length <= MAX_SNIPPET) return { start: 0, end: content.length }
  let best = { start: 0, count: 0 }
  for (const [at, { start }] of matches.entries()) {
    const words = new Set<number>()
    for (let next = at, it = matches[at]; it !== undefined && it.end <= start + MAX_SNIPPET; it = matches[++next]) {
      words.add(it.word)
    }
    if (words.size > best.count) best = { start, count: words.size }
  }
  return extendWindow(content, best.start)
}

/** Starts a few words before the first match and ends at word boundaries. */
function extendWindow(content: string, firstMatch: number): { start: number; end: number } {
  const target = Math.max(0, Math.min(firstMatch - MAX_SNIPPET / 5, content.length - MAX_SNIPPET))
  const space = target === 0 ? -1 : content.slice(target, firstMatch).search(/\s/)
  const start = target === 0 ? 0 : space < 0 ? firstMatch : target + space + 1
  const limit = Math.min(content.length, start + MAX_SNIPPET)
  const lastSpace = limit === content.length ? limit : content.lastIndexOf(' ', limit)
  if (lastSpace > start) return { start, end: lastSpace }
  return { start, end: isHighSurrogate(content.charCodeAt(limit - 1)) ? limit - 1 : limit }
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

function mergeSpans(matches: readonly TermMatch[]): [number, number][] {
  const merged: [number, number][] = []
  for (const { start, end } of [...matches].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

const escapeHtml = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

/** Returns safe HTML: the text is escaped before matches are marked. */
export function highlightedHtml({ text, highlights }: Snippet): string {
  let html = ''
  let done = 0
  for (const [start, end] of highlights) {
    html += `${escapeHtml(text.slice(done, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>`
    done = end
  }
  return html + escapeHtml(text.slice(done))
}
