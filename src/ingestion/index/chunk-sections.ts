// Splits documents into chunks: adjacent short sections are merged, long ones are cut at paragraph or sentence ends.
import type { Chunk } from '../../domain/chunk.ts'
import type { DocumentSection } from '../../domain/document.ts'
import { withoutTextFragment } from '../../domain/search/text-fragment.ts'

/** In characters. Tuned with `npm run eval`, see docs/decisions/0011-chunks.md. */
export const MAX_CHUNK = 2_000

export function chunkSections(sections: readonly DocumentSection[]): Chunk[] {
  const chunks: Chunk[] = []
  for (const { text, link } of mergeSections(sections)) {
    for (const piece of splitText(text)) chunks.push({ chunk_ind: chunks.length, content: piece, link })
  }
  return chunks
}

/** Merges sections with text while they share a link and fit into one chunk. */
function mergeSections(sections: readonly DocumentSection[]): { text: string; link: string | null }[] {
  const joined: { text: string; link: string | null }[] = []
  for (const section of sections) {
    const text = sectionText(section)
    if (text === '') continue
    const last = joined.at(-1)
    const isJoinable = last !== undefined && (section.link === null || isSamePlace(section.link, last.link))
    if (isJoinable && last.text.length + text.length + 2 <= MAX_CHUNK) last.text += `\n\n${text}`
    else joined.push({ text, link: section.link ?? null })
  }
  return joined
}

/** Headings without an id are no places of their own, so that short sections are still one chunk. */
const isSamePlace = (link: string, last: string | null): boolean =>
  last !== null && withoutTextFragment(link) === withoutTextFragment(last)

/** For an image, the file name and the link are searchable in addition to its text. */
function sectionText({ heading, text, link, image_file_id, image_file_name }: DocumentSection): string {
  const image = image_file_id === null ? [] : [image_file_name, link]
  return [heading, text, ...image].filter(Boolean).join('\n').trim()
}

function* splitText(text: string): Generator<string> {
  let start = 0
  while (text.length - start > MAX_CHUNK) {
    const end = findCut(text, start)
    const piece = text.slice(start, end).trim()
    if (piece !== '') yield piece
    start = end
  }
  const rest = text.slice(start).trim()
  if (rest !== '') yield rest
}

const BREAKS = [/\n\s*\n/g, /[.!?]["')\]]*\s|[。！？]|\n/g, /\s/g]

/** The end of the piece that starts at `start`: the last good break in its second half. */
function findCut(text: string, start: number): number {
  const from = start + MAX_CHUNK / 2
  const half = text.slice(from, start + MAX_CHUNK)
  for (const pause of BREAKS) {
    let end = 0
    for (const match of half.matchAll(pause)) end = match.index + match[0].length
    if (end > 0) return from + end
  }
  const hard = start + MAX_CHUNK
  return isHighSurrogate(text.charCodeAt(hard - 1)) ? hard - 1 : hard
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
