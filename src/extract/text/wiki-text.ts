// Splits Textile or Markdown source of a wiki or ticket at its headings. The markup is kept.
import { trimEndCharacters } from '../../domain/values/trim.ts'
import type { FormatReader } from '../reader.ts'

export interface WikiTextSection {
  heading: string | null
  text: string
  /** The anchor that Redmine generates. */
  anchor: string | null
}

export const readWikiText: FormatReader = (context) => {
  for (const section of splitWikiText(context.bytes.toString('utf8'))) context.section(section)
}

const HEADING = /^(?:h[1-6](?:\([^)]*\))?\.|#{1,6})[ \t]/
const FENCE = /^\s*(?:```|~~~|<\/?pre\b)/i

export function splitWikiText(text: string): WikiTextSection[] {
  let open: WikiTextSection = { heading: null, text: '', anchor: null }
  const sections = [open]
  let isCode = false
  for (const line of text.split(/\r?\n/)) {
    // A block may start and end on one line.
    if (FENCE.test(line) && !closesOnSameLine(line)) isCode = !isCode
    const heading = isCode ? undefined : parseHeading(line)
    if (heading === undefined) open.text += `${line}\n`
    else {
      open = { heading, text: '', anchor: redmineAnchor(heading) }
      sections.push(open)
    }
  }
  return sections.map((it) => ({ ...it, text: it.text.trim() })).filter((it) => it.text !== '' || it.heading !== null)
}

/** Trailing `#` marks are not part of the heading. */
function parseHeading(line: string): string | undefined {
  const marker = HEADING.exec(line)?.[0]
  if (marker === undefined) return undefined
  const text = trimEndCharacters(line.slice(marker.length), ' \t')
  return trimEndCharacters(text, '#').trim() || undefined
}

function closesOnSameLine(line: string): boolean {
  const start = line.search(/<pre\b/i)
  return start >= 0 && /<\/pre>/i.test(line.slice(start))
}

const redmineAnchor = (heading: string): string =>
  heading.replace(/[^\s\-\p{L}\p{M}\p{N}_]/gu, '').replace(/\s+(?:-+\s*)?/g, '-')
