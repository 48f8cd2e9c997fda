import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findChunkMatches } from '../../search-index/chunk-matches.ts'
import type { CandidateSet, ChunkId, RankingCandidate } from '../../search-index/search-index.ts'
import { NO_MEANING } from '../../search-index/weigh-scores.ts'
import { createQueryWords } from '../../text/query-words.ts'
import { fuse } from './fuse.ts'
import { addProximity } from './proximity.ts'

const TEXTS = ['red fox', 'fox and a red bear', 'a bear', 'the red, red fox runs', '']
const share = fc.integer({ min: 0, max: 20 }).map((it) => it / 20)
const candidate = fc.record({
  lexicalScore: fc.option(share.map((it) => 12 * it)),
  semanticScore: fc.option(share),
})
const candidates: fc.Arbitrary<CandidateSet> = fc.array(candidate, { minLength: 1, maxLength: 30 }).map((all) => ({
  candidates: all.map((it, at): RankingCandidate => {
    const document_id = `d${String(at).padStart(2, '0')}`
    return { document_id, updated_at: null, language: 'en', passages: [at % TEXTS.length], ...it }
  }),
  lexicalRange: { min: 2, max: Math.max(2, ...all.map((it) => it.lexicalScore ?? 0)) },
  semanticRange: { min: 0.3, max: Math.max(0.3, ...all.map((it) => it.semanticScore ?? 0)) },
  beyondDepth: [],
  total: all.length,
  total_relation: 'eq',
}))
/** The text of each passage is derived from its number. */
const texts = {
  get: ({ document_id, chunk_ind }: ChunkId) =>
    findChunkMatches('red fox', [{ document_id, chunk_ind, language: 'en' }], () => ({
      chunk_ind,
      content: TEXTS[chunk_ind]!,
      link: null,
      title: '',
    }))[0]!,
}
/** The semantic weights in use: none, that of other Latin languages, and those of names and descriptions. */
const weight = fc.constantFrom(0, 0.3, 0.4, 0.5)

test('a document without a vector does not rank below one with lower lexical and semantic scores', () => {
  fc.assert(
    fc.property(candidates, (all) => {
      const ranked = fuse(all, { semanticWeight: 0.4 })
      const placeOf = new Map(ranked.map((it, at) => [it.document_id, at]))
      const shares = new Map(
        fuse({ ...all, candidates: all.candidates.map((it) => ({ ...it, semanticScore: null })) }, NO_MEANING).map(
          (it) => [it.document_id, it.score],
        ),
      )
      for (const one of ranked.filter((it) => it.semanticScore === null)) {
        const own = shares.get(one.document_id)!
        for (const other of ranked) {
          const [, meant] = other.parts
          const isLess = shares.get(other.document_id)! < own && meant!.value < 0.4 * own
          if (isLess) assert.ok(placeOf.get(one.document_id)! < placeOf.get(other.document_id)!)
        }
      }
    }),
  )
})

test('without vectors the order is lexical', () => {
  fc.assert(
    fc.property(candidates, (all) => {
      const none = { ...all, candidates: all.candidates.map((it) => ({ ...it, semanticScore: null })) }
      const idsOf = (own: number) => fuse(none, { semanticWeight: own }).map((it) => it.document_id)
      assert.deepEqual(idsOf(0.4), idsOf(0))
    }),
  )
})

test('a new vector changes a score by at most the semantic weight', () => {
  fc.assert(
    fc.property(candidates, weight, (all, own) => {
      const before = new Map(
        fuse(
          { ...all, candidates: all.candidates.map((it) => ({ ...it, semanticScore: null })) },
          { semanticWeight: own },
        ).map((it) => [it.document_id, it.score]),
      )
      for (const { document_id, score } of fuse(all, { semanticWeight: own })) {
        assert.ok(Math.abs(score - before.get(document_id)!) <= own + 1e-9)
      }
    }),
  )
})

test('the parts sum to the score, the best is first, and proximity lowers no score', () => {
  fc.assert(
    fc.property(candidates, weight, (all, semanticWeight) => {
      const fused = fuse(all, { semanticWeight })
      const near = addProximity(fused, {
        queryWords: createQueryWords('red fox'),
        cache: texts,
        lexicalRange: all.lexicalRange,
        semanticWeight,
      })
      for (const ranked of [fused, near]) {
        for (const { parts, score } of ranked)
          assert.equal(
            parts.reduce((sum, it) => sum + it.value, 0),
            score,
          )
        for (const [at, it] of ranked.slice(1).entries()) assert.ok(ranked[at]!.score >= it.score)
      }
      const before = new Map(fused.map((it) => [it.document_id, it.score]))
      for (const it of near) assert.ok(it.score >= before.get(it.document_id)!)
      assert.deepEqual(near.map((it) => it.document_id).sort(), fused.map((it) => it.document_id).sort())
    }),
  )
})
