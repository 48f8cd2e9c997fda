import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Owner } from '../domain/document.ts'
import type { Change } from '../store/documents.ts'
import { indexDocumentOf } from './index-document.ts'

const nobody: Owner = { display_name: null, first_name: null, middle_initial: null, last_name: null, email: null }
const change: Change = {
  id: 'a',
  seq: 1,
  isDeleted: false,
  title: null,
  semantic_identifier: 'A',
  source: 'web',
  link: null,
  updated_at: 1,
  metadata: {},
  primary_owners: [],
  secondary_owners: [],
  external_access: null,
  cc_pair_ids: [1],
  sections: [],
  receipt_seq: null,
  attempts: 0,
  body_bytes: 2,
  request_id: null,
}

test('owners of both kinds are authors, by their name and e-mail address', () => {
  const { authors } = indexDocumentOf({
    ...change,
    primary_owners: [{ ...nobody, first_name: 'ada', last_name: 'Lovelace', email: 'ada@example.com' }],
    secondary_owners: [{ ...nobody, display_name: 'Zoë' }],
  })
  assert.deepEqual(authors, [
    { name: 'Ada Lovelace', email: 'ada@example.com' },
    { name: 'Zoë', email: null },
  ])
})

test('an owner with nothing in its fields is no author, and empty text is nothing', () => {
  const { authors } = indexDocumentOf({
    ...change,
    primary_owners: [
      nobody,
      { ...nobody, display_name: ' ' },
      { ...nobody, display_name: '', email: 'bob@example.com' },
    ],
  })
  assert.deepEqual(authors, [{ name: 'bob@example.com', email: 'bob@example.com' }])
})
