import { test } from 'node:test'
import { readMutations, SEEDS } from './mutations.ts'

for (const name of Object.keys(SEEDS))
  test(`5,000 mutations of ${name} end in a verdict`, { timeout: 3_600_000 }, (t) => readMutations(t, name, 5_000))
