// The findings of a permission report. Each list keeps a limited number, so a report needs limited memory.

export const REPORT_LISTS = ['unmatched_users', 'empty_groups', 'unreadable_documents', 'open_documents'] as const
export type ReportList = (typeof REPORT_LISTS)[number]

export const FINDING_REASONS = [
  'no_person',
  'no_member_matches',
  'group_without_readers',
  'unknown_group',
  'named_nobody',
  'no_reader_matches',
  'source_says_nothing',
  'pair_closed',
  'other_pair_open',
  'pushed_open',
  'permissions_not_read',
] as const
export type FindingReason = (typeof FINDING_REASONS)[number]

export interface Finding {
  reason: FindingReason
  /** The address, the name of the group, or the id of the document. Null if the finding is about a pair as a whole. */
  subject: string | null
  /** The title of a document. */
  title: string | null
  cc_pair_ids: number[]
  /** How many documents name the user or the group, or belong to the pair. */
  documents: number
  /** How many addresses the source reports for a group, or how many groups for an address. */
  memberships: number
}

export interface FoundList {
  items: readonly Finding[]
  /** The number of all findings; more than `items` if there are too many to keep. */
  total: number
  /** False: there are more than `total`. */
  isExact: boolean
}

export const MAX_FINDINGS = 5_000
/** Titles are cut, because they can have 10,000 characters. */
const MAX_TITLE = 300

export interface DocumentFindings {
  add(reason: FindingReason, document: { id: string; semantic_identifier: string; cc_pair_ids: number[] }): void
  list(): FoundList
}

/** Findings about documents: each document is added once, so that all can be counted. */
export function createDocumentFindings(): DocumentFindings {
  const items: Finding[] = []
  let total = 0
  return {
    add(reason, { id, semantic_identifier, cc_pair_ids }) {
      total += 1
      if (items.length >= MAX_FINDINGS) return
      const title = semantic_identifier.slice(0, MAX_TITLE).toWellFormed()
      items.push({ reason, subject: id, title, cc_pair_ids, documents: 1, memberships: 0 })
    },
    list: () => ({ items, total, isExact: true }),
  }
}

export interface SubjectFindings {
  /** Adds a document that names the subject. */
  addDocument(subject: string, cc_pair_ids: readonly number[]): void
  /** Adds memberships that sources report. */
  addMemberships(subject: string, cc_pair_ids: Iterable<number>, count: number): void
  /** In alphabetical order. */
  list(reasonOf: (subject: string, memberships: number) => FindingReason): FoundList
}

/** The pairs that a finding names. */
const MAX_PAIRS = 20

/** Findings about users and groups, which many documents may name. Beyond the limit, others are not counted. */
export function createSubjectFindings(): SubjectFindings {
  const found = new Map<string, { pairs: Set<number>; documents: number; memberships: number }>()
  let isExact = true
  const add = (subject: string, pairs: Iterable<number>, { documents = 0, memberships = 0 }) => {
    const entry = found.get(subject) ?? { pairs: new Set<number>(), documents: 0, memberships: 0 }
    if (!found.has(subject) && found.size >= MAX_FINDINGS) {
      isExact = false
      return
    }
    found.set(subject, entry)
    entry.documents += documents
    entry.memberships += memberships
    for (const id of pairs) if (entry.pairs.size < MAX_PAIRS) entry.pairs.add(id)
  }
  return {
    addDocument: (subject, pairs) => add(subject, pairs, { documents: 1 }),
    addMemberships: (subject, pairs, memberships) => add(subject, pairs, { memberships }),
    list(reasonOf) {
      const entries = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
      const items = entries.map(([subject, { pairs, documents, memberships }]) => ({
        ...{ reason: reasonOf(subject, memberships), subject, title: null },
        ...{ cc_pair_ids: [...pairs], documents, memberships },
      }))
      return { items, total: items.length, isExact }
    },
  }
}
