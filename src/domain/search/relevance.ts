// Recorded queries, their results, and feedback on them.
import type { Filters } from './query.ts'

export type RankedBy = 'both' | 'words' | 'date'

/** A search and its result. */
export interface RecordedQuery {
  search_id: string
  /** The key that sent the query. */
  user_id: string
  query: string
  /** Filters sent with the query; those within its text are parsed again at replay. */
  filters: Filters
  /** The first page, best first. */
  document_ids: readonly string[]
  total: number
  ranked_by: RankedBy
  took_ms: number
  /** Epoch milliseconds. */
  asked_at: number
}

/** How many results of the first page are stored. */
export const MAX_RECORDED_RESULTS = 50

/** Queries that differ only in case and white space are equal. */
export const normalizeQuery = (query: string): string => query.trim().toLowerCase().replace(/\s+/g, ' ')

export const FEEDBACK_KINDS = ['click', 'up', 'down'] as const
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number]
export type Thumb = Exclude<FeedbackKind, 'click'>

/** A user's feedback on a document that a search returned. */
export interface Feedback {
  user_id: string
  document_id: string
  clicked: boolean
  thumb: Thumb | null
}

/** A manual judgement of a document for a query, from 0, irrelevant, to 3, the answer. */
export interface RelevanceJudgement {
  document_id: string
  grade: number
}

export const MAX_GRADE = 3
const THUMBS_UP_GRADE = 2
const CLICK_GRADE = 1

/**
 * The grades of a query's documents. Manual judgements outweigh thumbs, and thumbs outweigh clicks: more up than down
 * is 2, more down than up is 0, otherwise a click is 1. Each user's last thumb counts, so `feedback` must be sorted,
 * oldest first.
 */
export function gradeDocuments(
  judgements: readonly RelevanceJudgement[],
  feedback: readonly Feedback[],
): Map<string, number> {
  const grades = new Map<string, number>()
  for (const [id, own] of Map.groupBy(feedback, (it) => it.document_id)) {
    const grade = gradeOfFeedback(own)
    if (grade !== undefined) grades.set(id, grade)
  }
  for (const { document_id, grade } of judgements) grades.set(document_id, grade)
  return grades
}

function gradeOfFeedback(feedback: readonly Feedback[]): number | undefined {
  const thumbs = new Map(feedback.flatMap(({ user_id, thumb }) => (thumb === null ? [] : [[user_id, thumb] as const])))
  const sum = [...thumbs.values()].reduce((all, it) => all + (it === 'up' ? 1 : -1), 0)
  if (sum !== 0) return sum > 0 ? THUMBS_UP_GRADE : 0
  return feedback.some((it) => it.clicked) ? CLICK_GRADE : undefined
}

/**
 * Why some queries are hidden from an administrator, and which setting shows them; null if none are. See
 * `minQueryPeople`.
 */
export function explainWithheldQueries(queries: number, minPeople: number): string | null {
  if (queries === 0) return null
  const [what, which] = queries === 1 ? ['1 query is', 'it'] : [`${queries} queries are`, 'each of them']
  if (!Number.isFinite(minPeople)) {
    return `${what} not listed: query_history_type is "disabled". To see the texts of queries, set it to "anonymized" with PATCH /admin/settings.`
  }
  return `${what} not listed: fewer than ${minPeople} people asked ${which}, and the text could reveal them. To see more, set query_min_people to a smaller number with PATCH /admin/settings; 1 lists every query.`
}
