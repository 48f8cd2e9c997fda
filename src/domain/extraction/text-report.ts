// How the text of a document was read from its file or its page.
import { z } from 'zod'

const MAX_NOTICES = 20
const MAX_DETAIL = 300
const MAX_EXAMPLES = 10
const MAX_EXAMPLE = 200

/** `no_text_layer`: pages that are pictures; the detail is their number. `limit_hit`: the detail names the limit. */
export const TEXT_NOTICES = [
  'no_text',
  'no_text_layer',
  'password',
  'damaged',
  'unsupported',
  'truncated',
  'limit_hit',
  'type_mismatch',
  'member_skipped',
] as const
export type TextNoticeCode = (typeof TEXT_NOTICES)[number]

export const TextReport = z.object({
  /** The detected kind of the file: `pdf`, `html` … */
  kind: z.string(),
  /** Pages, slides or sheets; null for other kinds. */
  pages: z.number().nullable(),
  /** All that was skipped, and why: the warnings of the extraction. */
  notices: z.array(z.object({ code: z.enum(TEXT_NOTICES), detail: z.string() })),
  /** Further notices that are not kept. */
  more_notices: z.number(),
  /** Lines that most pages of the site share. */
  left_out_lines: z.number(),
  /** The beginnings of some of them. */
  left_out: z.array(z.string()),
})
export type TextReport = z.infer<typeof TextReport>

interface ReadReport {
  kind: string
  pages: number | null
  warnings: readonly { code: TextNoticeCode; detail: string }[]
}

/** Equal notices are told once. */
export function toTextReport({ kind, pages, warnings }: ReadReport, leftOut: readonly string[] = []): TextReport {
  const notices = new Map(warnings.map(({ code, detail }) => [`${code} ${detail}`, { code, detail }]))
  return {
    kind,
    pages,
    notices: [...notices.values()]
      .slice(0, MAX_NOTICES)
      .map(({ code, detail }) => ({ code, detail: clip(detail, MAX_DETAIL) })),
    more_notices: Math.max(0, notices.size - MAX_NOTICES),
    left_out_lines: leftOut.length,
    left_out: leftOut.slice(0, MAX_EXAMPLES).map((it) => clip(it, MAX_EXAMPLE)),
  }
}

/** Not every store accepts NUL, and a cut may leave half a character. */
const clip = (text: string, length: number): string => text.slice(0, length).toWellFormed().replaceAll('\0', '')

/** Null if the stored text is of another version. */
export function parseTextReport(stored: string | null): TextReport | null {
  if (stored === null) return null
  const read = TextReport.safeParse(JSON.parse(stored))
  return read.success ? read.data : null
}
