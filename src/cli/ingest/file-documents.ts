// Converts an extracted file to documents: one for the file and one for each embedded file.
import type { IngestionRequest } from '../../client/schemas.ts'
import type { ExtractedSection, Extraction, ExtractReport } from '../../extract/extract.ts'
import type { IngestItem } from './source.ts'

export interface FileInfo {
  /** The end of the document id. */
  path: string
  id: string
  link: string | null
  updatedAt: Date
  ccPairId: number | undefined
  source: string | undefined
}

export interface FileDocument {
  /** The path of the file, followed by the name within an archive. */
  at: string
  content: IngestItem['content']
}

/** Separates an archive from the name of a member. */
export const MEMBER_SEPARATOR = '!/'

/**
 * Embedded files come first. The last document has the path of the file itself, so the file is done when that
 * document is.
 */
export function documentsOfFile(extraction: Extraction, file: FileInfo): FileDocument[] {
  const found: FileDocument[] = []
  const names = new Set<string>()
  for (const part of extraction.parts) {
    const name = `${MEMBER_SEPARATOR}${uniqueName(part.name, names)}`
    found.push(...documentsOfFile(part, { ...file, path: file.path + name, id: file.id + name }))
  }
  const last = found.at(-1)
  const { verdict, pages } = extraction.report
  // An archive has no document of its own. A scan with attached files has one.
  if (extraction.sections.length === 0 && last !== undefined && verdict === 'ok' && pages === null)
    return [...found.slice(0, -1), attributeToFile(file.path, last)]
  return [...found, { at: file.path, content: documentContent(extraction, file) }]
}

function attributeToFile(path: string, { at, content }: FileDocument): FileDocument {
  return {
    at: path,
    content: 'problem' in content ? { problem: `${at.slice(path.length)}: ${content.problem}` } : content,
  }
}

function uniqueName(name: string, names: Set<string>): string {
  let one = name
  for (let count = 2; names.has(one); count++) one = `${name} (${count})`
  names.add(one)
  return one
}

function documentContent(extraction: Extraction, file: FileInfo): IngestItem['content'] {
  const { sections, report } = extraction
  const problems = listProblems(report)
  if (sections.length === 0 && problems.length > 0) return { problem: problems.join(' ') }
  return { body: buildRequest(extraction, file, problems) }
}

/** Warnings that do not help the user. The service itself warns of a document without text. */
const IGNORED_WARNINGS = new Set(['truncated', 'type_mismatch', 'no_text'])

const listProblems = ({ warnings }: ExtractReport): string[] =>
  warnings
    .filter(({ code }) => !IGNORED_WARNINGS.has(code))
    .map(({ code, detail }) => (code === 'limit_hit' ? `The limit of ${detail} was reached.` : detail))

const MAX_PROBLEMS = 20

function buildRequest({ title, sections, metadata }: Extraction, file: FileInfo, problems: string[]): IngestionRequest {
  const { path, id, link, updatedAt, ccPairId, source } = file
  const name = path.split('/').at(-1) ?? path
  const isPart = path.includes(MEMBER_SEPARATOR)
  return {
    ...(ccPairId !== undefined && { cc_pair_id: ccPairId }),
    document: {
      id,
      semantic_identifier: title ?? name.replace(/(?<=.)\.\w{1,8}$/, ''),
      sections: mergeSections(sections).map(({ text, heading, anchor }) => ({
        text,
        heading,
        link: link === null || anchor === null || isPart ? link : `${link}#${anchor}`,
      })),
      ...(source !== undefined && { source }),
      metadata: {
        path,
        ...(metadata.author !== null && { author: metadata.author }),
        ...(problems.length > 0 && { extraction_warnings: problems.slice(0, MAX_PROBLEMS) }),
      },
      doc_updated_at: updatedAt.toISOString(),
    },
  }
}

/** The limit of the service per document. */
const MAX_SECTIONS = 10_000

/** Merges adjacent sections, which keep the position of the first. */
function mergeSections(sections: readonly ExtractedSection[]): readonly ExtractedSection[] {
  if (sections.length <= MAX_SECTIONS) return sections
  const share = Math.ceil(sections.length / MAX_SECTIONS)
  const merged: ExtractedSection[] = []
  for (const [at, section] of sections.entries()) {
    const open = merged.at(-1)
    if (open === undefined || at % share === 0) merged.push({ ...section })
    else open.text += `\n${section.heading ?? ''}\n${section.text}`
  }
  return merged
}
