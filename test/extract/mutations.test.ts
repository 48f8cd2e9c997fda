import { test } from 'node:test'
import { readMutations, SEEDS } from './mutations.ts'

for (const name of Object.keys(SEEDS))
  test(`100 mutations of ${name} end in a verdict`, (t) => readMutations(t, name, 100))
