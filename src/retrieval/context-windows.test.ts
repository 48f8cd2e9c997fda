import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChunkId } from '../search-index/search-index.ts'
import { readContextWindows } from './context-windows.ts'

/** The number of chunks of each document. */
const LENGTHS: Record<string, number> = { a: 10, b: 1, 'c d': 3 }
let questions: number
const searchIndex = {
  chunks: async (places: readonly ChunkId[]) => {
    questions += 1
    return places.map(({ document_id, chunk_ind }) =>
      chunk_ind >= 0 && chunk_ind < (LENGTHS[document_id] ?? 0)
        ? { chunk_ind, content: `${document_id}${chunk_ind}`, link: null }
        : null,
    )
  },
}
const read = async (places: [id: string, chunk_ind: number][], reach = 1) => {
  questions = 0
  const wanted = places.map(([document_id, chunk_ind]) => ({ document_id, chunk_ind }))
  const found = await readContextWindows({ searchIndex }, wanted, reach)
  return found.map(({ anchor, chunks }) => [anchor.chunk_ind, ...chunks.map((it) => it.content)])
}

const CASES: [what: string, places: [string, number][], found: (string | number)[][]][] = [
  ['one place', [['a', 5]], [[5, 'a4', 'a5', 'a6']]],
  ['the first chunk', [['a', 0]], [[0, 'a0', 'a1']]],
  ['the last chunk', [['a', 9]], [[9, 'a8', 'a9']]],
  ['the only chunk', [['b', 0]], [[0, 'b0']]],
  [
    'places that touch',
    [
      ['a', 7],
      ['a', 4],
    ],
    [[7, 'a3', 'a4', 'a5', 'a6', 'a7', 'a8']],
  ],
  [
    'places apart',
    [
      ['a', 8],
      ['a', 1],
    ],
    [
      [8, 'a7', 'a8', 'a9'],
      [1, 'a0', 'a1', 'a2'],
    ],
  ],
  [
    'a place twice',
    [
      ['c d', 1],
      ['c d', 1],
    ],
    [[1, 'c d0', 'c d1', 'c d2']],
  ],
  [
    'documents in their order',
    [
      ['b', 0],
      ['a', 0],
      ['c d', 2],
    ],
    [
      [0, 'b0'],
      [0, 'a0', 'a1'],
      [2, 'c d1', 'c d2'],
    ],
  ],
  [
    'missing chunks',
    [
      ['a', 12],
      ['gone', 0],
      ['b', 0],
    ],
    [[0, 'b0']],
  ],
  ['nothing', [], []],
]
for (const [what, places, found] of CASES) {
  test(`${what} with neighbours, each chunk once, in one call`, async () => {
    assert.deepEqual(await read(places), found)
    assert.ok(questions <= 1)
  })
}

test('without neighbours only the chunk itself is read', async () => {
  assert.deepEqual(
    await read(
      [
        ['a', 5],
        ['a', 6],
      ],
      0,
    ),
    [[5, 'a5', 'a6']],
  )
})
