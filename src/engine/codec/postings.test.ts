import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PostingsCursor, type PostingsTable } from './postings.ts'
import { PostingsWriter } from './postings-writer.ts'

const BASIS = { b: 0.75, referenceLength: 20 }

const posting = fc.record({
  gap: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(1, 2) }, fc.integer({ min: 1, max: 100_000 })),
  count: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 5_000_000 })),
})
const term = fc.oneof(
  fc.array(posting, { minLength: 1, maxLength: 8 }),
  fc.array(posting, { minLength: 120, maxLength: 700, size: 'max' }),
)

interface Posting {
  passage: number
  count: number
}

const groupOf = (passage: number) => Math.floor(passage / 3)

function tableOf(terms: readonly (readonly Posting[])[]): PostingsTable {
  const last = Math.max(...terms.map((it) => it.at(-1)!.passage))
  const lengths = Uint32Array.from({ length: last + 1 }, (_, passage) => (passage * 7) % 40)
  const groups = lengths.map((_, passage) => groupOf(passage))
  const writer = new PostingsWriter(BASIS, { lengths, groups })
  for (const postings of terms) {
    for (const { passage, count } of postings) writer.add(passage, count)
    writer.endTerm()
  }
  const bounds = writer.bounds().slice()
  return {
    packed: writer.packed.view(),
    passageCounts: writer.passageCounts.view(),
    groupCounts: writer.groupCounts.view(),
    starts: writer.starts.view(),
    blockLast: writer.blockLast.view(),
    blockStart: writer.blockStart.view(),
    blockBound: new Float32Array(bounds.buffer, 0, bounds.length),
    lengths,
    ...BASIS,
  }
}

const postingsOf = (gaps: readonly { gap: number; count: number }[]): Posting[] => {
  let passage = -1
  return gaps.map(({ gap, count }) => {
    passage += gap
    return { passage, count }
  })
}

function* readAll(cursor: PostingsCursor): Generator<Posting & { bound: number }> {
  for (let block = 0; block < cursor.blocks; block++) {
    cursor.unpack(block)
    for (let at = 0; at < cursor.unpackedCount; at++) {
      yield { passage: cursor.passages[at]!, count: cursor.frequencies[at]!, bound: cursor.boundOf(block) }
    }
    assert.equal(cursor.lastPassageOf(block), cursor.passages[cursor.unpackedCount - 1])
  }
}

test('postings are read as they were written, each within the bound of its block', () => {
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 3 }), (gaps) => {
      const terms = gaps.map(postingsOf)
      const table = tableOf(terms)
      const cursor = new PostingsCursor()
      for (const [at, postings] of terms.entries()) {
        cursor.open(table, at)
        const found = [...readAll(cursor)]
        assert.deepEqual(
          found.map(({ passage, count }) => ({ passage, count })),
          postings,
        )
        assert.equal(table.groupCounts[at], new Set(postings.map((it) => groupOf(it.passage))).size)
        for (const { passage, count, bound } of found) {
          assert.ok(count / (0.25 + (0.75 * table.lengths[passage]!) / BASIS.referenceLength) <= bound)
        }
      }
    }),
    { numRuns: 20 },
  )
})

test('the frequency of a passage is found in any order of blocks from the window on', () => {
  fc.assert(
    fc.property(term, fc.array(fc.nat()), (gaps, picks) => {
      const postings = postingsOf(gaps)
      const counts = new Map(postings.map(({ passage, count }) => [passage, count]))
      const cursor = new PostingsCursor()
      cursor.open(tableOf([postings]), 0)
      for (const pick of picks) {
        const { passage } = postings[pick % postings.length]!
        for (const it of [passage, passage + 1]) assert.equal(cursor.frequencyAt(it), counts.get(it) ?? 0)
      }
    }),
    { numRuns: 20 },
  )
})
