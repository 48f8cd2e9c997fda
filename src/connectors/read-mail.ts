// A message that was read, as sections of a document: itself, and what is attached to it.
import type { Extraction, Part } from '../extract/extract.ts'
import type { SourceDocument } from './connector.ts'

export interface Mail {
  sections: SourceDocument['sections']
  /** Of those too in which no text was found. */
  attachments: string[]
}

/** Null where nothing could be read. */
export function mailOf({ sections, parts }: Extraction, link: string): Mail | null {
  if (sections.length === 0 && parts.length === 0) return null
  return {
    sections: [
      ...sections.map(({ heading, text }) => ({ heading, text, link })),
      ...parts.flatMap((it) => attachedSections(it, it.name, link)),
    ],
    attachments: parts.map((it) => it.name),
  }
}

/** One without text has its name. */
function attachedSections({ sections, parts }: Part, name: string, link: string): SourceDocument['sections'] {
  const own = sections.map(({ heading, text }) => ({
    heading: heading === null ? name : `${name}: ${heading}`,
    text,
    link,
  }))
  const inner = parts.flatMap((it) => attachedSections(it, `${name}/${it.name}`, link))
  return own.length + inner.length === 0 ? [{ heading: name, text: '', link }] : [...own, ...inner]
}

export const unreadReason = ({ report }: Extraction): string =>
  report.warnings[0]?.detail ?? `No text could be read in it: ${report.verdict}.`
