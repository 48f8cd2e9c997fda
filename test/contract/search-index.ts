// What every search index must do, whichever it is.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { accessOf } from '../../src/domain/access.ts'
import type { Query } from '../../src/domain/query.ts'
import type { IndexBatch, IndexDocument, SearchIndex, SearchResult } from '../../src/search-index/search-index.ts'
import { seeded } from '../random.ts'
import { documentsAfter, type Expected, expectedHits } from './exhaustive-index.ts'
import { life, type Step } from './random-lives.ts'

/** Opens an index on an empty folder of its own, or again on one that it had. */
export type Open = (dir: string) => Promise<SearchIndex>

export interface ContractOptions {
  /** Whether a second `open` on the same folder finds what the first left. */
  isPersistent: boolean
  runs?: number
}

export function searchIndexContract(name: string, open: Open, { isPersistent, runs = 200 }: ContractOptions): void {
  const fact = (statement: string, check: (index: SearchIndex) => Promise<void>) =>
    test(`${name}: ${statement}`, () =>
      inFolder(async (dir) => {
        const index = await open(dir)
        await check(index).finally(() => index.close())
      }))
  changes(fact)
  titlesAndChunks(fact)
  filters(fact)
  access(fact)
  order(fact)
  words(fact)
  test(`${name}: answers as a scorer without an index does, through ${runs} random lives`, () =>
    randomLives(open, { isPersistent, runs }))
  if (isPersistent) restarts(name, open)
}

type Fact = (statement: string, check: (index: SearchIndex) => Promise<void>) => void

function changes(fact: Fact): void {
  fact('a new index is empty and at position 0', async (index) => {
    assert.deepEqual(await index.stats(), { documents: 0, chunks: 0, position: 0 })
    assert.deepEqual(await idsOf(index, 'fox'), [])
  })

  fact('a document is found as soon as apply resolves', async (index) => {
    await put(index, doc('a', ['the quick fox']))
    assert.deepEqual(await idsOf(index, 'fox'), ['a'])
    assert.deepEqual(await index.stats(), { documents: 1, chunks: 1, position: 1 })
  })

  fact('an upsert replaces every chunk of the document', async (index) => {
    await put(index, doc('a', ['fox', 'wolf', 'bear']))
    await put(index, doc('a', ['bear']))
    assert.deepEqual(await idsOf(index, 'fox wolf'), [])
    assert.deepEqual(await idsOf(index, 'bear'), ['a'])
    assert.deepEqual(await index.stats(), { documents: 1, chunks: 1, position: 2 })
  })

  fact('a deleted document is neither found nor counted', async (index) => {
    await put(index, doc('a', ['fox']), doc('b', ['fox']))
    await index.apply({ upserts: [], deletes: ['a'], position: 2 })
    assert.deepEqual(await idsOf(index, 'fox'), ['b'])
    assert.equal((await index.search(query('fox'))).total, 1)
    assert.deepEqual(await index.stats(), { documents: 1, chunks: 1, position: 2 })
  })

  fact('what was deleted or replaced leaves no trace in the scores', async (index) => {
    await put(index, doc('a', ['fox fox']), doc('b', ['a fox and a wolf']), doc('c', ['fox bear', 'fox']))
    await put(index, doc('a', ['wolf']))
    await index.apply({ upserts: [], deletes: ['c'], position: 3 })
    const documents = [doc('a', ['wolf']), doc('b', ['a fox and a wolf'])]
    assertAnswer(await index.search(query('fox wolf')), expectedHits(documents, query('fox wolf')), query('fox wolf'))
  })

  fact('a language goes with the last document that is written in it', async (index) => {
    const english = doc('en', ['The words der and und stand in this text, which is not about them'])
    await put(index, english, doc('de', ['Die Häuser und der Vertrag sind nicht in der Stadt']))
    await index.apply({ upserts: [], deletes: ['de'], position: 2 })
    const asked = query('der und text')
    assertAnswer(await index.search(asked), expectedHits([english], asked), asked)
  })

  fact('to delete an id that the index never had is no error', async (index) => {
    await index.apply({ upserts: [doc('a', ['fox'])], deletes: ['nobody'], position: 1 })
    assert.deepEqual(await idsOf(index, 'fox'), ['a'])
  })

  fact('when an id stands in both lists the delete comes first', async (index) => {
    await put(index, doc('a', ['fox']))
    await index.apply({ upserts: [doc('a', ['wolf'])], deletes: ['a'], position: 2 })
    assert.deepEqual(await idsOf(index, 'fox wolf'), ['a'])
    assert.deepEqual(await idsOf(index, 'fox'), [])
  })

  fact('of two versions of a document in one batch the last counts', async (index) => {
    await put(index, doc('a', ['fox']), doc('a', ['wolf']))
    assert.deepEqual(await idsOf(index, 'fox'), [])
    assert.deepEqual(await index.stats(), { documents: 1, chunks: 1, position: 1 })
  })

  fact('an empty batch moves the position on', async (index) => {
    await index.apply({ upserts: [], deletes: [], position: 7 })
    assert.equal((await index.stats()).position, 7)
  })

  fact('batches are applied in the order of the calls', async (index) => {
    const versions = Array.from({ length: 20 }, (_, at) => doc('a', [`version${at}`]))
    await Promise.all(versions.map((it, at) => index.apply({ upserts: [it], deletes: [], position: at + 1 })))
    assert.deepEqual(await idsOf(index, 'version19'), ['a'])
    assert.deepEqual(await index.stats(), { documents: 1, chunks: 1, position: 20 })
  })

  fact('a search beside a batch sees all or nothing of each document', async (index) => {
    const version = (at: number) => doc('a', [`fox mark${at}`, `fox mark${at}`, `fox mark${at}`])
    await put(index, version(0))
    for (let at = 1; at <= 10; at++) {
      const applied = index.apply({ upserts: [version(at)], deletes: [], position: at + 1 })
      const searches = Array.from({ length: 5 }, () => index.search(query(`fox mark${at}`)))
      for (const { hits, total } of await Promise.all(searches)) {
        assert.equal(total, 1)
        assert.match(hits[0]!.chunk.content, new RegExp(`mark(${at}|${at - 1})$`))
      }
      await applied
      assert.equal((await index.search(query(`mark${at}`))).total, 1)
      assert.equal((await index.search(query(`mark${at - 1}`))).total, 0)
    }
  })
}

function titlesAndChunks(fact: Fact): void {
  fact('a document without chunks is found by its title, with an empty chunk', async (index) => {
    await put(index, { ...doc('a', []), title: 'Annual report' })
    const { hits, total } = await index.search(query('reports'))
    assert.equal(total, 1)
    assert.deepEqual(hits[0]!.chunk, { chunk_ind: 0, content: '', link: null })
    assert.deepEqual(await index.stats(), { documents: 1, chunks: 0, position: 1 })
  })

  fact('a document is found by its title, which counts twice', async (index) => {
    await put(
      index,
      { ...doc('content', ['fox', 'x']), title: 'wolf' },
      { ...doc('title', ['wolf', 'x']), title: 'fox' },
    )
    assert.deepEqual(await idsOf(index, 'fox'), ['title', 'content'])
  })

  fact('a hit is the chunk that matches best, of equals the first', async (index) => {
    await put(index, doc('a', ['wolf', 'fox', 'fox fox bear']))
    const chunkOf = async (text: string) => (await index.search(query(text))).hits[0]!.chunk
    assert.deepEqual(await chunkOf('bear'), { chunk_ind: 2, content: 'fox fox bear', link: '#2' })
    await put(index, doc('a', ['wolf', 'fox', 'fox']))
    assert.equal((await chunkOf('fox')).chunk_ind, 1)
  })

  fact('a score is BM25 over chunks, with k1 1.5 and b 0.75', async (index) => {
    await put(index, doc('a', ['fox wolf']), doc('b', ['fox fox bear hare']), doc('c', ['hare hare hare']))
    const { hits } = await index.search(query('fox'))
    const idf = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    const scores = [(idf * 2) / (2 + 1.5 * (0.25 + (0.75 * 4) / 3)), idf / (1 + 1.5 * (0.25 + (0.75 * 2) / 3))]
    assert.deepEqual(
      hits.map((it) => it.document_id),
      ['b', 'a'],
    )
    for (const [at, score] of scores.entries()) assert.ok(Math.abs(hits[at]!.score - score) < 1e-6)
  })

  fact('a word that is stored in two spellings occurs once', async (index) => {
    const documents = [doc('a', ['The résumé of the report is what it says']), doc('b', ['the fox in the report'])]
    await put(index, ...documents)
    assertAnswer(await index.search(query('résumé')), expectedHits(documents, query('résumé')), query('résumé'))
  })
}

function filters(fact: Fact): void {
  const documents = [
    { ...doc('a', ['fox']), source_type: 'web', updated_at: 10, cc_pair_ids: [1], tags: [tag('team', 'red')] },
    {
      ...doc('b', ['fox']),
      source_type: 'web',
      updated_at: 20,
      cc_pair_ids: [1, 2],
      tags: [tag('team', 'blue'), tag('year', '1')],
    },
    { ...doc('c', ['fox']), source_type: 'file', updated_at: null, cc_pair_ids: [], tags: [tag('red', 'team')] },
  ]
  const cases: [Query['filters'], ids: string[]][] = [
    [{}, ['a', 'b', 'c']],
    [{ source_types: ['web'] }, ['a', 'b']],
    [{ source_types: ['file', 'web'] }, ['a', 'b', 'c']],
    [{ source_types: ['mail'] }, []],
    [{ source_types: [] }, []],
    [{ cc_pair_ids: [2] }, ['b']],
    [{ cc_pair_ids: [1, 3] }, ['a', 'b']],
    [{ cc_pair_ids: [] }, []],
    [{ tags: [tag('team', 'red')] }, ['a']],
    [{ tags: [tag('team', 'red'), tag('year', '1')] }, ['a', 'b']],
    [{ tags: [tag('team', '1')] }, []],
    [{ tags: [] }, []],
    [{ updated_from: 10 }, ['a', 'b']],
    [{ updated_from: 11 }, ['b']],
    [{ updated_until: 10 }, ['a']],
    [{ updated_from: 11, updated_until: 19 }, []],
    [{ source_types: ['web'], cc_pair_ids: [1], tags: [tag('year', '1')], updated_from: 20, updated_until: 20 }, ['b']],
    [{ source_types: ['file'], cc_pair_ids: [1] }, []],
  ]
  for (const [filters, ids] of cases) {
    fact(`the filter ${JSON.stringify(filters)} lets through ${ids.join(' ') || 'nothing'}`, async (index) => {
      await put(index, ...documents)
      const { hits, total } = await index.search({ ...query('fox'), filters })
      assert.deepEqual(
        hits.map((it) => it.document_id),
        ids,
      )
      assert.equal(total, ids.length)
    })
  }

  fact('a change of what filters look at is seen without a change of the text', async (index) => {
    await put(index, { ...doc('a', ['fox']), source_type: 'web' })
    await put(index, { ...doc('a', ['fox']), source_type: 'file' })
    assert.equal((await index.search({ ...query('fox'), filters: { source_types: ['web'] } })).total, 0)
    assert.equal((await index.search({ ...query('fox'), filters: { source_types: ['file'] } })).total, 1)
  })
}

function access(fact: Fact): void {
  const ada = (groups: string[], pairs: number[]) => accessOf({ email: 'Ada@example.com', groups }, pairs)
  const cases: [asker: string, access: Query['access'], ids: string[]][] = [
    ['nobody in particular', accessOf({ email: null, groups: [] }, []), ['everybody']],
    ['a person', ada([], []), ['ada', 'everybody']],
    ['a member of a group', ada(['red'], []), ['ada', 'everybody', 'red']],
    ['who may read a cc-pair', accessOf({ email: null, groups: [] }, [4]), ['everybody', 'pair']],
  ]
  for (const [asker, access, ids] of cases) {
    fact(`${asker} finds ${ids.join(' ')} and learns of nothing else`, async (index) => {
      await put(
        index,
        { ...doc('nobody', ['fox']), access: [] },
        { ...doc('ada', ['fox']), access: ['user:ada@example.com'] },
        { ...doc('red', ['fox']), access: ['user:bob@example.com', 'group:red'] },
        { ...doc('pair', ['fox']), access: ['pair:4'] },
        { ...doc('everybody', ['fox']), access: ['public'] },
      )
      const { hits, total } = await index.search({ ...query('fox'), access })
      assert.deepEqual(
        hits.map((it) => it.document_id),
        ids,
      )
      assert.equal(total, ids.length)
    })
  }

  fact('who loses access no longer finds the document', async (index) => {
    await put(index, doc('a', ['fox']))
    await put(index, { ...doc('a', ['fox']), access: ['group:red'] })
    assert.equal((await index.search(query('fox'))).total, 0)
  })
}

function order(fact: Fact): void {
  fact('equal scores are in the order of the ids, by UTF-16 code units', async (index) => {
    const ids = ['ﬀ', 'b', '😀', 'a', 'Z', 'aa']
    await put(index, ...ids.map((id) => doc(id, ['fox'])))
    assert.deepEqual(await idsOf(index, 'fox'), ['Z', 'a', 'aa', 'b', '😀', 'ﬀ'])
  })

  fact('pages put together are the whole, and the total does not depend on the page', async (index) => {
    const documents = Array.from({ length: 23 }, (_, at) => doc(`d${at}`, [`fox ${'bear '.repeat(at % 7)}`]))
    await put(index, ...documents)
    const whole = (await index.search({ ...query('fox'), limit: 100 })).hits
    const paged: typeof whole = []
    for (let offset = 0; offset < 30; offset += 4) {
      const { hits, total } = await index.search({ ...query('fox'), offset, limit: 4 })
      assert.equal(total, 23)
      paged.push(...hits)
    }
    assert.deepEqual(paged, whole)
    assert.equal(whole.length, 23)
  })

  fact('a limit of 0 only counts', async (index) => {
    await put(index, doc('a', ['fox']))
    const { hits, total } = await index.search({ ...query('fox'), limit: 0 })
    assert.deepEqual([hits.length, total], [0, 1])
  })
}

function words(fact: Fact): void {
  const documents = [
    doc('id', ['see PROJ-123 for details']),
    doc('parts', ['the proj has 123 details']),
    doc('file', ['attached report_v2.final.pdf']),
    doc('german', ['Die Häuser und die Verträge sind nicht in der Stadt']),
    doc('accent', ['a naïve approach']),
    doc('japanese', ['東京都庁の文書管理システム']),
    doc('russian', ['Документы были подписаны вчера']),
    doc('stop', ['to be or not to be']),
  ]
  const cases: [text: string, ids: string[]][] = [
    ['PROJ-123', ['id', 'parts']],
    ['report_v2.final.pdf', ['file']],
    ['REPORT', ['file']],
    ['Haus', ['german']],
    ['hauser vertrage', ['german']],
    ['naive', ['accent']],
    ['東京', ['japanese']],
    ['документ', ['russian']],
    ['not to be', ['stop']],
    ['the unknown', []],
    ['', []],
    ['?! -', []],
  ]
  for (const [text, ids] of cases) {
    fact(`"${text}" finds ${ids.join(' ') || 'nothing'}`, async (index) => {
      await put(index, ...documents)
      assert.deepEqual(await idsOf(index, text), ids)
    })
  }
}

function restarts(name: string, open: Open): void {
  test(`${name}: an index that is opened again is as it was at its position`, () =>
    inFolder(async (dir) => {
      const batches: IndexBatch[] = Array.from({ length: 12 }, (_, at) => ({
        upserts: [doc(`d${at}`, [`fox number${at}`]), doc('same', [`version${at}`])],
        deletes: [`d${at - 3}`],
        position: at + 1,
      }))
      for (const some of [batches.slice(0, 5), batches.slice(5)]) {
        const index = await open(dir)
        for (const it of some) await index.apply(it)
        await index.close()
      }
      const index = await open(dir)
      await assertHolds(index, batches)
      await index.close()
    }))
}

/** Every life is lived by an index of its own, in a folder of its own. */
export async function randomLives(open: Open, { isPersistent, runs = 200 }: ContractOptions): Promise<void> {
  await fc.assert(
    fc.asyncProperty(life, (steps) => inFolder((dir) => live(open, dir, steps, isPersistent))),
    { numRuns: runs },
  )
}

async function live(open: Open, dir: string, steps: readonly Step[], isPersistent: boolean): Promise<void> {
  let index = await open(dir)
  let batches: IndexBatch[] = []
  try {
    for (const step of steps) {
      if ('batch' in step) {
        const batch = { ...step.batch, position: (batches.at(-1)?.position ?? 0) + 1 }
        batches.push(batch)
        await index.apply(batch)
      } else if ('query' in step) {
        assertAnswer(await index.search(step.query), expectedHits(documentsAfter(batches), step.query), step.query)
      } else if (isPersistent) {
        await index.close()
        index = await open(dir)
        batches = await assertHolds(index, batches)
      }
    }
    await assertHolds(index, batches)
  } finally {
    await index.close()
  }
}

/** The index holds what the batches up to its position made; gives these. */
async function assertHolds(index: SearchIndex, batches: readonly IndexBatch[]): Promise<IndexBatch[]> {
  const { position, ...counts } = await index.stats()
  const applied = batches.filter((it) => it.position <= position)
  assert.equal(position, applied.at(-1)?.position ?? 0)
  const documents = documentsAfter(applied)
  const chunks = documents.reduce((sum, it) => sum + it.chunks.length, 0)
  assert.deepEqual(counts, { documents: documents.length, chunks })
  for (const text of ['report budget', 'fox version3 number9', 'PROJ-123 Haus']) {
    const asked = { ...query(text), access: accessOf({ email: 'ada@example.com', groups: ['red'] }, [1]) }
    assertAnswer(await index.search(asked), expectedHits(documents, asked), asked)
  }
  return applied
}

/** The same documents with the same scores; where scores are as good as equal, in any order. */
export function assertAnswer(found: SearchResult, expected: readonly Expected[], { offset, limit }: Query): void {
  if (found.total_relation === 'eq') assert.equal(found.total, expected.length)
  else assert.ok(found.total <= expected.length && found.total >= found.hits.length)
  assert.equal(found.hits.length, Math.max(0, Math.min(limit, expected.length - offset)))
  assert.equal(new Set(found.hits.map((it) => it.document_id)).size, found.hits.length)
  const byId = new Map(expected.map((it) => [it.document_id, it]))
  for (const [at, { document_id, score, chunk }] of found.hits.entries()) {
    const own = byId.get(document_id)
    assert.ok(own !== undefined, `${document_id} should not be found`)
    assert.ok(Math.abs(score - own.score) < 1e-6, `${document_id} has the score ${score} instead of ${own.score}`)
    assert.ok(Math.abs(score - expected[offset + at]!.score) < 1e-6, `${document_id} stands at the wrong place ${at}`)
    assert.ok(own.chunks.some((it) => it.chunk_ind === chunk.chunk_ind && it.content === chunk.content))
  }
}

/** Larger corpora than the random lives: both indexes live the same life and must answer alike. */
export async function compareWithPlain(
  { plain, other }: { plain: SearchIndex; other: SearchIndex },
  { documents, queries, seed }: { documents: number; queries: number; seed: number },
): Promise<void> {
  const random = seeded(seed)
  // Zipf: the nth word is about n times rarer than the first.
  const word = () => `word${Math.floor(Math.exp(random() * Math.log(5_000)))}`
  const text = (most: number) => Array.from({ length: random.below(most + 1) }, word).join(' ')
  const made = (id: number): IndexDocument => ({
    ...doc(
      `d${id}`,
      Array.from({ length: random.below(4) }, () => text(80)),
    ),
    title: text(6),
    source_type: `source${random.below(4)}`,
    updated_at: random.below(10) === 0 ? null : random.below(1_000),
    tags: [tag('team', `${random.below(5)}`)],
    cc_pair_ids: [random.below(6)],
    access: [random.below(2) === 0 ? 'public' : `group:${random.below(20)}`],
  })
  for (let position = 1; position <= documents / 100; position++) {
    const upserts = Array.from({ length: 120 }, () => made(random.below(documents)))
    const batch = { upserts, deletes: Array.from({ length: 10 }, () => `d${random.below(documents)}`), position }
    await Promise.all([plain.apply(batch), other.apply(batch)])
  }
  assert.deepEqual(await other.stats(), await plain.stats())
  for (let at = 0; at < queries; at++) {
    const groups = Array.from({ length: random.below(20) }, () => `${random.below(20)}`)
    const filtered: Query['filters'] = { source_types: ['source1', 'source2'], updated_from: random.below(1_000) }
    const asked: Query = {
      text: Array.from({ length: 1 + random.below(6) }, word).join(' '),
      access: accessOf({ email: null, groups }, []),
      filters: random.below(2) === 0 ? {} : filtered,
      offset: random.below(3) * 10,
      limit: 10,
    }
    const whole = await plain.search({ ...asked, offset: 0, limit: documents })
    assertAnswer(
      await other.search(asked),
      whole.hits.map((it) => ({ ...it, chunks: [it.chunk] })),
      asked,
    )
  }
}

const tag = (tag_key: string, tag_value: string) => ({ tag_key, tag_value })

const doc = (id: string, contents: readonly string[]): IndexDocument => ({
  document_id: id,
  title: '',
  source_type: 'web',
  updated_at: null,
  tags: [],
  cc_pair_ids: [],
  access: ['public'],
  chunks: contents.map((content, chunk_ind) => ({ chunk_ind, content, link: `#${chunk_ind}` })),
})

const put = async (index: SearchIndex, ...upserts: IndexDocument[]): Promise<void> =>
  index.apply({ upserts, deletes: [], position: (await index.stats()).position + 1 })

const query = (text: string): Query => ({
  text,
  access: accessOf({ email: null, groups: [] }, []),
  filters: {},
  offset: 0,
  limit: 10,
})

const idsOf = async (index: SearchIndex, text: string): Promise<string[]> =>
  (await index.search(query(text))).hits.map((it) => it.document_id)

async function inFolder(action: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-index-'))
  try {
    await action(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
