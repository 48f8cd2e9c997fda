import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChangeCursor, changedPages } from './changed-pages.ts'

const SIZE = 3

/** A source sorted by update time, in pages of three. */
function sourceOf(times: [id: number, second: number][]) {
  const turns: ChangeCursor[] = []
  const ask = async (turn: ChangeCursor) => {
    turns.push(turn)
    const found = times
      .filter(([, second]) => turn.since === null || second * 1_000 >= turn.since)
      .sort(([a, one], [b, other]) => one - other || a - b)
    const items = found
      .slice((turn.page - 1) * SIZE, turn.page * SIZE)
      .map(([id, second]) => ({ id, updated_at: new Date(second * 1_000).toISOString() }))
    return { items, hasMore: turn.page * SIZE < found.length }
  }
  return { turns, ask }
}

async function idsOf(ask: Parameters<typeof changedPages>[1], each: () => void = () => {}): Promise<number[]> {
  const ids: number[] = []
  for await (const { items } of changedPages({ since: null, page: 1 }, ask)) {
    ids.push(...(items as { id: number }[]).map((it) => it.id))
    each()
  }
  return ids
}

test('each page starts where the previous one ended, without duplicates', async () => {
  const { turns, ask } = sourceOf([1, 2, 3, 4, 5, 6, 7].map((it) => [it, it]))
  assert.deepEqual(await idsOf(ask), [1, 2, 3, 4, 5, 6, 7])
  assert.deepEqual(turns, [
    { since: null, page: 1 },
    { since: 3_000, page: 1 },
    { since: 5_000, page: 1 },
  ])
})

test('more items with one update time than fit on a page are read by page number', async () => {
  const { ask } = sourceOf([1, 2, 3, 4, 5, 6, 7, 8].map((it) => [it, it === 8 ? 2 : 1]))
  assert.deepEqual(await idsOf(ask), [1, 2, 3, 4, 5, 6, 7, 8])
})

test('items that change during the listing are read again at the end, and none is missed', async () => {
  const times: [number, number][] = [1, 2, 3, 4, 5, 6].map((it) => [it, it])
  const { ask } = sourceOf(times)
  let pages = 0
  const ids = await idsOf(ask, () => {
    pages += 1
    if (pages === 1) times[0] = [1, 100]
    if (pages === 1) times[1] = [2, 100]
  })
  assert.deepEqual(ids, [1, 2, 3, 4, 5, 6, 1, 2])
})

test('an empty page that announces more items is an error', async () => {
  await assert.rejects(
    idsOf(async () => ({ items: [], hasMore: true })),
    /announced more items/,
  )
})
