// Unsaved ranking settings: how they differ from the saved ones, and how they meet those of another person.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedFields, differenceOf, mergeValues, NO_RANKING, sameQuery } from '../../web/src/pages/ranking/draft.ts'

const pin = (query: string, ...document_ids: string[]) => ({ query, document_ids })

test('only changed fields are sent, and an entry that is changed is removed and added', () => {
  const before = { ...NO_RANKING, pins: [pin('leave', 'a'), pin('vpn', 'b')], half_life_days: 30 }
  const after = { ...before, pins: [pin('leave', 'a', 'c'), pin('vpn', 'b')] }
  assert.deepEqual(changedFields(before, after), { pins: after.pins })
  assert.deepEqual(differenceOf(before, after), {
    removed: [{ kind: 'pin', pin: pin('leave', 'a') }],
    added: [{ kind: 'pin', pin: pin('leave', 'a', 'c') }],
  })
  assert.deepEqual(changedFields(before, { ...before, half_life_days: null }), { half_life_days: null })
  assert.deepEqual(changedFields(before, { ...before, link_weight: 0.1 }), { link_weight: 0.1 })
  assert.deepEqual(differenceOf(before, { ...before, link_weight: 0.1 }), {
    removed: [{ kind: 'link_weight', weight: 0 }],
    added: [{ kind: 'link_weight', weight: 0.1 }],
  })
})

test('changes of two people are merged entry by entry, and the own change of one entry wins', () => {
  const base = {
    ...NO_RANKING,
    half_life_days: 30,
    click_weight: 0.3,
    freshness_weight: 0.2,
    boosts: [{ source: 'wiki', factor: 2 }],
    pins: [pin('leave', 'a'), pin('vpn', 'b'), pin('canteen', 'c')],
    source_half_life_days: [{ source: 'wiki', days: 9 }],
  }
  const mine = {
    ...base,
    boosts: [{ source: 'wiki', factor: 3 }],
    pins: [pin('Leave', 'mine'), pin('canteen', 'c'), pin('new', 'd')],
    synonyms: [['holiday', 'leave']],
    click_weight: 0.5,
  }
  const theirs = {
    ...base,
    half_life_days: 90,
    click_weight: 0.4,
    freshness_weight: 0,
    boosts: [
      { source: 'wiki', factor: 4 },
      { source: 'web', factor: 5 },
    ],
    pins: [pin('leave', 'theirs'), pin('vpn', 'b'), pin('other', 'e')],
    source_half_life_days: [],
    synonyms: [['lorry', 'truck']],
  }
  assert.deepEqual(mergeValues(base, mine, theirs), {
    half_life_days: 90,
    source_half_life_days: [],
    boosts: [
      { source: 'wiki', factor: 3 },
      { source: 'web', factor: 5 },
    ],
    pins: [pin('Leave', 'mine'), pin('other', 'e'), pin('new', 'd')],
    synonyms: [
      ['lorry', 'truck'],
      ['holiday', 'leave'],
    ],
    click_weight: 0.5,
    link_weight: 0,
    freshness_weight: 0,
  })
})

test('without changes of another person a merge keeps the own ones, in their order', () => {
  const mine = { ...NO_RANKING, pins: [pin('b', '1'), pin('a', '2')], half_life_days: 7 }
  assert.deepEqual(mergeValues(NO_RANKING, mine, NO_RANKING), mine)
  assert.deepEqual(mergeValues(mine, mine, NO_RANKING), NO_RANKING)
})

test('queries are compared without case and white space', () => {
  assert.ok(sameQuery('  Annual   leave ', 'annual leave'))
  assert.equal(sameQuery('annual leave', 'annual'), false)
})
