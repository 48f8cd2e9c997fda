// Reads the files that a person has uploaded.
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { createSearchDoc, type SearchDoc } from '../../domain/chat/search-doc.ts'
import { AppError } from '../../domain/errors.ts'
import { detectWarnings } from '../../domain/injection/injection-scan.ts'
import { originalPath } from '../../domain/originals/place-link.ts'
import { type RecognisedPage, withRecognisedPages } from '../../domain/pictures/recognition.ts'
import type { Subject } from '../../domain/subject.ts'
import { DEFAULT_LIMITS, type Extraction, type Extractor } from '../../extract/extract.ts'
import type { Database } from '../../store/database/database.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import { getUserFile, listNewestUserFiles, type StoredUserFile } from '../../store/files/user-files.ts'
import { defineBuiltInTool, errorResult, okResult } from './define-built-in-tool.ts'

export interface FileDeps {
  db: Database
  blobs: Pick<Blobs, 'get'>
  extractor: Pick<Extractor, 'extract'>
  /** The text of the pages that are pictures, as far as it is read until the signal; null where no text is recognised. */
  recognisePages:
    | ((file: { blob: string; name: string }, signal: AbortSignal) => Promise<readonly RecognisedPage[]>)
    | null
}

/** A person waits for the text of a scan: at most so long, then the answer has the pages that are read. */
const MAX_RECOGNITION_MS = 60_000

/** Returns the text of a file of the subject; empty if it has none. A file of another user is FILE_NOT_FOUND. */
export async function readUserFile(
  deps: FileDeps,
  subject: Subject,
  fileId: string,
  signal: AbortSignal,
): Promise<{ name: string; text: string }> {
  const file = await getUserFile(deps.db, subject, fileId)
  return { name: file.name, text: await extractFileText(deps, file, signal) }
}

async function extractFileText(
  { blobs, extractor, recognisePages }: FileDeps,
  { name, blob, size, file_type }: StoredUserFile,
  signal: AbortSignal,
): Promise<string> {
  if (size > DEFAULT_LIMITS.inputBytes) return ''
  const bytes = await buffer(await blobs.get(blob))
  const read = await extractor.extract({ source: { bytes }, file_name: name, media_type: file_type, signal })
  if (recognisePages === null || read.report.unreadPages.length === 0) return joinSections(read)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_RECOGNITION_MS)])
  const pages = await recognisePages({ blob, name }, limit)
  signal.throwIfAborted()
  const text = joinSections({ ...read, sections: withRecognisedPages(read.sections, pages) })
  const missing = read.report.unreadPages.filter((page) => !pages.some((it) => it.page === page)).length
  if (missing === 0) return text
  const note = `(${missing} scanned ${missing === 1 ? 'page' : 'pages'} of this file could not be read so far.)`
  return text === '' ? note : `${text}\n\n${note}`
}

/** Includes the text of embedded files, each after its name. */
function joinSections({ title, sections, parts }: Pick<Extraction, 'title' | 'sections' | 'parts'>): string {
  const own = sections.map(({ heading, text }) => (heading === null ? text : `${heading}\n${text}`))
  const embedded = parts.map((it) => ({ name: it.name, text: joinSections(it) })).filter((it) => it.text !== '')
  const all = [...own, ...embedded.map(({ name, text }) => `${name}\n${text}`)]
  if (all.length > 0 && title !== null && sections[0]?.heading !== title) all.unshift(title)
  return all.join('\n\n')
}

const DEFAULT_LENGTH = 16_000
const MAX_LENGTH = 64_000
const MAX_LISTED = 50
const PREVIEW_CHARACTERS = 200

const Arguments = z.object({
  file: z.string().max(1_000).optional().describe('The id or name of the file. Omit it to list the files.'),
  start_char: z.coerce.number().int().min(0).default(0).describe('The position at which to start.'),
  length: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LENGTH)
    .default(DEFAULT_LENGTH)
    .describe('The number of characters to read.'),
})

export const readFileTool = defineBuiltInTool({
  in_code_tool_id: 'FileReaderTool',
  name: 'read_file',
  display_name: 'File Reader',
  description: 'Reads the files that the person has uploaded.',
  descriptionForModel: 'Reads a file that the person has uploaded, or lists all of them.',
  default_enabled: true,
  arguments: Arguments,
  async call(deps: FileDeps, { file: wanted, start_char, length }, { subject, emit, signal }) {
    const newest = await listNewestUserFiles(deps.db, subject, MAX_LISTED)
    if (wanted === undefined) return okResult(describeFiles(newest))
    const file =
      newest.find((it) => it.id === wanted || it.name === wanted) ?? (await findOwnFile(deps, subject, wanted))
    if (file === undefined)
      return errorResult(`There is no file "${wanted}" among the files of the person. ${describeFiles(newest)}`)
    emit({ type: 'file_reader_start' })
    const text = await extractFileText(deps, file, signal)
    const start = Math.min(start_char, text.length)
    const piece = text.slice(start, start + length).toWellFormed()
    const end = start + piece.length
    emit({
      type: 'file_reader_result',
      file_name: file.name,
      file_id: file.id,
      start_char: start,
      end_char: end,
      total_chars: text.length,
      preview_start: piece.slice(0, PREVIEW_CHARACTERS).toWellFormed(),
      preview_end: piece.slice(-PREVIEW_CHARACTERS).toWellFormed(),
    })
    if (text === '') return errorResult(`"${file.name}" contains no readable text.`)
    const more = end < text.length ? ` Continue with start_char ${end}.` : ''
    const passage = {
      document: fileDocument(file),
      text: piece,
      chunk_inds: [0, 0] as const,
      link: originalPath(file.id),
      warnings: detectWarnings(piece),
    }
    return okResult(`Characters ${start} to ${end} of ${text.length} of "${file.name}".${more}`, [passage])
  },
})

async function findOwnFile({ db }: FileDeps, subject: Subject, id: string): Promise<StoredUserFile | undefined> {
  try {
    return await getUserFile(db, subject, id)
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_NOT_FOUND') return undefined
    throw error
  }
}

const describeFiles = (files: readonly StoredUserFile[]): string =>
  files.length === 0
    ? 'The person has uploaded no files.'
    : `Files, newest first:\n${files.map((it) => `${it.name} (id ${it.id}, ${it.file_type}, ${it.size} bytes)`).join('\n')}`

const fileDocument = ({ id, name, created_at }: StoredUserFile): SearchDoc =>
  createSearchDoc({
    document_id: id,
    semantic_identifier: name,
    blurb: name,
    source_type: 'user_file',
    updated_at: new Date(created_at).toISOString(),
    file_id: id,
  })
