// How a reader of one format hands over what it found: piece by piece, so that what was read before a crash is not lost.
import type { Limits, Metadata, Page, Section, Verdict, Warning, WarningCode } from './extraction.ts'

export type ReadingEvent =
  | { event: 'begin'; id: number; parent: number | null; name: string; kind: string }
  | { event: 'sections'; id: number; sections: Section[] }
  | { event: 'facts'; id: number; facts: Facts }
  | { event: 'page'; id: number; page: Page }
  | { event: 'warning'; id: number; warning: Warning }
  | { event: 'end'; id: number; verdict: Verdict }

export interface Facts extends Partial<Metadata> {
  title?: string | null
  pages?: number
  kind?: string
}

/** Ends a reading with the verdict that it names; `message` becomes the detail of the warning. */
export class Ended extends Error {
  readonly verdict: Exclude<Verdict, 'ok'>
  constructor(verdict: Exclude<Verdict, 'ok'>, message: string) {
    super(message)
    this.verdict = verdict
  }
}

/** What one file and all that is in it may use together. */
export interface Budget {
  readonly limits: Limits
  readonly deadline: number
  readonly now: () => number
  characters: number
  decoded: number
  members: number
  cells: number
  sections: number
  warnings: number
  documents: number
}

export const newBudget = (limits: Limits, now: () => number): Budget => ({
  limits,
  // The process is ended at the limit itself; whoever notices before can still hand over what there is.
  deadline: now() + limits.timeMs * 0.9,
  now,
  characters: 0,
  decoded: 0,
  members: 0,
  cells: 0,
  sections: 0,
  warnings: 0,
  documents: 0,
})

export const checkTime = (budget: Budget): void => {
  if (budget.now() > budget.deadline) throw new Ended('limit', 'time')
}

/** Counts up, and ends the reading at the limit of that name. */
export function spend(budget: Budget, what: 'cells' | 'members' | 'sections', amount = 1): void {
  budget[what] += amount
  if (budget[what] > budget.limits[what]) throw new Ended('limit', what)
}

export interface Source {
  bytes: Buffer
  name: string
  /** Of the media type that came with it. */
  charset: string | null
}

export interface Reading extends Source {
  password: string | null
  budget: Budget
  /** How many archives or mails it lies in. */
  depth: number
  section(section: { text: string; heading?: string | null; anchor?: string | null }): void
  facts(facts: Facts): void
  page(page: Page): void
  warn(code: WarningCode, detail: string): void
  /** Reads a document within this one. Never throws for what is in it; throws `Ended` when the whole has used up its budget. */
  part(name: string, bytes: Buffer): Promise<void>
}

export type Reader = (reading: Reading) => Promise<void> | void

/** Charged before it is handed over; what is too much is cut off at the limit. */
export function emitSection(budget: Budget, section: Section, emit: (section: Section) => void): void {
  checkTime(budget)
  const text = clean(section.text)
  const heading = section.heading === null ? null : clean(section.heading).replace(/\s+/g, ' ').slice(0, 500) || null
  if (text === '' && heading === null) return
  spend(budget, 'sections')
  const room = budget.limits.characters - budget.characters - (heading?.length ?? 0)
  budget.characters += text.length + (heading?.length ?? 0)
  if (text.length > room) {
    if (room > 0) emit({ ...section, heading, text: text.slice(0, room).toWellFormed() })
    throw new Ended('limit', 'characters')
  }
  emit({ ...section, heading, text })
}

/** Well-formed, without the control characters that no database and no page wants, and without empty rows of lines. */
function clean(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      .replace(/[\0-\x08\x0b\x0e-\x1f\x7f\ufeff]+/g, '')
      .replaceAll('\f', '\n')
      // From its first blank only: otherwise a long run of them is read again from each.
      .replace(/(?<![ \t\u00a0])[ \t\u00a0]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
      .toWellFormed()
  )
}
