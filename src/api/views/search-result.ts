// A search result and the parsed query, as searches answer them.
import { z } from 'zod'
import { ownerDisplayName } from '../../domain/document.ts'
import type { DocumentVerification } from '../../domain/freshness/verification.ts'
import type { Subject } from '../../domain/subject.ts'
import { displayLink, displayTitle } from '../../domain/values/display-text.ts'
import { OPERATOR_KINDS } from '../../retrieval/query/parse-query.ts'
import { SCORE_PARTS } from '../../retrieval/ranking/fuse.ts'
import { RANK_REASONS } from '../../retrieval/results/explain.ts'
import { highlightedHtml } from '../../retrieval/results/snippet.ts'
import { MAX_EXCERPT_COLUMNS, MAX_EXCERPT_ROWS } from '../../retrieval/results/table-excerpt.ts'
import type { ResultPassage, RetrievalResult, RetrievalResults } from '../../retrieval/retrieve.ts'
import type { Queryable } from '../../store/database/database.ts'
import { mapVerifications } from '../../store/freshness/verifications.ts'
import { iso } from '../wire/iso.ts'
import { verificationField, verificationView } from './freshness/verification.ts'

const TableCell = z
  .object({
    text: z.string(),
    highlights: z.array(z.array(z.int())).describe('Offsets in `text`, in UTF-16 code units, end exclusive.'),
  })
  .meta({ id: 'SearchTableCell' })

const SearchTable = z
  .object({
    header: z.array(TableCell).max(MAX_EXCERPT_COLUMNS).describe('The names of the columns.'),
    rows: z.array(z.array(TableCell)).max(MAX_EXCERPT_ROWS).describe('Each has as many cells as the header.'),
  })
  .meta({ id: 'SearchTable' })

const passageFields = {
  chunk_ind: z.int(),
  content: z.string(),
  link: z.string().nullable(),
  blurb: z.string(),
  highlights: z.array(z.array(z.int())).describe('Offsets in `blurb`, in UTF-16 code units, end exclusive.'),
  match_highlights: z.array(z.string()).describe('`blurb` as escaped HTML, with matching words in <mark>.'),
  table: SearchTable.nullable().describe(
    'The rows that match best, if they are in a table whose columns have names. If there are more than four columns: the first one, then those with matches, then others.',
  ),
}

const SearchExplanation = z
  .object({
    reasons: z.array(z.enum(RANK_REASONS)).describe('Reasons for the rank, strongest first.'),
    words: z.array(z.string()).describe('The reasons as sentences.'),
    score: z.number().nullable().describe('The sum of `parts`, unrounded. Null if `parts` is null.'),
    parts: z
      .array(z.object({ name: z.enum(SCORE_PARTS), value: z.number(), from: z.number().nullable() }))
      .nullable()
      .describe('Components of the score. Null unless the caller may manage connectors.'),
  })
  .meta({ id: 'SearchExplanation' })

const resultFields = {
  citation_id: z.int(),
  document_id: z.string(),
  semantic_identifier: z.string(),
  title: z.string(),
  source_type: z.string(),
  ...passageFields,
  passages: z
    .array(z.object(passageFields).meta({ id: 'SearchPassage' }))
    .describe('The best semantic match, if it is another passage.'),
  score: z.number().describe('From 0 to about 1. Only comparable within one response.'),
  updated_at: z.iso
    .datetime()
    .describe('When the document changed in its source; if the source does not tell, when it was accepted.'),
  doc_updated_at: z.iso.datetime().nullable().describe('Null if the source does not tell when it changed.'),
  primary_owners: z.array(z.string()).describe('Display names, or email addresses.'),
  metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  verification: verificationField,
  explanation: SearchExplanation.nullable().describe('Null unless `explain` was sent.'),
}

export const SearchResult = z.object(resultFields).meta({ id: 'SearchResult' })

export const FoldedSearchResult = z
  .object({
    ...resultFields,
    similar: z
      .array(SearchResult)
      .nullable()
      .describe(
        'The first near duplicates that the key may read, and copies on the same page: the same title and nearly the same passage. Null unless `fold_similar` was sent.',
      ),
    similar_count: z
      .int()
      .nullable()
      .describe('The number of all of them; `similar` has ten of each document at most.'),
  })
  .meta({ id: 'FoldedSearchResult' })

export const ClosestDocument = z
  .object({ document_id: z.string(), semantic_identifier: z.string(), link: z.string().nullable() })
  .meta({ id: 'ClosestDocument' })

export const closestDocument = ({
  id,
  semantic_identifier,
  link,
}: RetrievalResults['closest'][number]): z.infer<typeof ClosestDocument> => ({
  document_id: id,
  semantic_identifier: displayTitle(semantic_identifier),
  link: displayLink(link),
})

export const SearchOperator = z
  .object({ kind: z.enum(OPERATOR_KINDS), value: z.string(), start: z.int(), end: z.int() })
  .meta({ id: 'SearchOperator' })

export const SearchUnderstood = z
  .object({
    text: z.string().describe('The search terms, after spelling correction.'),
    phrases: z.array(z.string()),
    excluded: z.array(z.string()),
    title: z.array(z.string()),
    sources: z.array(z.string()),
    authors: z.array(z.string()),
    document_sets: z.array(z.string()),
    tags: z.array(z.object({ tag_key: z.string(), tag_value: z.string() })),
    updated_from: z.iso.datetime().nullable(),
    updated_until: z.iso.datetime().nullable(),
    operators: z
      .array(SearchOperator)
      .describe('The operators in their order, with their offsets in the query in UTF-16 code units, end exclusive.'),
    not_understood: z
      .array(z.object({ text: z.string(), reason: z.string() }))
      .describe('Text that looks like an operator but was searched as words, with the reason.'),
  })
  .meta({ id: 'SearchUnderstood' })

/** Applies to all results of one page. */
export interface ResultContext {
  subject: Subject
  verifications: ReadonlyMap<string, DocumentVerification>
  now: number
}

/** The context of these results. */
export async function resultContext(
  { db, now }: { db: Queryable; now: () => number },
  subject: Subject,
  results: readonly RetrievalResult[],
): Promise<ResultContext> {
  const ids = results.map((it) => it.document.id)
  return { subject, verifications: await mapVerifications(db, ids), now: now() }
}

const searchPassage = ({ chunk, snippet, table }: ResultPassage, document: RetrievalResult['document']) => ({
  chunk_ind: chunk.chunk_ind,
  content: chunk.content,
  link: displayLink(chunk.link ?? document.link),
  blurb: snippet.text,
  highlights: snippet.highlights,
  match_highlights: [highlightedHtml(snippet)],
  table,
})

export const searchResult = (
  result: RetrievalResult,
  citation_id: number,
  { subject, verifications, now }: ResultContext,
): z.infer<typeof SearchResult> => {
  const { document, score, passages, explanation } = result
  return {
    citation_id,
    document_id: document.id,
    semantic_identifier: displayTitle(document.semantic_identifier),
    title: displayTitle(document.title ?? document.semantic_identifier),
    source_type: document.source,
    ...searchPassage(result, document),
    passages: passages.slice(1).map((it) => searchPassage(it, document)),
    score: Math.round(score * 1_000) / 1_000,
    updated_at: iso(document.updated_at),
    doc_updated_at: document.doc_updated_at === null ? null : iso(document.doc_updated_at),
    primary_owners: document.primary_owners.map(ownerDisplayName),
    metadata: document.metadata,
    verification: verificationView(verifications.get(document.id), now),
    explanation: explanation && visibleExplanation(subject, explanation),
  }
}

/** Hides scores from callers who do not manage connectors, because scores reveal statistics of all documents. */
function visibleExplanation(
  subject: Subject,
  { reasons, words, parts }: NonNullable<RetrievalResult['explanation']>,
): z.infer<typeof SearchExplanation> {
  if (!subject.rights.has('connectors')) return { reasons, words, score: null, parts: null }
  return { reasons, words, score: parts.reduce((sum, it) => sum + it.value, 0), parts }
}

export const understoodQuery = ({
  updated_from,
  updated_until,
  ...understood
}: RetrievalResults['understood']): z.infer<typeof SearchUnderstood> => ({
  ...understood,
  updated_from: updated_from === null ? null : iso(Math.max(updated_from, MIN_DATE_TIME)),
  updated_until: updated_until === null ? null : iso(Math.max(updated_until, MIN_DATE_TIME)),
})

/** The earliest time that a date-time of the wire format can represent. */
const MIN_DATE_TIME = Date.parse('0001-01-01')
