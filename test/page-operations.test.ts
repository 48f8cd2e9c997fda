// Every operation of the published description has a page that uses it, or a written reason.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAGES } from '../src/api/http/panel.ts'
import { listOperations, readPageOperations, readRows } from './e2e/page-requests.ts'

/** Operations without a page, each with its reason in the file. */
const MAX_EXCEPTIONS = 25

const operations = listOperations()
const ids = new Set(operations.map((it) => it.id))
/** For programs by their nature: probes, metrics, the protocols of directories and of models. */
const isForPrograms = (path: string) => /^\/(?:scim|health|metrics|mcp$)/.test(path)
const exceptions = readRows('test/e2e/operations-without-page.txt').map((it) => it.split(' ', 1)[0] ?? '')
const secondNames = readRows('test/e2e/operations-second-names.txt').map((it) => it.split(' '))
const used = readPageOperations().map((it) => it.split(' '))

test('every operation has a page, or a reason', () => {
  const second = secondNames.map(([it]) => it)
  const known = new Set([...used.map(([it]) => it), ...exceptions, ...second])
  const missing = operations.filter(({ id, path }) => !known.has(id) && !isForPrograms(path)).map((it) => it.id)
  assert.deepEqual(missing, [], 'name the page in test/e2e/page-operations.txt')
})

test('the lists name operations and pages that exist, each operation once', () => {
  for (const [id = '', page = ''] of used) {
    assert.ok(ids.has(id), id)
    assert.ok(PAGES.includes(page), `${id} ${page}`)
  }
  const once = new Set(used.map(([id]) => id))
  const others = [...exceptions, ...secondNames.map(([it]) => it ?? '')]
  assert.equal(new Set(others).size, others.length)
  for (const id of others) assert.ok(ids.has(id) && !once.has(id), id)
})

test('a second name belongs to an operation that has a page or a reason', () => {
  const known = [...used.map(([it]) => it), ...exceptions]
  for (const [id, first] of secondNames) assert.ok(known.includes(first), `${id} is a second name of ${first}`)
})

test(`at most ${MAX_EXCEPTIONS} operations have a reason instead of a page`, () => {
  assert.ok(exceptions.length <= MAX_EXCEPTIONS, `${exceptions.length}`)
  for (const row of readRows('test/e2e/operations-without-page.txt')) assert.match(row, /^\w{1,80} \S.{20,}/, row)
})
