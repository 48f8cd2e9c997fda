// Splits attached files into passages, so that an answer can cite them.
import type { Passage } from '../../domain/chat/passage.ts'
import { createSearchDoc } from '../../domain/chat/search-doc.ts'
import { detectWarnings, removeUnicodeTags } from '../../domain/injection/injection-scan.ts'
import { estimateTokens } from '../../domain/models/token-estimate.ts'
import { originalPath } from '../../domain/originals/place-link.ts'
import { rankPassages } from '../quotes/select-quotes.ts'
import { USER_FILE_SOURCE } from './answer-context.ts'
import type { AttachedFile } from './chat-turn.ts'

const PIECE_CHARACTERS = 3_000
const MAX_BLURB = 200
/** The rest of a larger file is reached through the `read_file` tool. */
const MAX_PIECES = 400

export const filePassages = (files: readonly AttachedFile[]): Passage[] =>
  files.flatMap((file) => splitText(removeUnicodeTags(file.text)).map((text, at) => toPassage(file, text, at)))

function toPassage(file: AttachedFile, text: string, at: number): Passage {
  const document = createSearchDoc({
    document_id: file.id,
    chunk_ind: at,
    semantic_identifier: file.name,
    blurb: text.slice(0, MAX_BLURB).toWellFormed(),
    source_type: USER_FILE_SOURCE,
    file_id: file.id,
  })
  return { document, text, chunk_inds: [at, at], link: originalPath(file.id), warnings: detectWarnings(text) }
}

/** Cuts at the end of a paragraph, line or sentence if there is one. */
function splitText(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length && pieces.length < MAX_PIECES; ) {
    const window = text.slice(start, start + PIECE_CHARACTERS)
    const isLast = start + PIECE_CHARACTERS >= text.length
    const breakAt = isLast
      ? -1
      : Math.max(window.lastIndexOf('\n\n'), window.lastIndexOf('\n', PIECE_CHARACTERS), window.lastIndexOf('. '))
    const length = breakAt > PIECE_CHARACTERS / 2 ? breakAt + 1 : window.length
    const piece = window.slice(0, length).toWellFormed().trim()
    if (piece !== '') pieces.push(piece)
    start += length
  }
  return pieces
}

/** All passages if they fit, else those that match the question best, in document order. */
export function selectPassages(question: string, passages: readonly Passage[], tokens: number): Passage[] {
  if (passages.reduce((sum, it) => sum + passageTokens(it), 0) <= tokens) return [...passages]
  const kept = new Set<Passage>()
  let room = tokens
  for (const it of new Set([...rankPassages(question, passages), ...passages])) {
    const size = passageTokens(it)
    if (size > room) continue
    kept.add(it)
    room -= size
  }
  return passages.filter((it) => kept.has(it))
}

/** With its title and number. */
const passageTokens = ({ text }: Passage): number => estimateTokens(text) + 80
