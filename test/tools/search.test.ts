// The search tool of a model: its queries, its limits and its results.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Filters } from '../../src/domain/search/query.ts'
import type { ContextWindow } from '../../src/retrieval/context-windows.ts'
import type { RetrievalRequest, RetrievalResult } from '../../src/retrieval/retrieve.ts'
import type { ToolRegistryDeps } from '../../src/tools/tool-registry.ts'
import { ANN, openToolFixture, runOf } from './tool-fixture.ts'

type Question = Omit<RetrievalRequest, 'access' | 'subject'>
const asked: Question[] = []
let lists: Record<string, RetrievalResult[]> = {}
let relaxed: { value: string }[] = []
let closest: Record<string, { id: string; semantic_identifier: string; link: string | null }[]> = {}

const chunkOf = (chunk_ind: number, link: string | null = null) => ({ chunk_ind, content: `chunk ${chunk_ind}`, link })
const resultOf = (id: string, ...chunks: number[]): RetrievalResult => {
  const passages = chunks.map((it) => ({
    chunk: chunkOf(it, `https://wiki/${id}#${it}`),
    snippet: { text: `chunk ${it}`, highlights: [] },
  }))
  const document = {
    id,
    semantic_identifier: id,
    title: null,
    link: `https://wiki/${id}`,
    source: 'web',
    metadata: {},
    updated_at: 0,
    primary_owners: [],
    secondary_owners: [],
  }
  return { ...passages[0]!, document, passages, score: 0.5, explanation: null } as unknown as RetrievalResult
}
let similar: ReadonlyMap<string, { document_ids: string[] }> = new Map()
const needs: Partial<ToolRegistryDeps> = {
  retrieve: async (_subject, question) => {
    asked.push(question)
    const results = lists[question.query] ?? []
    return { results, similar, relaxed, closest: closest[question.query] ?? [] } as never
  },
  readContextWindows: async (_subject, places): Promise<ContextWindow[]> =>
    places.map((place) => ({
      document_id: place.document_id,
      chunks: [chunkOf(place.chunk_ind, 'https://here')],
      anchor: place,
    })),
}
const { callables } = await openToolFixture(needs)
const [search] = await callables(ANN, [1])
const ask = async (args: Record<string, unknown>, filters: Filters = {}) => {
  asked.length = 0
  const run = runOf(ANN, { filters })
  return { ...(await search!.call(args, run)), run }
}

test('the model learns that no document contains a phrase', async () => {
  lists = { '"tea leaves"': [resultOf('a', 3)], '"tea leaves" green': [resultOf('a', 3)] }
  relaxed = [{ value: 'tea leaves' }]
  const { text } = await ask({ queries: Object.keys(lists) })
  relaxed = []
  assert.match(
    text,
    /^1 documents found for .{1,60}\. No document that the person may read contains the exact words "tea leaves", [^.]{1,80}\.$/,
  )
})

test('if nothing matches, the model learns the titles of the closest pages and has nothing to cite', async () => {
  closest = { bicycle: [{ id: 'a', semantic_identifier: 'On "cars"\n ', link: 'https://wiki/a' }] }
  const { run: _, ...answer } = await ask({ queries: ['bicycle'] })
  assert.deepEqual([answer.passages, answer.isError], [[], false])
  assert.match(answer.text, /^Nothing that the person may read matches\. .{1,150}: "On cars "\.$/)
  assert.deepEqual(answer.closest, [{ title: 'On cars ', link: 'https://wiki/a' }])
  assert.equal(asked[0]?.isAnswersOnly, true)
  lists = { tea: [resultOf('a', 3)] }
  const { text, closest: none } = await ask({ queries: ['bicycle', 'tea'] })
  assert.deepEqual([text, none], ['1 documents found for "bicycle", "tea".', undefined])
  closest = {}
})

test('steps are shown in order, and the model gets passages to cite', async () => {
  lists = { tea: [resultOf('a', 3, 7), resultOf('b', 0)] }
  const { text, passages, isError, run } = await ask({
    queries: ['tea'],
    sources: ['web'],
    updated_from: '2026-01-01',
    updated_until: '2026-01-31',
  })
  assert.deepEqual([text, isError], ['2 documents found for "tea".', false])
  assert.deepEqual(
    run.packets.map((it) => it.type),
    ['search_tool_start', 'search_tool_queries_delta', 'search_tool_filter_delta', 'search_tool_documents_delta'],
  )
  assert.deepEqual(run.packets.slice(0, 3), [
    { type: 'search_tool_start', is_internet_search: false },
    { type: 'search_tool_queries_delta', queries: ['tea'] },
    {
      type: 'search_tool_filter_delta',
      sources: ['web'],
      time_filter_start: '2026-01-01T00:00:00.000Z',
      time_filter_end: '2026-01-31T23:59:59.999Z',
    },
  ])
  assert.deepEqual(
    passages.map((it) => [it.document.document_id, it.chunk_inds, it.link, it.text]),
    [
      ['a', [3, 3], 'https://here', 'chunk 3'],
      ['a', [7, 7], 'https://here', 'chunk 7'],
      ['b', [0, 0], 'https://here', 'chunk 0'],
    ],
  )
})

test('a near duplicate that another query ranks first is no second document', async () => {
  lists = { tea: [resultOf('a', 1)], coffee: [resultOf('b', 5), resultOf('c', 0)] }
  similar = new Map([['a', { document_ids: ['b'] }]])
  const { passages } = await ask({ queries: ['tea', 'coffee'] })
  similar = new Map()
  assert.deepEqual([...new Set(passages.map((it) => it.document.document_id))], ['a', 'c'])
})

test('results of several queries are merged by rank, each document once with all its passages', async () => {
  lists = { tea: [resultOf('a', 1), resultOf('b', 0)], coffee: [resultOf('c', 0), resultOf('b', 5)] }
  const { passages, run } = await ask({ queries: ['tea', 'coffee', 'tea', ' '] })
  assert.deepEqual(
    asked.map((it) => it.query),
    ['tea', 'coffee'],
  )
  assert.deepEqual(
    passages.map((it) => [it.document.document_id, it.chunk_inds[0]]),
    [
      ['a', 1],
      ['c', 0],
      ['b', 5],
      ['b', 0],
    ],
  )
  assert.deepEqual(
    run.packets
      .filter((it) => it.type === 'search_tool_documents_delta')
      .flatMap((it) => it.documents.map((document) => document.document_id)),
    ['a', 'c', 'b'],
  )
})

test('an empty result is no failure and suggests alternatives', async () => {
  const { text, isError, passages } = await ask({ queries: 'nothing' })
  assert.deepEqual([isError, passages], [false, []])
  assert.match(text, /No documents found/)
})

const CHOSEN: Filters = {
  source_types: ['web', 'wiki'],
  authors: ['Ada', 'Ben'],
  tags: [{ tag_key: 'team', tag_value: 'a' }],
  cc_pair_ids: [3],
  updated_from: 1_000,
  updated_until: 9_000,
}
const NARROWED: [args: Record<string, unknown>, filters: Filters | null][] = [
  [{}, CHOSEN],
  [{ sources: [], authors: [], tags: [] }, CHOSEN],
  [{ sources: ['Wiki', 'mail'] }, { ...CHOSEN, source_types: ['wiki'] }],
  [{ sources: ['mail'] }, null],
  [{ authors: ['ada', 'Eve'] }, { ...CHOSEN, authors: ['Ada'] }],
  [{ authors: ['Eve'] }, null],
  [{ tags: [{ tag_key: 'team', tag_value: 'b' }] }, null],
  [{ updated_from: '1969-12-31' }, CHOSEN],
  [{ updated_from: '1970-01-01T00:00:05Z' }, { ...CHOSEN, updated_from: 5_000 }],
  [{ updated_until: '2026-01-01' }, CHOSEN],
  [{ cc_pair_ids: [4], document_ids: ['x'] }, CHOSEN],
]
for (const [args, filters] of NARROWED) {
  test(`${JSON.stringify(args)} ${filters === null ? 'finds nothing' : 'only narrows the chosen scope'} [X11]`, async () => {
    await ask({ queries: ['x'], ...args }, CHOSEN)
    assert.deepEqual(
      asked.map((it) => it.filters),
      filters === null ? [] : [filters],
    )
  })
}

test('operators in a query do not widen the chosen scope [X11]', async () => {
  await ask({ queries: ['author:eve tag:a=b set:"All" x'] }, CHOSEN)
  assert.equal(asked[0]!.query, 'author: eve tag: a=b set:"All" x')
  await ask({ queries: ['author:eve x'] }, {})
  assert.equal(asked[0]!.query, 'author:eve x')
})

for (const args of [
  {},
  { queries: [] },
  { queries: ['a', 'b', 'c', 'd', 'e', 'f'] },
  { queries: [7] },
  { queries: ['x'.repeat(3_000)] },
  { queries: ['x'], updated_from: 'last week' },
  { queries: ['x'], authors: 'ada' },
  { queries: ['x'], tags: [{ tag_key: 'a' }] },
]) {
  test(`${JSON.stringify(args).slice(0, 60)} is rejected`, async () => {
    const { isError, text } = await ask(args)
    assert.deepEqual([isError, asked.length], [true, 0])
    assert.match(text, /The argument "/)
  })
}

test('an internal error is logged, and the model gets an error result', async () => {
  const { callables: broken, logged } = await openToolFixture({ retrieve: () => Promise.reject(new Error('canary')) })
  const { isError, text } = await (await broken(ANN, [1]))[0]!.call({ queries: ['x'] }, runOf(ANN))
  assert.equal(isError, true)
  assert.ok(!text.includes('canary'))
  assert.deepEqual(
    logged.map((it) => it.message),
    ['tool call failed'],
  )
})
