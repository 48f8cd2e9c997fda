import assert from 'node:assert/strict'
import { test } from 'node:test'
import { weighScores } from './weigh-scores.ts'

const ranges = { lexicalRange: { min: 0, max: 10 }, semanticRange: { min: 0.7, max: 0.9 } }
const foreign = { languages: ['de'], semanticWeight: 0.7, similarityOffset: 0.06 } as const
const near = (found: number, expected: number) => assert.ok(Math.abs(found - expected) < 1e-9, `${found}`)

test('a document in another language counts by its meaning, and its similarity is raised', () => {
  const scores = { lexicalScore: 5, semanticScore: 0.8 }
  const own = weighScores({ ...scores, language: 'en' }, ranges, { semanticWeight: 0.4, foreign })
  near(own.words, 0.3)
  near(own.meaning, 0.2)
  const other = weighScores({ ...scores, language: 'de' }, ranges, { semanticWeight: 0.4, foreign })
  near(other.words, 0.15)
  near(other.meaning, 0.7 * 0.8)
})

test('raised similarities keep their order above the highest one', () => {
  const meaningOf = (semanticScore: number) =>
    weighScores({ lexicalScore: null, semanticScore, language: 'de' }, ranges, { semanticWeight: 0.4, foreign }).meaning
  assert.ok(meaningOf(0.9) > meaningOf(0.89))
  assert.ok(meaningOf(0.89) > 0.7)
})

test('one document alone has the full score', () => {
  const range = { min: 0.8, max: 0.8 }
  const alone = { lexicalScore: null, semanticScore: 0.8, language: 'de' } as const
  near(weighScores(alone, { ...ranges, semanticRange: range }, { semanticWeight: 0.4, foreign }).meaning, 0.7)
})
