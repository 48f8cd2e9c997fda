import { test } from 'node:test'
import { openPlainIndex } from '../../src/search-index/plain/plain-index.ts'
import { runRandomOperations } from './search-index.ts'

test('plain: gives the same results as a scorer without an index in 10,000 random runs', () =>
  runRandomOperations(async () => openPlainIndex(), { isPersistent: false, runs: 10_000 }))
