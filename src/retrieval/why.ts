// Why is a document not found, or not first? Its way from the record to the page, step by step.
import { type Access, accessOf, mayRead, tokensOf } from '../domain/access.ts'
import type { Filters, TextConditions } from '../domain/query.ts'
import type { Subject } from '../domain/subject.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import { countCharacters } from '../store/document-lists.ts'
import { listPairsOfSets } from '../store/document-sets.ts'
import { type DocumentSummary, findDocuments } from '../store/documents.ts'
import { findReceipt, type StoredReceipt } from '../store/receipts.ts'
import { queryTerms } from '../text/query-terms.ts'
import type { Asked } from './candidates.ts'
import { narrowed } from './narrow.ts'
import { parseSearch } from './parse.ts'
import { queryVector } from './query-vector.ts'
import { rank, SIMILARITY_FLOOR } from './rank.ts'
import { adjustingOf, type RetrieveNeeds } from './retrieve.ts'

export const STEPS = [
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

export interface Step {
  step: (typeof STEPS)[number]
  /** `lost`: the document goes no further. `note`: it goes on without. */
  status: 'ok' | 'note' | 'lost'
  detail: string
}

export interface Why {
  steps: Step[]
  /** The step that lost the document; null when it is found. */
  lost_at: Step['step'] | null
  /** Among all that is found, from 1. */
  place: number | null
}

export interface WhyQuestion {
  document_id: string
  query: string
  /** Of whoever does not find it. */
  access: Access
  subject: Pick<Subject, 'user_id' | 'groups' | 'rights'>
  /** Results that they see at once. */
  limit: number
}

/** Ranks beyond are not looked at. */
const LOOKED_AT = 1_000
const WAIT_MS = 3_000

export async function why(needs: RetrieveNeeds, question: WhyQuestion): Promise<Why> {
  const steps: Step[] = []
  let place: number | null = null
  for await (const { place: found, ...step } of walk(needs, question)) {
    steps.push(step)
    place = found ?? place
    if (step.status === 'lost') break
  }
  return { steps, lost_at: steps.find((it) => it.status === 'lost')?.step ?? null, place }
}

const step = (name: Step['step'], status: Step['status'], detail: string): Step => ({ step: name, status, detail })

async function* walk(needs: RetrieveNeeds, question: WhyQuestion): AsyncGenerator<Step & { place?: number }> {
  const { db, searchIndex } = needs
  const { document_id, access } = question
  const receipt = await findReceipt(db, document_id)
  const [document] = await findDocuments(db, [document_id])
  if (receipt === undefined || document === undefined) {
    return yield step('accepted', 'lost', 'No such document was ever accepted, or it was deleted.')
  }
  yield step('accepted', 'ok', `Accepted at ${new Date(receipt.accepted_at).toISOString()}.`)
  yield await extracted(needs, document_id)
  yield chunked(receipt)
  yield await indexed(searchIndex, document)
  const tokens = tokensOf(document.external_access, document.cc_pair_ids)
  const asked = await askedOf(needs, question)
  const vector = queryTerms(asked.text).length === 0 ? undefined : await similarityOf(needs, asked, document)
  yield vectors(needs, vector)
  if (!mayRead(access, tokens)) return yield step('access', 'lost', 'Whoever asks may not read it.')
  yield step('access', 'ok', 'Whoever asks may read it.')
  yield await filtered(searchIndex, asked, document_id)
  const words = await heldWords(searchIndex, asked, document_id)
  yield words
  yield meant(vector, words)
  yield await placed(needs, asked, question)
}

async function extracted({ db }: RetrieveNeeds, id: string): Promise<Step> {
  const count = await countCharacters(db, id)
  if (count > 0) return step('extracted', 'ok', `${count} characters of text.`)
  return step('extracted', 'note', 'It has no text: only its title can be found.')
}

function chunked({ seq, receipt_seq, chunk_count, error, retry_at }: StoredReceipt): Step {
  if (receipt_seq !== seq)
    return step('chunked', 'note', 'Its newest version waits to be indexed; an older one may be found.')
  if (error !== null) {
    const again = retry_at === null ? 'It is not tried again by itself.' : 'It will be tried again.'
    return step('chunked', 'lost', `It could not be indexed: ${error} ${again}`)
  }
  return step('chunked', 'ok', `${chunk_count ?? 0} chunks.`)
}

/** Somebody who may read it, so that only the index is asked. */
function readerOf({ external_access: own, cc_pair_ids }: DocumentSummary): Access {
  if (own === null) return accessOf({ email: null, groups: [] }, cc_pair_ids)
  return accessOf({ email: own.external_user_emails[0] ?? null, groups: own.external_user_group_ids }, [])
}

async function indexed(searchIndex: SearchIndex, document: DocumentSummary): Promise<Step> {
  const filters = { document_ids: [document.id] }
  const { total } = await searchIndex.search({ text: '', access: readerOf(document), filters, offset: 0, limit: 0 })
  if (total > 0) return step('text_index', 'ok', 'It is in the index.')
  if (tokensOf(document.external_access, document.cc_pair_ids).length === 0) {
    return step('text_index', 'note', 'Nobody may read it, so the index cannot be asked.')
  }
  return step('text_index', 'lost', 'It is not in the index yet, or not with the rights that it has now.')
}

async function askedOf({ db, now }: RetrieveNeeds, { query, access, subject }: WhyQuestion): Promise<Asked> {
  const understood = parseSearch(query, { now: now(), tz: 'UTC' })
  const sets = understood.document_sets
  const ofSets = sets.length === 0 ? undefined : await listPairsOfSets(db, subject, sets)
  return narrowed(understood, { access, filters: {} }, ofSets)
}

/** `null` where the document has no vector, undefined where meaning has no part. */
async function similarityOf(needs: RetrieveNeeds, { text }: Asked, document: DocumentSummary) {
  const known = await queryVector(needs, text, WAIT_MS)
  if (known.vector === null) return undefined
  const question = { vector: known.vector, access: readerOf(document), document_ids: [document.id] }
  return (await needs.searchIndex.similarity(question)).get(document.id) ?? null
}

function vectors({ embedder }: RetrieveNeeds, similarity: number | null | undefined): Step {
  if (embedder === null) return step('vectors', 'note', 'This service searches by words alone.')
  if (similarity === undefined) return step('vectors', 'note', 'The meaning of the query is not known.')
  if (similarity === null) return step('vectors', 'note', 'It has no vector yet: its words stand in for its meaning.')
  return step('vectors', 'ok', 'It has vectors.')
}

async function filtered(searchIndex: SearchIndex, { access, filters, ...asked }: Asked, id: string): Promise<Step> {
  const isMet = async (own: Filters, conditions: TextConditions) => {
    const only = { ...own, document_ids: [id] }
    return (await searchIndex.search({ ...conditions, text: '', access, filters: only, offset: 0, limit: 0 })).total > 0
  }
  const missed: string[] = []
  for (const [name, value] of Object.entries(filters)) if (!(await isMet({ [name]: value }, {}))) missed.push(name)
  for (const name of ['phrases', 'required', 'excluded', 'titleWords'] as const) {
    if (asked[name] !== undefined && !(await isMet({}, { [name]: asked[name] }))) missed.push(NAMES[name])
  }
  if (missed.length > 0)
    return step('filters', 'lost', `It does not meet the conditions of the query: ${missed.join(', ')}.`)
  return step('filters', 'ok', 'It meets the conditions of the query.')
}

const NAMES = { phrases: 'phrases', required: 'required words', excluded: 'excluded words', titleWords: 'title' }

async function heldWords(searchIndex: SearchIndex, { text, access }: Asked, id: string): Promise<Step> {
  const words = [...new Set(queryTerms(text).map((it) => it.word))]
  if (words.length === 0) return step('words', 'ok', 'The query asks for no word.')
  const filters = { document_ids: [id] }
  const totals = await Promise.all(
    words.map(async (word) => (await searchIndex.search({ text: word, access, filters, offset: 0, limit: 0 })).total),
  )
  const list = (isHeld: boolean) => words.filter((_, at) => totals[at]! > 0 === isHeld).join(', ')
  if (list(true) === '') return step('words', 'note', `It holds none of the words: ${list(false)}.`)
  return step('words', 'ok', `It holds ${list(true)}${list(false) === '' ? '' : `, but not ${list(false)}`}.`)
}

function meant(similarity: number | null | undefined, words: Step): Step {
  const isFound = words.status === 'ok'
  if (similarity === undefined || similarity === null) {
    const detail = 'Its meaning has no part.'
    return step('meaning', isFound ? 'note' : 'lost', isFound ? detail : `It holds no word of the query. ${detail}`)
  }
  const told = `Its similarity to the query is ${similarity.toFixed(3)}`
  if (isFound || similarity >= SIMILARITY_FLOOR) return step('meaning', 'ok', `${told}.`)
  return step('meaning', 'lost', `${told}; without a word of the query it needs ${SIMILARITY_FLOOR}.`)
}

async function placed(needs: RetrieveNeeds, asked: Asked, { document_id, query, limit }: WhyQuestion) {
  const adjusting = await adjustingOf(needs, query)
  const page = { start: { offset: 0 }, limit: LOOKED_AT, sort: 'relevance' as const, facets: [] }
  const { hits, total } = await rank({ ...needs, adjusting }, asked, page)
  const at = hits.findIndex((it) => it.document_id === document_id)
  if (at < 0) return step('rank', 'lost', `It is not among the best ${Math.min(LOOKED_AT, total)} of ${total}.`)
  const place = at + 1
  const where = `Place ${place} of ${total}`
  if (place <= limit) return { ...step('rank', 'ok', `${where}.`), place }
  return { ...step('rank', 'lost', `${where}: the first page ends at ${limit}.`), place }
}
