// The result of an extraction, and its limits.

export interface ExtractedSection {
  text: string
  /** The heading of the chapter, slide or sheet. */
  heading: string | null
  /** URL fragment that links to this section: `page=3`, `slide=3`, `sheet=Costs`, or a heading's slug or id. */
  anchor: string | null
  /** The picture that stands here, only if `keepsPictures` asks for it. The text is its alternative text. */
  picture?: ExtractedPicture
}

/** A picture inside a document that is large enough for text, in a kind that `readPicture` reads. */
export interface ExtractedPicture {
  /** Its file name inside the document. */
  name: string
  bytes: Uint8Array
}

/** Dates are ISO 8601 in UTC, or null if the file's format is unknown. */
export interface ExtractedMetadata {
  author: string | null
  created: string | null
  modified: string | null
  /** As stated in the file, not detected. */
  language: string | null
}

/**
 * `ok`: the text is complete. `limit`: a limit was reached, the text is truncated. `damaged`: only the readable part is
 * included, often nothing. `password`: the file is encrypted. `unsupported`: no text can be extracted from this kind.
 */
export type ExtractVerdict = 'ok' | 'limit' | 'damaged' | 'password' | 'unsupported'

export type ExtractWarningCode =
  /** Pages with images but no text, usually scans. `detail` has their number. */
  | 'no_text_layer'
  /** The verdict is `ok`, but there is no text, no part, no page that is a picture, and no other warning that tells why. */
  | 'no_text'
  | 'password'
  | 'damaged'
  | 'unsupported'
  /** The text is incomplete. */
  | 'truncated'
  /** `detail` names the limit: `time`, `memory`, `characters` … */
  | 'limit_hit'
  /** The content contradicts the name or media type. The content decides. */
  | 'type_mismatch'
  /** An archive member was skipped. `detail` has its name and the reason. */
  | 'member_skipped'

export interface ExtractWarning {
  code: ExtractWarningCode
  detail: string
}

export interface ExtractReport {
  /** The detected kind: `pdf`, `docx`, `html` … */
  kind: string
  verdict: ExtractVerdict
  /** Number of pages, slides or sheets; `null` for other kinds. */
  pages: number | null
  characters: number
  /**
   * Zero-based pages that are pictures and that `readPicture` can give: pages of a PDF with an image and hardly any text,
   * and pages of a picture file. None of a PDF that only a password opens. At most 10,000; empty for other kinds.
   */
  unreadPages: number[]
  warnings: ExtractWarning[]
}

export interface PageLink {
  /** The target as written. */
  address: string
  /** The text of the link, its white space made single; empty for a picture and for a text of more than 100 characters. */
  text: string
}

export interface CrawlInfo {
  /** In document order, without `nofollow` links. */
  links: PageLink[]
  /** The `base` element's URL. Null: links are relative to the page. */
  base: string | null
  canonical: string | null
  /** The target of a meta refresh and its delay. Null if there is none or the page reloads itself. */
  refresh: { seconds: number; url: string } | null
  /** False if the robots meta element says `noindex` or `nofollow`. */
  isIndexed: boolean
  isFollowed: boolean
  /** Where the page is in its site, from the top, as the page says. At most 10 names of at most 100 characters. */
  breadcrumb: string[]
}

export interface Extraction {
  title: string | null
  sections: ExtractedSection[]
  metadata: ExtractedMetadata
  report: ExtractReport
  /** Crawl information of an HTML page, otherwise null. */
  page: CrawlInfo | null
  /** Mail attachments or archive members. */
  parts: ExtractedPart[]
  /**
   * The bytes from which `readPicture` gives the unread pages, only if `keepsPictures` asks for them, and only of parts: the
   * bytes of the file itself are known.
   */
  scan?: Uint8Array
}

export interface ExtractedPart extends Extraction {
  /** The name inside the container. Never open it as a path. */
  name: string
}

export interface ExtractLimits {
  /** Size of the file. */
  inputBytes: number
  /** Total size of all decompressed data, at all depths. */
  decodedBytes: number
  /** Decompressed bytes per compressed byte, checked after 10 MiB. */
  ratio: number
  /** Nesting depth of archives and mails. */
  depth: number
  members: number
  /** Total length of texts and headings. */
  characters: number
  sections: number
  cells: number
  pages: number
  /** Pictures and scanned parts whose bytes come with the result. */
  pictures: number
  /** Their size together. */
  pictureBytes: number
  timeMs: number
  /** Resident memory of the reader process. */
  memoryBytes: number
}

export const DEFAULT_LIMITS: Readonly<ExtractLimits> = Object.freeze({
  inputBytes: 100 << 20,
  decodedBytes: 100 << 20,
  ratio: 100,
  depth: 2,
  members: 10_000,
  characters: 10_000_000,
  sections: 100_000,
  cells: 1_000_000,
  pages: 10_000,
  pictures: 1_000,
  pictureBytes: 64 << 20,
  timeMs: 60_000,
  memoryBytes: 512 << 20,
})

export const NO_METADATA: Readonly<ExtractedMetadata> = Object.freeze({
  author: null,
  created: null,
  modified: null,
  language: null,
})
