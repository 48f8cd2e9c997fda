// Writes the text of a page from its lines.
import type { PdfPage } from '../pdfium.ts'
import { HYPHENS } from './page-lines.ts'

export function pageText({ text, lines }: Pick<PdfPage, 'text' | 'lines'>): string {
  return joinHyphenated(lines === null ? text : lines.map((it) => it.text).join('\n'))
}

const HYPHEN_AT_END = new RegExp(`[${RegExp.escape(HYPHENS)}](?:\\r?\\n)?`, 'g')

const joinHyphenated = (text: string): string => text.replace(HYPHEN_AT_END, '')
