// How a document becomes chunks: neighbouring short sections together, long ones cut where a reader would pause.
import type { Chunk } from '../domain/chunk.ts'
import type { Section } from '../domain/document.ts'

/** Characters. Chosen by `npm run eval`, see docs/decisions/0011-chunks.md. */
export const MAX_CHUNK = 2_000

export function chunk(sections: readonly Section[]): Chunk[] {
  const chunks: Chunk[] = []
  for (const { text, link } of merged(sections)) {
    for (const piece of pieces(text)) chunks.push({ chunk_ind: chunks.length, content: piece, link })
  }
  return chunks
}

/** Sections with text, joined while they share a link and fit into one chunk. */
function merged(sections: readonly Section[]): { text: string; link: string | null }[] {
  const joined: { text: string; link: string | null }[] = []
  for (const section of sections) {
    const text = textOf(section)
    if (text === '') continue
    const last = joined.at(-1)
    const isJoinable = last !== undefined && (section.link === null || section.link === last.link)
    if (isJoinable && last.text.length + text.length + 2 <= MAX_CHUNK) last.text += `\n\n${text}`
    else joined.push({ text, link: section.link ?? null })
  }
  return joined
}

/** Of an image there is what it is called and where it is shown, beside what is said of it. */
function textOf({ heading, text, link, image_file_id, image_file_name }: Section): string {
  const image = image_file_id === null ? [] : [image_file_name, link]
  return [heading, text, ...image].filter(Boolean).join('\n').trim()
}

function* pieces(text: string): Generator<string> {
  let start = 0
  while (text.length - start > MAX_CHUNK) {
    const end = cut(text, start)
    const piece = text.slice(start, end).trim()
    if (piece !== '') yield piece
    start = end
  }
  const rest = text.slice(start).trim()
  if (rest !== '') yield rest
}

const PAUSES = [/\n\s*\n/g, /[.!?]["')\]]*\s|[。！？]|\n/g, /\s/g]

/** Where the piece that starts here ends: at the last good pause of its second half. */
function cut(text: string, start: number): number {
  const from = start + MAX_CHUNK / 2
  const half = text.slice(from, start + MAX_CHUNK)
  for (const pause of PAUSES) {
    let end = 0
    for (const match of half.matchAll(pause)) end = match.index + match[0].length
    if (end > 0) return from + end
  }
  const hard = start + MAX_CHUNK
  return isHighSurrogate(text.charCodeAt(hard - 1)) ? hard - 1 : hard
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
