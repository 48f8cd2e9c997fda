import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clickLevel } from '../../../domain/search/popularity.ts'
import type { RankingFacts } from '../../../store/popularity/ranking-facts.ts'
import { type RankedDocument, type ScorePart, withScoreParts } from '../fuse.ts'
import { freshnessPart } from './freshness.ts'
import { addPopularity } from './popularity.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-06-01T00:00:00Z')
const NO_FACTS: RankingFacts = { source: 'web', own_time: null, opened: 0, chosen: 0, links: 0 }
const settings = { click_weight: 0.3, link_weight: 0.1 }

const ranked = (document_id: string, words: number, more: ScorePart[] = []) =>
  withScoreParts(
    { document_id, updated_at: null, language: 'en', passages: [0], lexicalScore: 1, semanticScore: null },
    [{ name: 'words', value: words, from: words }, ...more],
  )
const titled = (id: string, words: number) => ranked(id, words, [{ name: 'title', value: 1, from: 1 }])

function order(documents: RankedDocument[], facts: Record<string, Partial<RankingFacts>>, own = settings): string[] {
  const known = new Map(Object.entries(facts).map(([id, it]) => [id, { ...NO_FACTS, ...it }]))
  const all = addPopularity(documents, { settings: own, facts: known, semanticWeight: 0 })
  for (const { score, parts } of all)
    assert.equal(
      score,
      parts.reduce((sum, it) => sum + it.value, 0),
    )
  return all.map((it) => it.document_id)
}

test('fewer than three people count as nobody, and only steps of people count', () => {
  assert.deepEqual([0, 2, 3, 5, 6, 12, 24, 100_000].map(clickLevel), [0, 0, 1, 1, 2, 3, 4, 4])
})

test('a document rises more if people chose it for the query than if they open it, and by the weight', () => {
  const two = [ranked('a', 0.6), ranked('b', 0.55)]
  assert.deepEqual(order(two, {}), ['a', 'b'])
  assert.deepEqual(order(two, { b: { opened: 4 } }), ['b', 'a'])
  assert.deepEqual(order(two, { a: { opened: 4 }, b: { chosen: 1 } }), ['b', 'a'])
  assert.deepEqual(order(two, { b: { links: 30 } }), ['b', 'a'])
  assert.deepEqual(order(two, { b: { links: 30, chosen: 4, opened: 4 } }, { click_weight: 0, link_weight: 0 }), [
    'a',
    'b',
  ])
})

test('nothing rises above a document whose title is the query', () => {
  const all = [titled('title', 0.1), ranked('words', 1)]
  assert.deepEqual(order(all, { words: { chosen: 4, opened: 4, links: 99 } }), ['title', 'words'])
  assert.deepEqual(order([titled('one', 0.2), titled('two', 0.1)], { two: { chosen: 4 } }), ['two', 'one'])
})

test('new documents rise if the query asks for something recent, and always among timely sources', () => {
  const part = (id: string, age: number | null, isAskedFor: boolean) => {
    const own = {
      ...NO_FACTS,
      source: id === 'chat' ? 'slack' : 'web',
      own_time: age === null ? null : NOW - age * DAY,
    }
    return freshnessPart(ranked(id, 1), { weight: 0.2, isAskedFor, facts: new Map([[id, own]]), now: NOW })?.value
  }
  assert.deepEqual([part('page', 0, true), part('page', 90, true)], [0.2, 0.1])
  assert.deepEqual([part('page', 0, false), part('page', null, true)], [undefined, undefined])
  assert.deepEqual([part('chat', 0, false), part('chat', 365, false)], [0.1, 0.05])
  assert.equal(part('page', -5, true), 0.2)
})
