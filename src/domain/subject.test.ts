import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Role, rightsOf, type Scope } from './subject.ts'

const cases: [Role, Scope[] | null, string[]][] = [
  ['admin', null, ['admin', 'chat', 'connectors', 'files', 'ingest', 'search', 'tools']],
  ['curator', null, ['chat', 'connectors', 'files', 'ingest', 'search', 'tools']],
  ['basic', null, ['chat', 'files', 'search', 'tools']],
  ['limited', null, []],
  ['admin', ['search'], ['search']],
  ['admin', ['ingest'], ['files', 'ingest']],
  ['curator', ['admin'], ['chat', 'connectors', 'files', 'ingest', 'search', 'tools']],
  ['basic', ['ingest'], ['files', 'ingest']],
  ['basic', ['connectors'], ['files']],
  ['basic', ['admin'], ['chat', 'files', 'search', 'tools']],
  ['limited', ['ingest'], ['files', 'ingest']],
  ['limited', ['search', 'connectors', 'tools'], ['search']],
]
for (const [role, scopes, rights] of cases) {
  test(`${role} with scopes ${scopes?.join(', ') ?? 'unset'} may ${rights.join(', ') || 'nothing'}`, () => {
    assert.deepEqual([...rightsOf(role, scopes)].sort(), rights)
  })
}
