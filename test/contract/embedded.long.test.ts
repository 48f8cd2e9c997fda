import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPlainIndex } from '../../src/search-index/plain.ts'
import { openBusyIndex } from '../engine/local-index.ts'
import { compareWithPlain, randomLives } from './search-index.ts'
import { randomVectorLives } from './vectors.ts'

for (const part of [1, 2, 3, 4]) {
  test(`embedded: answers as a scorer without an index does, through 10,000 random lives, part ${part} of 4`, () =>
    randomLives((dir) => openBusyIndex(dir), { isPersistent: true, runs: 2_500 }))
}

for (const part of [1, 2, 3, 4]) {
  test(`embedded: nearest answers as looking at every vector does, through 4,000 random lives, part ${part} of 4`, () =>
    randomVectorLives(openBusyIndex, { isPersistent: true, runs: 1_000 }))
}

for (const seed of [1, 2, 3]) {
  test(`embedded: answers as the exact index does on 20,000 documents, seed ${seed}`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'pharos-index-'))
    const other = await openBusyIndex(dir)
    await compareWithPlain({ plain: openPlainIndex(), other }, { documents: 20_000, queries: 500, seed })
    await other.close()
    rmSync(dir, { recursive: true })
  })
}
