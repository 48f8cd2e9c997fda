// Splits documents into chunks: adjacent short sections are merged, long ones are cut.
import type { Chunk } from '../../domain/chunk.ts'
import type { DocumentSection } from '../../domain/document.ts'
import { withoutTextFragment } from '../../domain/search/text-fragment.ts'
import { splitText } from './split-text.ts'

/** In characters. Tuned with `npm run eval`, see docs/decisions/0011-chunks.md. */
export const MAX_CHUNK = 2_000

export function chunkSections(sections: readonly DocumentSection[]): Chunk[] {
  const chunks: Chunk[] = []
  for (const { text, link } of mergeSections(sections)) {
    for (const piece of splitText(text, MAX_CHUNK)) chunks.push({ chunk_ind: chunks.length, content: piece, link })
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
