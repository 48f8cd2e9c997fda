import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentOwner } from '../../domain/document.ts'
import type { DocumentChange } from '../../store/documents/documents.ts'
import { toIndexDocument } from './index-document.ts'

const nobody: DocumentOwner = {
  display_name: null,
  first_name: null,
  middle_initial: null,
  last_name: null,
  email: null,
}
const change: DocumentChange = {
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

test('primary and secondary owners are authors, with name and e-mail address', () => {
  const { authors } = toIndexDocument({
    ...change,
    primary_owners: [{ ...nobody, first_name: 'ada', last_name: 'Lovelace', email: 'ada@example.com' }],
    secondary_owners: [{ ...nobody, display_name: 'Zoë' }],
  })
  assert.deepEqual(authors, [
    { name: 'Ada Lovelace', email: 'ada@example.com' },
    { name: 'Zoë', email: null },
  ])
})

test('an owner with only empty fields is not an author', () => {
  const { authors } = toIndexDocument({
    ...change,
    primary_owners: [
      nobody,
      { ...nobody, display_name: ' ' },
      { ...nobody, display_name: '', email: 'bob@example.com' },
    ],
  })
  assert.deepEqual(authors, [{ name: 'bob@example.com', email: 'bob@example.com' }])
})
