import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Embedder } from '../../inference/embedder.ts'
import type { ConfiguredEmbedder } from '../../inference/embedders.ts'
import type { VectorOptions } from '../../search-index/search-index.ts'
import { type Language, languages } from '../../text/language.ts'
import { readDocumentLanguages } from './document-languages.ts'

const LOCAL = { model: 'local', dimension: 8 }

interface Case {
  counts: Partial<Record<Language, number>>
  reads?: Embedder['reads']
  configured?: ConfiguredEmbedder
  serving?: VectorOptions | null
  secondsPerChunk?: number | null
}

/** Each document has two passages, of which one has no vector yet. */
function read({
  counts,
  reads = 'english',
  configured = { kind: 'ready', model: LOCAL },
  serving = LOCAL,
  secondsPerChunk = null,
}: Case) {
  const found = languages.flatMap((language) => ({ language, documents: counts[language] ?? [] }))
  const sorted = found
    .flatMap(({ language, documents }) => (typeof documents === 'number' ? [{ language, documents }] : []))
    .sort((one, other) => other.documents - one.documents)
  const documents = sorted.reduce((sum, it) => sum + it.documents, 0)
  const stats = { documents, chunks: 2 * documents, position: 1, vectors: documents, vectors_missing: documents }
  const unused = {
    minSimilarity: 0.3,
    foreign: null,
    embedQuery: assert.fail,
    embedTexts: assert.fail,
    close: assert.fail,
  }
  return readDocumentLanguages({
    searchIndex: { stats: async () => ({ ...stats, languages: sorted }) },
    embedders: { configured: () => configured, forModel: (model) => ({ ...model, reads, ...unused }) },
    embedding: {
      models: () => ({ serving, building: null }),
      secondsFor: (chunks) => (secondsPerChunk === null ? null : chunks * secondsPerChunk),
    },
  })
}

test('from a fifth of the documents on, the multilingual model is recommended', async () => {
  assert.equal((await read({ counts: { en: 81, de: 19 } })).recommendation, null)
  // The multilingual model does not know Arabic letters.
  assert.equal((await read({ counts: { en: 51, ar: 49 } })).recommendation, null)
  assert.deepEqual((await read({ counts: { en: 80, de: 15, fr: 5 } })).recommendation, {
    share: 0.2,
    languages: [
      { language: 'de', documents: 15 },
      { language: 'fr', documents: 5 },
    ],
    other_documents: 0,
    passages: 200,
    estimated_s: 15,
  })
})

test('fewer than 50 documents are too few for a recommendation', async () => {
  assert.equal((await read({ counts: { de: 49 } })).recommendation, null)
  assert.equal((await read({ counts: { de: 50 } })).recommendation?.share, 1)
  assert.deepEqual(await read({ counts: {} }), {
    documents: 0,
    languages: [],
    other_documents: 0,
    recommendation: null,
  })
})

test('a language that was not recognized is neither English nor another one', async () => {
  assert.equal((await read({ counts: { en: 60, und: 30, de: 10 } })).recommendation, null)
  const { languages, recommendation } = await read({ counts: { en: 30, und: 50, de: 20 } })
  assert.equal(recommendation?.share, 0.2)
  assert.deepEqual(
    [languages, recommendation.languages].map((all) => all.map((it) => it.language)),
    [['und', 'en', 'de'], ['de']],
  )
})

test('ten languages are named, and the documents in others are added up', async () => {
  const counts = { en: 100, de: 12, fr: 11, es: 10, it: 9, nl: 8, pl: 7, ru: 6, sv: 5, tr: 4, zh: 3, ja: 2 }
  const { documents, languages, other_documents, recommendation } = await read({ counts })
  assert.equal(documents, 177)
  assert.deepEqual([languages.length, languages[0], other_documents], [10, { language: 'en', documents: 100 }, 5])
  assert.deepEqual([recommendation?.languages.length, recommendation?.other_documents], [10, 2])
})

test('the time follows the recent rate of the local model, times 2.2', async () => {
  const { recommendation } = await read({ counts: { de: 100 }, secondsPerChunk: 0.1 })
  assert.equal(recommendation?.estimated_s, 44)
})

test('nothing is recommended unless the model in use reads English only', async () => {
  const counts = { de: 100 }
  const others: Omit<Case, 'counts'>[] = [
    { reads: 'any' },
    { configured: { kind: 'off' } },
    { configured: { kind: 'missing', model: { model: 'other', dimension: 8 }, reason: '' } },
    { configured: { kind: 'ready', model: { model: 'other', dimension: 8 } } },
    { serving: null },
    { serving: { model: 'other', dimension: 8 } },
  ]
  for (const it of others) {
    const { languages, recommendation } = await read({ counts, ...it })
    assert.deepEqual([languages, recommendation], [[{ language: 'de', documents: 100 }], null], JSON.stringify(it))
  }
})
