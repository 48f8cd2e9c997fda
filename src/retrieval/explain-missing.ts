// Explains step by step, from acceptance to ranking, why a document is not found or not on the first page.
import { type Access, accessForPerson, documentAccessTokens, mayRead } from '../domain/access.ts'
import type { Filters, TextConditions } from '../domain/search/query.ts'
import type { Subject } from '../domain/subject.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import { scoringFor } from '../search-index/weigh-scores.ts'
import { type DocumentSummary, findDocuments } from '../store/documents/documents.ts'
import { countDocumentCharacters } from '../store/documents/lists.ts'
import { findReceipt, type StoredReceipt } from '../store/documents/receipts.ts'
import { listPairsOfSets } from '../store/sources/document-sets.ts'
import { queryTerms } from '../text/query-terms.ts'
import { embedQuery, semanticWeight } from './query/embed-query.ts'
import { parseQuery } from './query/parse-query.ts'
import { buildSearchQuery } from './query/search-query.ts'
import type { SearchQuery } from './ranking/candidates.ts'
import { rankPage } from './ranking/rank-page.ts'
import { droppedPhrases, relaxPhrases } from './relax.ts'
import { getRankingAdjustments, isRefused, type RetrievalDeps, toRankDeps } from './retrieve.ts'

export const EXPLANATION_STEPS = [
  'accepted',
  'extracted',
  'chunked',
  'text_index',
  'vectors',
  'access',
  'filters',
  'words',
  'meaning',
  'rank',
] as const

export interface ExplanationStep {
  step: (typeof EXPLANATION_STEPS)[number]
  /**
   * `lost`: the search cannot find the document because of this step. `note`: a restriction that does not exclude it.
   */
  status: 'ok' | 'note' | 'lost'
  detail: string
}

export interface MissingExplanation {
  steps: ExplanationStep[]
  /** The step at which the document was lost; null if it is found. */
  lost_at: ExplanationStep['step'] | null
  /** The rank among all results, from 1. */
  place: number | null
}

export interface MissingQuestion {
  document_id: string
  query: string
  /** The access of the subject. */
  access: Access
  subject: Pick<Subject, 'user_id' | 'groups' | 'rights'>
  /** The number of results on the first page. */
  limit: number
}

/** Lower ranks are not searched. */
const MAX_RANK = 1_000
const EMBED_TIMEOUT_MS = 3_000

export async function explainMissing(deps: RetrievalDeps, question: MissingQuestion): Promise<MissingExplanation> {
  const steps: ExplanationStep[] = []
  let place: number | null = null
  for await (const { place: found, ...step } of walkSteps(deps, question)) {
    steps.push(step)
    place = found ?? place
    if (step.status === 'lost') break
  }
  return { steps, lost_at: steps.find((it) => it.status === 'lost')?.step ?? null, place }
}

const step = (name: ExplanationStep['step'], status: ExplanationStep['status'], detail: string): ExplanationStep => ({
  step: name,
  status,
  detail,
})

async function* walkSteps(
  deps: RetrievalDeps,
  question: MissingQuestion,
): AsyncGenerator<ExplanationStep & { place?: number }> {
  const { db, searchIndex } = deps
  const { document_id, access } = question
  const receipt = await findReceipt(db, document_id)
  if (receipt?.is_hidden === true) return yield step('accepted', 'lost', 'An administrator hid the document.')
  if (receipt?.is_quarantined === true)
    return yield step(
      'accepted',
      'lost',
      'The document has a secret and is quarantined until an administrator releases it.',
    )
  const [document] = await findDocuments(db, [document_id])
  if (receipt === undefined || document === undefined) {
    return yield step('accepted', 'lost', 'The document was never accepted, or it was deleted.')
  }
  yield step('accepted', 'ok', `Accepted at ${new Date(receipt.accepted_at).toISOString()}.`)
  yield await checkExtraction(deps, document_id)
  yield checkChunks(receipt)
  yield await checkIndex(searchIndex, document)
  const tokens = documentAccessTokens(document.external_access, document.cc_pair_ids)
  const { searchQuery, dropped } = await buildQuestionQuery(deps, question)
  const similarity =
    queryTerms(searchQuery.text).length === 0 ? undefined : await findSimilarity(deps, searchQuery, document)
  yield checkVectors(deps, searchQuery, similarity)
  if (!mayRead(access, tokens)) return yield step('access', 'lost', 'The person may not read the document.')
  yield step('access', 'ok', 'The person may read the document.')
  yield await checkFilters(searchIndex, searchQuery, { id: document_id, dropped })
  const wordStep = await checkWords(searchIndex, searchQuery, document_id)
  yield wordStep
  yield checkSimilarity(similarity, wordStep)
  yield await checkRank(deps, searchQuery, question)
}

async function checkExtraction({ db }: RetrievalDeps, id: string): Promise<ExplanationStep> {
  const count = await countDocumentCharacters(db, id)
  if (count > 0) return step('extracted', 'ok', `${count} characters of text.`)
  return step('extracted', 'note', 'The document has no text. Only its title can be found.')
}

function checkChunks({ seq, receipt_seq, chunk_count, error, retry_at }: StoredReceipt): ExplanationStep {
  if (receipt_seq !== seq)
    return step('chunked', 'note', 'The newest version waits to be indexed. An older version may be found.')
  if (error !== null) {
    const again = retry_at === null ? 'It is not retried automatically.' : 'It will be retried.'
    return step('chunked', 'lost', `The document could not be indexed: ${error} ${again}`)
  }
  return step('chunked', 'ok', `${chunk_count ?? 0} chunks.`)
}

/** The access of a person who may read the document, so that only the state of the index matters. */
function accessOfReader({ external_access: own, cc_pair_ids }: DocumentSummary): Access {
  if (own === null) return accessForPerson({ email: null, groups: [] }, cc_pair_ids)
  return accessForPerson({ email: own.external_user_emails[0] ?? null, groups: own.external_user_group_ids }, [])
}

async function checkIndex(searchIndex: SearchIndex, document: DocumentSummary): Promise<ExplanationStep> {
  const filters = { document_ids: [document.id] }
  const { total } = await searchIndex.search({
    text: '',
    access: accessOfReader(document),
    filters,
    offset: 0,
    limit: 0,
  })
  if (total > 0) return step('text_index', 'ok', 'The document is in the index.')
  if (documentAccessTokens(document.external_access, document.cc_pair_ids).length === 0) {
    return step('text_index', 'note', 'No one may read the document, so the index cannot be checked.')
  }
  return step('text_index', 'lost', 'The document is not in the index yet, or not with its current access rights.')
}

async function buildQuestionQuery(
  { db, now, searchIndex }: RetrievalDeps,
  { query, access, subject }: MissingQuestion,
): Promise<{ searchQuery: SearchQuery; dropped: string[] }> {
  const parsed = parseQuery(query, { now: now(), tz: 'UTC' })
  const sets = parsed.document_sets
  const documentSetPairs = sets.length === 0 ? undefined : await listPairsOfSets(db, subject, sets)
  const typed = buildSearchQuery(parsed, { access, filters: {} }, documentSetPairs)
  const searchQuery = await relaxPhrases(searchIndex, typed)
  return { searchQuery, dropped: droppedPhrases(parsed, searchQuery).map((it) => it.value) }
}

interface Similarity {
  score: number
  /** The similarity that a document in this language needs if it contains no word of the query. */
  least: number
}

/** `null` if the document has no vector, undefined if there is no vector of the query. */
async function findSimilarity(
  deps: RetrievalDeps,
  { text }: SearchQuery,
  document: DocumentSummary,
): Promise<Similarity | null | undefined> {
  const embedded = await embedQuery(deps, text, EMBED_TIMEOUT_MS)
  if (embedded.vector === null) return undefined
  const { hits } = await deps.searchIndex.nearest({
    vector: embedded.vector,
    access: accessOfReader(document),
    filters: { document_ids: [document.id] },
    offset: 0,
    limit: 1,
    texts: 0,
  })
  const [nearest] = hits
  if (nearest === undefined) return null
  const { similarityOffset } = scoringFor({ ...embedded, semanticWeight: embedded.weight }, nearest.language)
  return { score: nearest.score, least: (deps.embedder?.minSimilarity ?? 0) - similarityOffset }
}

function checkVectors(
  { embedder }: RetrievalDeps,
  { text }: SearchQuery,
  similarity: Similarity | null | undefined,
): ExplanationStep {
  if (embedder === null) return step('vectors', 'note', 'This service uses keyword search only.')
  if (semanticWeight(embedder, text) === 0)
    return step(
      'vectors',
      'note',
      'The model cannot read the script of the query. Results are ranked by keywords only.',
    )
  if (similarity === undefined) return step('vectors', 'note', 'The query has no vector.')
  if (similarity === null)
    return step('vectors', 'note', 'The document has no vector yet. Its keyword score replaces its semantic score.')
  return step('vectors', 'ok', 'The document has vectors.')
}

async function checkFilters(
  searchIndex: SearchIndex,
  { access, filters, ...searchQuery }: SearchQuery,
  { id, dropped }: { id: string; dropped: readonly string[] },
): Promise<ExplanationStep> {
  const meets = async (own: Filters, conditions: TextConditions) => {
    const only = { ...own, document_ids: [id] }
    return (await searchIndex.search({ ...conditions, text: '', access, filters: only, offset: 0, limit: 0 })).total > 0
  }
  const missed: string[] = []
  for (const [name, value] of Object.entries(filters)) if (!(await meets({ [name]: value }, {}))) missed.push(name)
  for (const name of ['phrases', 'required', 'excluded', 'titleWords'] as const) {
    if (searchQuery[name] !== undefined && !(await meets({}, { [name]: searchQuery[name] })))
      missed.push(CONDITION_NAMES[name])
  }
  if (missed.length > 0)
    return step('filters', 'lost', `The document does not meet the conditions of the query: ${missed.join(', ')}.`)
  if (dropped.length === 0) return step('filters', 'ok', 'The document meets the conditions of the query.')
  const phrases = dropped.map((it) => `"${it}"`).join(', ')
  return step(
    'filters',
    'note',
    `No document that the person may read contains exactly ${phrases}, so this is no condition.`,
  )
}

const CONDITION_NAMES = {
  phrases: 'phrases',
  required: 'required words',
  excluded: 'excluded words',
  titleWords: 'title',
}

async function checkWords(
  searchIndex: SearchIndex,
  { text, access }: SearchQuery,
  id: string,
): Promise<ExplanationStep> {
  const words = [...new Set(queryTerms(text).map((it) => it.word))]
  if (words.length === 0) return step('words', 'ok', 'The query contains no words.')
  const filters = { document_ids: [id] }
  const counted = await Promise.all(
    words.map(async (word) => {
      const { total } = await searchIndex.search({ text: word, access, filters, offset: 0, limit: 0 })
      return { word, isFound: total > 0 }
    }),
  )
  const list = (isHeld: boolean) => counted.flatMap(({ word, isFound }) => (isFound === isHeld ? word : [])).join(', ')
  if (list(true) === '') return step('words', 'note', `The document contains none of the words: ${list(false)}.`)
  return step(
    'words',
    'ok',
    `The document contains ${list(true)}${list(false) === '' ? '' : `, but not ${list(false)}`}.`,
  )
}

function checkSimilarity(similarity: Similarity | null | undefined, words: ExplanationStep): ExplanationStep {
  const isFound = words.status === 'ok'
  if (similarity === undefined || similarity === null) {
    const detail = 'Its semantic score is not known.'
    return step(
      'meaning',
      isFound ? 'note' : 'lost',
      isFound ? detail : `The document contains no word of the query. ${detail}`,
    )
  }
  const { score, least } = similarity
  const sentence = `Its similarity to the query is ${score.toFixed(3)}`
  if (isFound || score >= least) return step('meaning', 'ok', `${sentence}.`)
  return step(
    'meaning',
    'lost',
    `${sentence}; a document without a word of the query needs at least ${least.toFixed(2)}.`,
  )
}

async function checkRank(deps: RetrievalDeps, searchQuery: SearchQuery, question: MissingQuestion) {
  const { document_id, query, limit, access } = question
  const adjustments = await getRankingAdjustments(deps, query)
  const page = { start: { offset: 0 }, limit: MAX_RANK, sort: 'relevance' as const, facets: [] }
  const ranked = await rankPage(toRankDeps(deps, access, adjustments), searchQuery, page)
  const { hits, total } = ranked
  const at = hits.findIndex((it) => it.document_id === document_id)
  if (at < 0)
    return step('rank', 'lost', `The document is not among the best ${Math.min(MAX_RANK, total)} of ${total}.`)
  const place = at + 1
  const where = `Rank ${place} of ${total}`
  const parsed = parseQuery(query, { now: deps.now(), tz: 'UTC' })
  const found = { page: ranked, parsed, relaxed: droppedPhrases(parsed, searchQuery) }
  if (await isRefused(deps, { access, filters: {}, isAnswersOnly: true }, found))
    return { ...step('rank', 'lost', `${where}, but nothing answers the query, so there are no results.`), place }
  if (place <= limit) return { ...step('rank', 'ok', `${where}.`), place }
  return { ...step('rank', 'lost', `${where}: the first page ends at ${limit}.`), place }
}
