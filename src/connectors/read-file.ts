// Bytes of a file as sections of text: what connectors take of an extraction.
import type { Extraction, Report } from '../extract/extract.ts'
import type { FileBytes, Pull, SourceDocument } from './connector.ts'

export interface TextOfFile {
  title: string | null
  sections: { heading: string | null; text: string; anchor: string | null }[]
}

export type FileText =
  | (TextOfFile & {
      kind: 'text'
      /** What lies in it, at any depth: members of an archive, attachments of a mail. */
      parts: (TextOfFile & { name: string })[]
      /** What lies in it and could not be read. */
      unread: { name: string; reason: string }[]
    })
  /** There is no text in it that could be read, and why. */
  | { kind: 'unread'; reason: string }

/** Each with the address of its place in the file, whose id is its address; a page's may have a place already. */
export function linkedTo(id: string, sections: TextOfFile['sections']): SourceDocument['sections'] {
  const [file] = id.split('#', 1)
  return sections.map(({ text, heading, anchor }) => ({
    text,
    heading,
    link: anchor === null ? id : `${file}#${anchor}`,
  }))
}

export async function readFileText(
  bytes: Buffer,
  file: Omit<FileBytes, 'bytes'>,
  { extract }: Pick<Pull, 'extract'>,
): Promise<FileText> {
  return textOf(await extract({ bytes, ...file }))
}

export function textOf(extraction: Extraction): FileText {
  const within = partsOf(extraction, '')
  const parts = within.flatMap((it) => ('reason' in it ? [] : it))
  const unread = within.flatMap((it) => ('reason' in it ? it : []))
  const { title, sections, report } = extraction
  if (sections.length === 0 && within.length === 0) return { kind: 'unread', reason: reasonOf(report) }
  return { kind: 'text', title, sections, parts, unread }
}

/** Between an archive and the name of its member. */
const WITHIN = '!/'

type PartOfFile = { name: string } & (TextOfFile | { reason: string })

function partsOf({ parts }: Extraction, prefix: string): PartOfFile[] {
  const names = new Map<string, number>()
  return parts.flatMap((part) => {
    const count = (names.get(part.name) ?? 0) + 1
    names.set(part.name, count)
    const name = `${prefix}${part.name}${count === 1 ? '' : ` (${count})`}`
    const { title, sections, report } = part
    const within = partsOf(part, `${name}${WITHIN}`)
    if (sections.length > 0) return [{ name, title, sections }, ...within]
    return within.length > 0 ? within : [{ name, reason: reasonOf(report) }]
  })
}

function reasonOf({ kind, verdict, warnings }: Report): string {
  const [warning] = warnings
  if (warning !== undefined)
    return warning.code === 'limit_hit' ? `It reaches the limit of ${warning.detail}.` : warning.detail
  if (verdict === 'password') return 'It needs a password.'
  return verdict === 'ok' ? 'There is no text in it.' : `No text could be read in it: ${kind}, ${verdict}.`
}
