// What comes out of a file, and what is said about it.

export interface Section {
  text: string
  /** The heading that this text stands under: of a chapter, a slide, a sheet. */
  heading: string | null
  /** What follows the `#` of a link to this place: `page=3`, `slide=3`, `sheet=Costs`, a heading's slug or id. */
  anchor: string | null
}

/** Dates are ISO 8601 in UTC; one that the file states in no known form is left out. */
export interface Metadata {
  author: string | null
  created: string | null
  modified: string | null
  /** As the file states it, not guessed. */
  language: string | null
}

/**
 * `ok`: all its text is here. `limit`: a limit ended the reading, what came before is here. `damaged`: what could be
 * read is here, often nothing. `password`: nothing is readable without one. `unsupported`: no text is known in this kind.
 */
export type Verdict = 'ok' | 'limit' | 'damaged' | 'password' | 'unsupported'

export type WarningCode =
  /** Pages that show something and have no text: scans. `detail` says how many. */
  | 'no_text_layer'
  | 'password'
  | 'damaged'
  | 'unsupported'
  /** There is more text in the file than here. */
  | 'truncated'
  /** `detail` is the name of the limit: `time`, `memory`, `characters` … */
  | 'limit_hit'
  /** The content is of another kind than name or media type say; the content was believed. */
  | 'type_mismatch'
  /** A member of an archive was passed over. `detail` says which and why. */
  | 'member_skipped'

export interface Warning {
  code: WarningCode
  detail: string
}

export interface Report {
  /** What the content was read as: `pdf`, `docx`, `html` … */
  kind: string
  verdict: Verdict
  /** Pages, slides or sheets; `null` where a kind has none. */
  pages: number | null
  characters: number
  warnings: Warning[]
}

export interface Page {
  /** As they are written there, in their order, without those that say `nofollow`. */
  links: string[]
  /** What the links are relative to, if not the page's own address. */
  base: string | null
  canonical: string | null
  /** Unless it says `noindex` or `nofollow` to robots. */
  isIndexed: boolean
  isFollowed: boolean
}

export interface Extraction {
  title: string | null
  sections: Section[]
  metadata: Metadata
  report: Report
  /** Of HTML alone: what a crawler wants to know of it. */
  page: Page | null
  /** Documents within this one: attachments of a mail, members of an archive. */
  parts: Part[]
}

export interface Part extends Extraction {
  /** Its name in the whole, as written there: never a path to open. */
  name: string
}

export interface Limits {
  /** Of the file itself. */
  inputBytes: number
  /** Of all that is unpacked from it, at all depths. */
  decodedBytes: number
  /** Unpacked bytes per packed byte, looked at once 10 MiB are unpacked. */
  ratio: number
  /** Archives and mails within each other. */
  depth: number
  members: number
  /** Of texts and headings. */
  characters: number
  sections: number
  cells: number
  pages: number
  timeMs: number
  /** Of the process that reads, all of it. */
  memoryBytes: number
}

export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  inputBytes: 100 << 20,
  decodedBytes: 100 << 20,
  ratio: 100,
  depth: 2,
  members: 10_000,
  characters: 10_000_000,
  sections: 100_000,
  cells: 1_000_000,
  pages: 10_000,
  timeMs: 60_000,
  memoryBytes: 512 << 20,
})

export const NO_METADATA: Readonly<Metadata> = Object.freeze({
  author: null,
  created: null,
  modified: null,
  language: null,
})
