// The page after the sign-in is one of this service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeNextPath } from '../../web/src/pages/sign-in/next-path.ts'

const ORIGIN = 'https://search.example'

for (const next of ['/chat/5?q=x', '/search?q=%2F%2Fevil.example', '/'])
  test(`the sign-in opens ${next}`, () => assert.equal(safeNextPath(next, ORIGIN), next))

for (const next of [
  undefined,
  '',
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  '//',
  '/\\',
  'javascript:alert(1)',
  ' /chat',
])
  test(`the sign-in opens the first page in the place of ${JSON.stringify(next)}`, () =>
    assert.equal(safeNextPath(next, ORIGIN), '/'))
