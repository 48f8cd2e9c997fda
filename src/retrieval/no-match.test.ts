import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentOf } from '../../test/document-content.ts'
import { temporaryDatabase } from '../../test/temporary-database.ts'
import { accessForPerson } from '../domain/access.ts'
import { englishModel } from '../inference/local/local-models.ts'
import { findChunkMatches } from '../search-index/chunk-matches.ts'
import { openPlainIndex } from '../search-index/plain/plain-index.ts'
import { acceptDocuments } from '../store/documents/accept-documents.ts'
import type { Language } from '../text/language.ts'
import { isUnanswered, MEASURED_MODEL } from './no-match.ts'
import type { RankedDocument, ScorePart } from './ranking/fuse.ts'
import { createChunkCache } from './results/chunk-cache.ts'

const { db } = await temporaryDatabase()
const TEXT =
  'The planner sets max_connections for a travel route. It has nothing to say about many other things, but it knows of a policy.'
await acceptDocuments(db, 'all', [{ content: contentOf('Agency', TEXT), ccPairId: 1, requestId: null }], 1)
const searchIndex = openPlainIndex()
await searchIndex.apply({
  upserts: [
    {
      document_id: 'Agency',
      title: 'Agency',
      source_type: 'web',
      updated_at: null,
      tags: [],
      authors: [],
      cc_pair_ids: [1],
      access: ['public'],
      chunks: [{ chunk_ind: 0, content: TEXT, link: null }],
    },
  ],
  deletes: [],
  position: 1,
})

interface Circumstances {
  similarity?: number | null
  model?: string
  ranked_by?: 'words' | 'both' | 'date'
  language?: Language
  parts?: ScorePart[]
  /** The share of the passages without a vector. */
  waiting?: number
  passages?: number
}

/** Asks whether the only document answers the question. */
function isRefused(
  text: string,
  { similarity = 0.3, model = MEASURED_MODEL, ranked_by = 'both', ...more }: Circumstances = {},
): Promise<boolean> {
  const { language = 'en', parts = [], waiting = 0, passages = 20_000 } = more
  const document: RankedDocument = {
    document_id: 'Agency',
    updated_at: null,
    language,
    passages: [0],
    lexicalScore: 1,
    semanticScore: similarity,
    parts,
    score: 1,
  }
  const access = accessForPerson({ email: null, groups: [] }, [1])
  const cache = createChunkCache(async (refs: Parameters<typeof findChunkMatches>[1]) =>
    findChunkMatches(text, refs, () => ({ chunk_ind: 0, content: TEXT, link: null, title: '' })),
  )
  const page = { best: [document], cache, ranked_by, searchQuery: { text, access, filters: {} } }
  const stats = async () => ({ ...(await searchIndex.stats()), vectors: passages, vectors_missing: waiting * passages })
  return isUnanswered({ db, searchIndex: { ...searchIndex, stats }, embedder: { model } }, { page, text, access })
}

test('the limits are those of the model that ships with the program', () => {
  assert.equal(MEASURED_MODEL, englishModel.model)
})

test('nothing answers a question if the nearest passage is not similar', async () => {
  assert.equal(await isRefused('what is the travel route policy'), true)
  assert.equal(await isRefused('what is the travel route policy', { similarity: 0.36 }), false)
})

test('the nearest of few passages may be less similar', async () => {
  const question = 'what is the travel route policy'
  assert.equal(await isRefused(question, { passages: 10_000, similarity: 0.34 }), true)
  assert.equal(await isRefused(question, { passages: 1_000, similarity: 0.27 }), true)
  assert.equal(await isRefused(question, { passages: 1_000, similarity: 0.29 }), false)
  assert.equal(await isRefused(question, { passages: 10, similarity: 0.21 }), false)
})

test('a word that occurs in no document raises the limit', async () => {
  assert.equal(await isRefused('what is the travel expense policy', { similarity: 0.36 }), true)
  assert.equal(await isRefused('what is the travel expense policy', { similarity: 0.43 }), false)
})

test('a passage that holds all words near each other, or with its title, is an answer', async () => {
  assert.equal(await isRefused('which route is there to travel'), false)
  assert.equal(await isRefused('who is the travel planner of the agency'), false)
})

test('one or two words that occur are never refused', async () => {
  assert.equal(await isRefused('planner policy'), false)
  assert.equal(await isRefused('planner lasagne'), true)
})

test('a name that stands in a passage is never refused', async () => {
  assert.equal(await isRefused('which policy could be meant by max_connections there'), false)
})

test('nothing is refused without a similarity that means something', async () => {
  const question = 'what is the travel expense policy'
  const cases: Circumstances[] = [
    { similarity: null },
    { ranked_by: 'words' },
    { ranked_by: 'date' },
    { model: 'text-embedding-3-small' },
    { waiting: 0.1 },
    { language: 'de' },
    { parts: [{ name: 'pin', value: 1, from: null }] },
  ]
  for (const circumstances of cases) assert.equal(await isRefused(question, circumstances), false)
  assert.equal(await isRefused(question), true)
})

test('a question in another language is never refused, whatever the language of what was found', async () => {
  const question = 'Wie beantrage ich Bildungsurlaub in der Agency?'
  for (const language of ['en', 'de'] as const) assert.equal(await isRefused(question, { language }), false)
})

test('a text of many words is never refused', async () => {
  const words = 'lasagne recipe oven tomato cheese butter pepper onion garlic basil parsley thyme oregano'
  assert.equal(await isRefused(words), false)
})
