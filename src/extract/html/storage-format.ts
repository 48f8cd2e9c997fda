// Reads the Confluence storage format as HTML. CDATA sections contain code, and macro parameters are dropped. https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html

import type { FormatReader } from '../reader.ts'
import { readMarkup } from './html.ts'

export const readStorageFormat: FormatReader = (context) =>
  readMarkup(context, `<html><body><main>${storageToHtml(context.bytes.toString('utf8'))}</main></body></html>`)

/** Patterns stop at the next `<`, which keeps them linear. */
export const storageToHtml = (storage: string): string =>
  escapeCdata(storage)
    .replace(/<ac:parameter\b[^<>]*>[^<]*<\/ac:parameter>/g, '')
    .replace(/<ac:task-(?:id|uuid|status)>[^<]*<\/ac:task-(?:id|uuid|status)>/g, '')
    .replace(
      /<(\/?)ac:(?:plain-text-body|rich-text-body|task-body|structured-macro|task-list)\b[^<>]*>/g,
      (tag, end: string) => `<${end}div${tag.endsWith('/>') ? '/' : ''}>`,
    )

const CDATA_START = '<![CDATA['
const CDATA_END = ']]>'

/** Escapes CDATA sections, whose content is text. */
function escapeCdata(storage: string): string {
  const parts: string[] = []
  let at = 0
  for (let start = storage.indexOf(CDATA_START); start >= 0; start = storage.indexOf(CDATA_START, at)) {
    const end = storage.indexOf(CDATA_END, start)
    if (end < 0) break
    const data = storage.slice(start + CDATA_START.length, end)
    parts.push(storage.slice(at, start), data.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
    at = end + CDATA_END.length
  }
  return parts.join('') + storage.slice(at)
}
