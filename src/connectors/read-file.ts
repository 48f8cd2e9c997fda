// Bytes of a file as sections of text: the one place where connectors meet extraction.
import { decodePage, readPage } from './read-page.ts'

export interface TextOfFile {
  title: string | null
  sections: { heading: string | null; text: string; anchor: string | null }[]
}

export type FileText =
  | (TextOfFile & {
      kind: 'text'
      /** What lies in it: members of an archive, attachments of a mail. */
      parts: (TextOfFile & { name: string })[]
    })
  /** Nothing here reads it, and why. */
  | { kind: 'unread'; reason: string }

const TEXT = /\.(?:txt|md|mdx|conf|log|json|jsonl|csv|tsv|xml|yml|yaml|sql|rst|adoc|ini|toml)$/i
const HTML = /\.(?:html?|xhtml)$/i

export async function readFileText(
  bytes: Buffer,
  { name, mediaType }: { name: string; mediaType: string | null },
  signal: AbortSignal,
): Promise<FileText> {
  signal.throwIfAborted()
  const type = (mediaType ?? '').split(';')[0]!.trim().toLowerCase()
  if (HTML.test(name) || type === 'text/html' || type === 'application/xhtml+xml') {
    const { title, sections } = readPage(decodePage(bytes, mediaType ?? ''))
    return { kind: 'text', title, sections, parts: [] }
  }
  const isText = TEXT.test(name) || type.startsWith('text/') || /^application\/(?:json|xml|yaml)$/.test(type)
  if (!isText || bytes.subarray(0, 8_192).includes(0)) {
    return { kind: 'unread', reason: `Files of this kind are not read: ${name.slice(-100)}.` }
  }
  const sections = [{ heading: null, text: decodePage(bytes, mediaType ?? ''), anchor: null }]
  return { kind: 'text', title: null, sections, parts: [] }
}
