// Turns the bytes of a file into the sections of a document.
import { type TextReport, toTextReport } from '../../domain/extraction/text-report.ts'
import type { ExtractReport, SourceKind } from '../../extract/extract.ts'
import {
  type ConnectorContext,
  type ExtractInput,
  type FileSection,
  type SourceDocument,
  SourceError,
  type SourceExtraction,
} from '../connector.ts'

export interface FileSections {
  title: string | null
  sections: FileSection[]
  report: TextReport
}

export type FileText =
  | (FileSections & {
      kind: 'text'
      /** Archive members and mail attachments, at any depth. */
      parts: (FileSections & { name: string })[]
      /** Members and attachments that could not be read. */
      unread: { name: string; reason: string }[]
    })
  /** No text could be read. */
  | { kind: 'unread'; reason: string }

/** Links each section to its anchor. The id is the file's URL; a fragment in it is replaced. */
export function linkSections(id: string, sections: FileSections['sections']): SourceDocument['sections'] {
  const [file] = id.split('#', 1)
  return sections.map(({ anchor, ...section }) => ({
    ...section,
    link: anchor === null ? id : `${file}#${anchor}`,
  }))
}

export async function readFileText(
  bytes: Buffer,
  file: Omit<ExtractInput, 'bytes'>,
  { extract }: Pick<ConnectorContext, 'extract'>,
): Promise<FileText> {
  return toFileText(await extract({ bytes, ...file }))
}

/** Reads text that the source returned. Rejects with a `SourceError` if none of it is readable. */
export async function readSourceText(
  text: string,
  as: SourceKind,
  { extract }: Pick<ConnectorContext, 'extract'>,
): Promise<FileSections['sections']> {
  const { sections, report } = await extract({ bytes: Buffer.from(text), name: 'text', mediaType: null, as })
  if (sections.length > 0 || report.verdict === 'ok') return sections
  throw new SourceError('unexpected', `The text is not readable. ${reasonForNoText(report)}`)
}

export function toFileText(extraction: SourceExtraction): FileText {
  const nested = flattenParts(extraction, '')
  const parts = nested.flatMap((it) => ('reason' in it ? [] : it))
  const unread = nested.flatMap((it) => ('reason' in it ? it : []))
  const { title, sections, report } = extraction
  if (sections.length === 0 && nested.length === 0) return { kind: 'unread', reason: reasonForNoText(report) }
  return { kind: 'text', title, sections, report: toTextReport(report), parts, unread }
}

/** Separates the name of an archive from the name of its member. */
const MEMBER_SEPARATOR = '!/'

type FilePart = { name: string } & (FileSections | { reason: string })

function flattenParts({ parts }: Pick<SourceExtraction, 'parts'>, prefix: string): FilePart[] {
  const names = new Map<string, number>()
  return parts.flatMap((part) => {
    const count = (names.get(part.name) ?? 0) + 1
    names.set(part.name, count)
    const name = `${prefix}${part.name}${count === 1 ? '' : ` (${count})`}`
    const { title, sections, report } = part
    const nested = flattenParts(part, `${name}${MEMBER_SEPARATOR}`)
    if (sections.length > 0) return [{ name, title, sections, report: toTextReport(report) }, ...nested]
    return nested.length > 0 ? nested : [{ name, reason: reasonForNoText(report) }]
  })
}

export function reasonForNoText({ kind, verdict, warnings }: ExtractReport): string {
  const [warning] = warnings
  if (warning !== undefined)
    return warning.code === 'limit_hit' ? `The file exceeds the limit "${warning.detail}".` : warning.detail
  if (verdict === 'password') return 'The file is password-protected.'
  return verdict === 'ok' ? 'The file contains no text.' : `No text could be read: ${kind}, ${verdict}.`
}
