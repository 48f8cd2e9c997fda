// Files beside the question: passages like those of documents, so that an answer can cite them.
import type { Passage } from '../domain/passage.ts'
import { warningsOf, withoutTags } from '../domain/screen.ts'
import { searchDocOf } from '../domain/search-doc.ts'
import { tokensIn } from '../domain/tokens.ts'
import { FILE_SOURCE } from './course.ts'
import { quotesFor } from './quote.ts'
import type { AttachedFile } from './turn.ts'

const PIECE = 3_000
const MAX_BLURB = 200
/** Beyond this a file is one to search in, and `read_file` reads on. */
const MAX_PIECES = 400

export const passagesOfFiles = (files: readonly AttachedFile[]): Passage[] =>
  files.flatMap((file) => piecesOf(withoutTags(file.text)).map((text, at) => passageOf(file, text, at)))

function passageOf(file: AttachedFile, text: string, at: number): Passage {
  const document = searchDocOf({
    document_id: file.id,
    chunk_ind: at,
    semantic_identifier: file.name,
    blurb: text.slice(0, MAX_BLURB).toWellFormed(),
    source_type: FILE_SOURCE,
    file_id: file.id,
  })
  return { document, text, chunk_inds: [at, at], link: null, warnings: warningsOf(text) }
}

/** Cut at the end of a paragraph or line where there is one. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length && pieces.length < MAX_PIECES; ) {
    const window = text.slice(start, start + PIECE)
    const isLast = start + PIECE >= text.length
    const pause = isLast
      ? -1
      : Math.max(window.lastIndexOf('\n\n'), window.lastIndexOf('\n', PIECE), window.lastIndexOf('. '))
    const length = pause > PIECE / 2 ? pause + 1 : window.length
    const piece = window.slice(0, length).toWellFormed().trim()
    if (piece !== '') pieces.push(piece)
    start += length
  }
  return pieces
}

/** All of them, or, where there is no room for all, those that fit the question best, in the order of the text. */
export function bestPieces(question: string, passages: readonly Passage[], tokens: number): Passage[] {
  const sizes = new Map(passages.map((it) => [it, tokensIn(it.text) + 80]))
  const fits = (it: readonly Passage[]) => it.reduce((sum, passage) => sum + sizes.get(passage)!, 0) <= tokens
  if (fits(passages)) return [...passages]
  const quoted = quotesFor(question, passages).map((it) => it.passage)
  const kept = new Set<Passage>()
  for (const it of [...quoted, ...passages]) if (fits([...kept, it])) kept.add(it)
  return passages.filter((it) => kept.has(it))
}
