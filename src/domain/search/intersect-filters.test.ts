import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intersectFilters, intersectLists } from './intersect-filters.ts'

test('lists keep what both have', () => {
  assert.deepEqual(intersectFilters({ source_types: ['web', 'jira'] }, { source_types: ['jira', 'imap'] }), {
    source_types: ['jira'],
  })
  assert.deepEqual(intersectFilters({ cc_pair_ids: [1, 2] }, { cc_pair_ids: [3] }), { cc_pair_ids: [] })
})

test('an absent limit changes nothing, and a limit alone becomes the filter', () => {
  const filters = { authors: ['ann'], cc_pair_ids: [1], updated_until: 9 }
  assert.deepEqual(intersectFilters(filters, { cc_pair_ids: undefined }), filters)
  assert.deepEqual(intersectFilters({ authors: ['ann'] }, { cc_pair_ids: [1], updated_until: 9 }), filters)
})

test('the narrower time counts', () => {
  const limits = { updated_from: 3, updated_until: 7 }
  assert.deepEqual(intersectFilters({ updated_from: 5, updated_until: 9 }, limits), {
    updated_from: 5,
    updated_until: 7,
  })
})

test('values are compared by their keys', () => {
  assert.deepEqual(
    intersectLists(['Web', 'jira'], ['web'], (it) => it.toLowerCase()),
    ['Web'],
  )
})
