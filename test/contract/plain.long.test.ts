import { test } from 'node:test'
import { openPlainIndex } from '../../src/search-index/plain.ts'
import { randomLives } from './search-index.ts'

test('plain: answers as a scorer without an index does, through 10,000 random lives', () =>
  randomLives(async () => openPlainIndex(), { isPersistent: false, runs: 10_000 }))
