// The files that a person has uploaded, read for that person.
import { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import { warningsOf } from '../domain/screen.ts'
import { type SearchDoc, searchDocOf } from '../domain/search-doc.ts'
import type { Subject } from '../domain/subject.ts'
import { DEFAULT_LIMITS, type Extraction, type Extractor } from '../extract/extract.ts'
import type { Blobs } from '../store/blobs.ts'
import type { Database } from '../store/database.ts'
import { getUserFile, listNewestUserFiles, type StoredUserFile } from '../store/user-files.ts'
import { callable, failed, said } from './callable.ts'
import type { Callable } from './tool.ts'

export interface FileNeeds {
  db: Database
  blobs: Pick<Blobs, 'get'>
  extractor: Pick<Extractor, 'extract'>
}

/** The text of one of the subject's own files; one of somebody else is FILE_NOT_FOUND. Empty where there is none in it. */
export async function readUserFile(
  needs: Pick<FileNeeds, 'db' | 'blobs' | 'extractor'>,
  subject: Subject,
  fileId: string,
  signal: AbortSignal,
): Promise<{ name: string; text: string }> {
  const file = await getUserFile(needs.db, subject, fileId)
  return { name: file.name, text: await textOf(needs, file, signal) }
}

async function textOf(
  { blobs, extractor }: Pick<FileNeeds, 'blobs' | 'extractor'>,
  { name, blob, size, file_type }: StoredUserFile,
  signal: AbortSignal,
): Promise<string> {
  if (size > DEFAULT_LIMITS.inputBytes) return ''
  const pieces: Buffer[] = []
  for await (const piece of await blobs.get(blob)) pieces.push(piece as Buffer)
  const bytes = Buffer.concat(pieces)
  return written(await extractor.extract({ source: { bytes }, file_name: name, media_type: file_type, signal }))
}

/** With what lies in it, each under its name. */
function written({ title, sections, parts }: Pick<Extraction, 'title' | 'sections' | 'parts'>): string {
  const own = sections.map(({ heading, text }) => (heading === null ? text : `${heading}\n${text}`))
  const within = parts.map((it) => ({ name: it.name, text: written(it) })).filter((it) => it.text !== '')
  const all = [...own, ...within.map(({ name, text }) => `${name}\n${text}`)]
  if (all.length > 0 && title !== null && sections[0]?.heading !== title) all.unshift(title)
  return all.join('\n\n')
}

const DEFAULT_LENGTH = 16_000
const MAX_LENGTH = 64_000
const MAX_LISTED = 50
const PREVIEW = 200

const Arguments = z.object({
  file: z.string().max(1_000).optional().describe('Its id or its name. Left out: the files that there are.'),
  start_char: z.coerce.number().int().min(0).default(0).describe('Where to begin.'),
  length: z.coerce.number().int().min(1).max(MAX_LENGTH).default(DEFAULT_LENGTH).describe('How many characters.'),
})

export const readFileTool = (needs: FileNeeds): Callable =>
  callable({
    name: 'read_file',
    description: 'Reads a file that the person has uploaded, or lists these files.',
    arguments: Arguments,
    async call({ file: wanted, start_char, length }, { subject, emit, signal }) {
      const newest = await listNewestUserFiles(needs.db, subject, MAX_LISTED)
      if (wanted === undefined) return said(listing(newest))
      const file =
        newest.find((it) => it.id === wanted || it.name === wanted) ?? (await ownFile(needs, subject, wanted))
      if (file === undefined)
        return failed(`There is no file "${wanted}" among those of the person. ${listing(newest)}`)
      emit({ type: 'file_reader_start' })
      const text = await textOf(needs, file, signal)
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
        preview_start: piece.slice(0, PREVIEW).toWellFormed(),
        preview_end: piece.slice(-PREVIEW).toWellFormed(),
      })
      if (text === '') return failed(`No text could be read in "${file.name}".`)
      const more = end < text.length ? ` Read on with start_char ${end}.` : ''
      const passage = {
        document: documentOf(file),
        text: piece,
        chunk_inds: [0, 0] as const,
        link: null,
        warnings: warningsOf(piece),
      }
      return said(`Characters ${start} to ${end} of ${text.length} of "${file.name}".${more}`, [passage])
    },
  })

async function ownFile({ db }: FileNeeds, subject: Subject, id: string): Promise<StoredUserFile | undefined> {
  try {
    return await getUserFile(db, subject, id)
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_NOT_FOUND') return undefined
    throw error
  }
}

const listing = (files: readonly StoredUserFile[]): string =>
  files.length === 0
    ? 'The person has uploaded no files.'
    : `Files, the newest first:\n${files.map((it) => `${it.name} (id ${it.id}, ${it.file_type}, ${it.size} bytes)`).join('\n')}`

const documentOf = ({ id, name, created_at }: StoredUserFile): SearchDoc =>
  searchDocOf({
    document_id: id,
    semantic_identifier: name,
    blurb: name,
    source_type: 'user_file',
    updated_at: new Date(created_at).toISOString(),
    file_id: id,
  })
