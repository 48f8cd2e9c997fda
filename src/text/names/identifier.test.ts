import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIdentifier } from './identifier.ts'

const IDENTIFIERS = [
  'max_connections',
  'os.path',
  '40P01',
  '--rebase',
  'PROJ-123',
  'setUp',
  'git@host',
  'a/b',
  '-v',
  'C#',
  'std::map',
]

for (const text of IDENTIFIERS) test(`"${text}" is an identifier`, () => assert.equal(isIdentifier(text), true))

const OTHERS = ['vacuum', 'e-mail', 'os.path join', '2024', '', '?', '東京2020年', 'URL', 'vacuum.', 'vacuum:']

for (const text of OTHERS) test(`"${text}" is no identifier`, () => assert.equal(isIdentifier(text), false))
