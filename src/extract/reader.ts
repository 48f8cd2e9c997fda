// Interface of format readers. Readers emit events, so that text read before a crash is kept.
import type {
  CrawlInfo,
  ExtractedMetadata,
  ExtractedPicture,
  ExtractedSection,
  ExtractLimits,
  ExtractVerdict,
  ExtractWarning,
  ExtractWarningCode,
} from './extraction.ts'
import type { PictureResult } from './picture/grey-picture.ts'

export type ReaderEvent =
  | { event: 'begin'; id: number; parent: number | null; name: string; kind: string }
  | { event: 'sections'; id: number; sections: ReadSection[] }
  | { event: 'facts'; id: number; facts: DocumentFacts }
  | { event: 'page'; id: number; page: CrawlInfo }
  | { event: 'unread_page'; id: number; page: number }
  | ({ event: 'picture_file'; id: number; key: string } & ExtractedPicture)
  | { event: 'scan'; id: number; bytes: Uint8Array }
  | { event: 'picture'; id: number; picture: PictureResult }
  | { event: 'warning'; id: number; warning: ExtractWarning }
  | { event: 'end'; id: number; verdict: ExtractVerdict }

/** The bytes of the picture with this key may follow. Without them and without a text the section is left out. */
export type ReadSection = Omit<ExtractedSection, 'picture'> & { pictureKey?: string }

export interface DocumentFacts extends Partial<ExtractedMetadata> {
  title?: string | null
  pages?: number
  kind?: string
}

/** Ends the reading with a verdict. `message` becomes the detail of the warning. */
export class ReadEnded extends Error {
  readonly verdict: Exclude<ExtractVerdict, 'ok'>
  constructor(verdict: Exclude<ExtractVerdict, 'ok'>, message: string) {
    super(message)
    this.verdict = verdict
  }
}

export const unsupportedKind = (name: string): ReadEnded =>
  new ReadEnded('unsupported', `No text can be extracted from this kind of file: ${name.slice(0, 200)}`)

/** Resources that a file and all its parts may use together. */
export interface ExtractBudget {
  readonly limits: ExtractLimits
  readonly deadline: number
  readonly now: () => number
  characters: number
  decoded: number
  members: number
  cells: number
  sections: number
  warnings: number
  documents: number
  pictures: number
  pictureBytes: number
}

export const createBudget = (limits: ExtractLimits, now: () => number): ExtractBudget => ({
  limits,
  // The process is killed at the limit itself. Readers stop earlier, so that they can still emit their text.
  deadline: now() + limits.timeMs * 0.9,
  now,
  characters: 0,
  decoded: 0,
  members: 0,
  cells: 0,
  sections: 0,
  warnings: 0,
  documents: 0,
  pictures: 0,
  pictureBytes: 0,
})

export const checkDeadline = (budget: ExtractBudget): void => {
  if (budget.now() > budget.deadline) throw new ReadEnded('limit', 'time')
}

/** Adds to a counter and throws `ReadEnded` at its limit. */
export function chargeBudget(budget: ExtractBudget, budgetItem: 'cells' | 'members' | 'sections', amount = 1): void {
  budget[budgetItem] += amount
  if (budget[budgetItem] > budget.limits[budgetItem]) throw new ReadEnded('limit', budgetItem)
}

/** Counts a picture whose bytes are to be kept. Returns the limit that it would exceed, and null if it may be kept. */
export function chargePicture(budget: ExtractBudget, bytes: number): 'pictures' | 'pictureBytes' | null {
  if (budget.pictures >= budget.limits.pictures) return 'pictures'
  if (budget.pictureBytes + bytes > budget.limits.pictureBytes) return 'pictureBytes'
  budget.pictures++
  budget.pictureBytes += bytes
  return null
}

export interface ReaderInput {
  bytes: Buffer
  name: string
  /** The charset parameter of the media type. */
  charset: string | null
}

export interface ReaderContext extends ReaderInput {
  password: string | null
  /** Whether the bytes of pictures are wanted. */
  keepsPictures: boolean
  budget: ExtractBudget
  /** Number of enclosing archives and mails. */
  depth: number
  section(section: { text: string; heading?: string | null; anchor?: string | null; pictureKey?: string }): void
  facts(facts: DocumentFacts): void
  page(page: CrawlInfo): void
  /** Reports a page that is a picture, zero-based. */
  unreadPage(page: number): void
  /** Keeps the bytes of a picture for the section with its key. False if a limit is reached, which is a warning. */
  pictureFile(picture: ExtractedPicture & { key: string }): boolean
  /** Keeps the bytes that have the unread pages of this part, if they are wanted. Beyond a limit they are left out, with a warning. */
  scan(bytes: Uint8Array): void
  warn(code: ExtractWarningCode, detail: string): void
  /** Reads a part of this document. Never throws for its content; throws `ReadEnded` when the budget is exceeded. */
  part(name: string, bytes: Buffer): Promise<void>
}

export type FormatReader = (reading: ReaderContext) => Promise<void> | void

/** Charges the budget before emitting. Text beyond the limit is cut off. */
export function emitSection(budget: ExtractBudget, section: ReadSection, emit: (section: ReadSection) => void): void {
  checkDeadline(budget)
  const text = cleanText(section.text)
  const heading =
    section.heading === null ? null : cleanText(section.heading).replace(/\s+/g, ' ').slice(0, 500) || null
  if (text === '' && heading === null && section.pictureKey === undefined) return
  chargeBudget(budget, 'sections')
  const remaining = budget.limits.characters - budget.characters - (heading?.length ?? 0)
  budget.characters += text.length + (heading?.length ?? 0)
  if (text.length > remaining) {
    if (remaining > 0) emit({ ...section, heading, text: text.slice(0, remaining).toWellFormed() })
    throw new ReadEnded('limit', 'characters')
  }
  emit({ ...section, heading, text })
}

/** Removes control characters and lone surrogates, and collapses blank lines. */
function cleanText(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      .replace(/[\0-\x08\x0b\x0e-\x1f\x7f\ufeff]+/g, '')
      .replaceAll('\f', '\n')
      // The lookbehind keeps this linear: otherwise a long run of blanks is scanned again from each blank.
      .replace(/(?<![ \t\u00a0])[ \t\u00a0]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
      .toWellFormed()
  )
}
