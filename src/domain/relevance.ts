// What people looked for, what they were shown, and how well it fitted.
import type { Filters } from './query.ts'

export type RankedBy = 'both' | 'words' | 'date'

/** A search as it was asked and answered. */
export interface RecordedQuery {
  search_id: string
  /** Of the key that asked. */
  user_id: string
  query: string
  /** Those beside the query; what stands in it is understood anew. */
  filters: Filters
  /** What the first page showed, best first. */
  document_ids: readonly string[]
  total: number
  ranked_by: RankedBy
  took_ms: number
  /** Epoch milliseconds. */
  asked_at: number
}

/** How much of a first page is kept. */
export const MAX_SHOWN = 50

/** Queries that differ in case and space only are one. */
export const plainQuery = (query: string): string => query.trim().toLowerCase().replace(/\s+/g, ' ')

export const FEEDBACK_KINDS = ['click', 'up', 'down'] as const
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number]
export type Thumb = Exclude<FeedbackKind, 'click'>

/** What a person did with a document that a search had shown. */
export interface Feedback {
  user_id: string
  document_id: string
  clicked: boolean
  thumb: Thumb | null
}

/** What a hand said of a document for a query, from 0, no answer at all, to 3, the answer. */
export interface Judged {
  document_id: string
  grade: number
}

export const MAX_GRADE = 3
const GRADE_OF_THUMBS = 2
const GRADE_OF_A_CLICK = 1

/**
 * The grades of a query's documents. A hand outweighs thumbs and thumbs outweigh clicks: more up than down is 2, more down
 * than up is 0, otherwise a click is 1. Of a person the last thumb counts, so `feedback` comes the oldest first.
 */
export function gradesOf(byHand: readonly Judged[], feedback: readonly Feedback[]): Map<string, number> {
  const grades = new Map<string, number>()
  for (const [id, own] of Map.groupBy(feedback, (it) => it.document_id)) {
    const grade = gradeOfFeedback(own)
    if (grade !== undefined) grades.set(id, grade)
  }
  for (const { document_id, grade } of byHand) grades.set(document_id, grade)
  return grades
}

function gradeOfFeedback(feedback: readonly Feedback[]): number | undefined {
  const thumbs = new Map(feedback.flatMap(({ user_id, thumb }) => (thumb === null ? [] : [[user_id, thumb] as const])))
  const sum = [...thumbs.values()].reduce((all, it) => all + (it === 'up' ? 1 : -1), 0)
  if (sum !== 0) return sum > 0 ? GRADE_OF_THUMBS : 0
  return feedback.some((it) => it.clicked) ? GRADE_OF_A_CLICK : undefined
}
