// The contract of every search index.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { accessForPerson } from '../../src/domain/access.ts'
import type { Query } from '../../src/domain/search/query.ts'
import type {
  IndexBatch,
  IndexDocument,
  IndexStats,
  SearchIndex,
  SearchResult,
} from '../../src/search-index/search-index.ts'
import { seeded } from '../random.ts'
import {
  behind,
  documentsAfter,
  type Expected,
  expectedFacets,
  expectedHits,
  expectedLanguages,
} from './exhaustive-index.ts'
import { expectedTerms } from './exhaustive-terms.ts'
import { randomSteps, type Step } from './random-operations.ts'

/** Opens an index in an empty folder or reopens an existing one. */
export type Open = (dir: string) => Promise<SearchIndex>

export interface ContractOptions {
  /** True if a second `open` on the same folder finds what the first one left. */
  isPersistent: boolean
  runs?: number
  /** Only what depends on how batches arrive, instead of every fact. */
  onlyChanges?: boolean
}

export function searchIndexContract(
  name: string,
  open: Open,
  { isPersistent, runs = 200, onlyChanges = false }: ContractOptions,
): void {
  const fact = (statement: string, check: (index: SearchIndex) => Promise<void>) =>
    test(`${name}: ${statement}`, () =>
      inFolder(async (dir) => {
        const index = await open(dir)
        await check(index).finally(() => index.close())
      }))
  changes(fact)
  if (!onlyChanges)
    for (const part of [titlesAndChunks, filters, access, order, words, wordConditions, facets, terms]) part(fact)
  test(`${name}: gives the same results as a scorer without an index in ${runs} random runs`, () =>
    runRandomOperations(open, { isPersistent, runs }))
  if (isPersistent) restarts(name, open)
}

type Fact = (statement: string, check: (index: SearchIndex) => Promise<void>) => void

function changes(fact: Fact): void {
  fact('a new index is empty at position 0', async (index) => {
    assert.deepEqual(await counts(index), { documents: 0, chunks: 0, position: 0, ...NO_VECTORS })
    assert.deepEqual(await idsOf(index, 'fox'), [])
  })

  fact('a document is found as soon as apply resolves', async (index) => {
    await put(index, doc('a', ['the quick fox']))
    assert.deepEqual(await idsOf(index, 'fox'), ['a'])
    assert.deepEqual(await counts(index), { documents: 1, chunks: 1, position: 1, ...NO_VECTORS })
  })

  fact('an upsert replaces every chunk of the document', async (index) => {
    await put(index, doc('a', ['fox', 'wolf', 'bear']))
    await put(index, doc('a', ['bear']))
    assert.deepEqual(await idsOf(index, 'fox wolf'), [])
    assert.deepEqual(await idsOf(index, 'bear'), ['a'])
    assert.deepEqual(await counts(index), { documents: 1, chunks: 1, position: 2, ...NO_VECTORS })
  })

  fact('a deleted document is neither found nor counted', async (index) => {
    await put(index, doc('a', ['fox']), doc('b', ['fox']))
    await index.apply({ upserts: [], deletes: ['a'], position: 2 })
    assert.deepEqual(await idsOf(index, 'fox'), ['b'])
    assert.equal((await index.search(query('fox'))).total, 1)
    assert.deepEqual(await counts(index), { documents: 1, chunks: 1, position: 2, ...NO_VECTORS })
  })

  fact('deleted and replaced documents do not affect scores', async (index) => {
    await put(index, doc('a', ['fox fox']), doc('b', ['a fox and a wolf']), doc('c', ['fox bear', 'fox']))
    await put(index, doc('a', ['wolf']))
    await index.apply({ upserts: [], deletes: ['c'], position: 3 })
    const documents = [doc('a', ['wolf']), doc('b', ['a fox and a wolf'])]
    assertExpected(await index.search(query('fox wolf')), documents, query('fox wolf'))
  })

  fact('a language disappears with its last document', async (index) => {
    const english = doc('en', ['The words der and und stand in this text, which is not about them'])
    await put(index, english, doc('de', ['Die Häuser und der Vertrag sind nicht in der Stadt']))
    await index.apply({ upserts: [], deletes: ['de'], position: 2 })
    const asked = query('der und text')
    assertExpected(await index.search(asked), [english], asked)
  })

  fact('documents are counted by language, most first, then by code', async (index) => {
    const german = 'Die Häuser und der Vertrag sind nicht in der Stadt'
    const french = 'Les maisons et le contrat ne sont pas dans la ville'
    await put(index, doc('a', [german, german]), doc('b', [german]), doc('c', [french]), doc('d', []))
    assert.deepEqual((await index.stats()).languages, languageCounts({ de: 2, en: 1, fr: 1 }))
    await put(index, doc('a', [french]), doc('c', [french, french]), doc('e', ['ბილეთი და სახლი']))
    assert.deepEqual((await index.stats()).languages, languageCounts({ fr: 2, de: 1, en: 1, und: 1 }))
    await index.apply({ upserts: [], deletes: ['c', 'd', 'unknown'], position: 3 })
    assert.deepEqual((await index.stats()).languages, languageCounts({ de: 1, fr: 1, und: 1 }))
  })

  fact('deleting an unknown id is not an error', async (index) => {
    await index.apply({ upserts: [doc('a', ['fox'])], deletes: ['nobody'], position: 1 })
    assert.deepEqual(await idsOf(index, 'fox'), ['a'])
  })

  fact('if an id is in both lists, the delete comes first', async (index) => {
    await put(index, doc('a', ['fox']))
    await index.apply({ upserts: [doc('a', ['wolf'])], deletes: ['a'], position: 2 })
    assert.deepEqual(await idsOf(index, 'fox wolf'), ['a'])
    assert.deepEqual(await idsOf(index, 'fox'), [])
  })

  fact('the last of two versions of a document in one batch is kept', async (index) => {
    await put(index, doc('a', ['fox']), doc('a', ['wolf']))
    assert.deepEqual(await idsOf(index, 'fox'), [])
    assert.deepEqual(await counts(index), { documents: 1, chunks: 1, position: 1, ...NO_VECTORS })
  })

  fact('an empty batch advances the position', async (index) => {
    await index.apply({ upserts: [], deletes: [], position: 7 })
    assert.equal((await index.stats()).position, 7)
  })

  fact('batches are applied in the order of the calls', async (index) => {
    const versions = Array.from({ length: 20 }, (_, at) => doc('a', [`version${at}`]))
    await Promise.all(versions.map((it, at) => index.apply({ upserts: [it], deletes: [], position: at + 1 })))
    assert.deepEqual(await idsOf(index, 'version19'), ['a'])
    assert.deepEqual(await counts(index), { documents: 1, chunks: 1, position: 20, ...NO_VECTORS })
  })

  fact('a search during a batch sees all or nothing of each document', async (index) => {
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
    assert.deepEqual(await counts(index), { documents: 1, chunks: 0, position: 1, ...NO_VECTORS })
  })

  fact('a document is found by its title, which counts twice', async (index) => {
    await put(
      index,
      { ...doc('content', ['fox', 'x']), title: 'wolf' },
      { ...doc('title', ['wolf', 'x']), title: 'fox' },
    )
    assert.deepEqual(await idsOf(index, 'fox'), ['title', 'content'])
  })

  fact('a hit shows the best chunk, or the first of equal ones', async (index) => {
    await put(index, doc('a', ['wolf', 'fox', 'fox fox bear']))
    const chunkOf = async (text: string) => (await index.search(query(text))).hits[0]!.chunk
    assert.deepEqual(await chunkOf('bear'), { chunk_ind: 2, content: 'fox fox bear', link: '#2' })
    await put(index, doc('a', ['wolf', 'fox', 'fox']))
    assert.equal((await chunkOf('fox')).chunk_ind, 1)
  })

  fact('hits include the requested number of texts, and the others only chunk numbers', async (index) => {
    await put(index, doc('a', ['wolf', 'fox fox']), doc('b', ['fox bear']), { ...doc('c', []), title: 'Big fox' })
    const whole = await index.search(query('fox'))
    const some = await index.search({ ...query('fox'), texts: 1 })
    const bare = ({ chunk_ind }: { chunk_ind: number }) => ({ chunk_ind, content: '', link: null })
    const hits = whole.hits.map((it, at) => (at < 1 ? it : { ...it, chunk: bare(it.chunk) }))
    assert.deepEqual(some, { ...whole, hits })
    assert.deepEqual((await index.search({ ...query('fox'), texts: 0 })).hits[0]!.chunk, bare(whole.hits[0]!.chunk))
    const places = some.hits.map(({ document_id, chunk }) => ({ document_id, chunk_ind: chunk.chunk_ind }))
    assert.deepEqual(
      await index.chunks(places),
      whole.hits.map((it) => it.chunk),
    )
  })

  fact('a chunk is returned in its current state, or as null if it was deleted', async (index) => {
    await put(index, doc('a', ['wolf', 'fox']), doc('b', ['bear']))
    await put(index, doc('a', ['hare']))
    await index.apply({ upserts: [], deletes: ['b'], position: 3 })
    const places = [
      { document_id: 'a', chunk_ind: 0 },
      { document_id: 'a', chunk_ind: 1 },
      { document_id: 'b', chunk_ind: 0 },
      { document_id: 'never', chunk_ind: 0 },
    ]
    assert.deepEqual(await index.chunks(places), [{ chunk_ind: 0, content: 'hare', link: '#0' }, null, null, null])
    assert.deepEqual(await index.chunks([]), [])
  })

  fact('a chunk is returned with its title, its kind of page and the matches of the query words', async (index) => {
    await put(
      index,
      { ...doc('a', ['The foxes ran past a fox.', 'wolf']), title: 'Foxes', page_kind: 'list' },
      doc('b', ['Ein Haus, zwei Häuser']),
    )
    const places = [
      { document_id: 'a', chunk_ind: 0, language: 'en' as const },
      { document_id: 'a', chunk_ind: 1, language: 'en' as const },
      { document_id: 'b', chunk_ind: 0, language: 'de' as const },
      { document_id: 'never', chunk_ind: 0, language: 'en' as const },
    ]
    assert.deepEqual(await index.chunksWithMatches('running fox Häuser', places), [
      {
        chunk_ind: 0,
        content: 'The foxes ran past a fox.',
        link: '#0',
        title: 'Foxes',
        page_kind: 'list',
        matches: [
          { word: 1, start: 4, end: 9, position: 1 },
          { word: 1, start: 21, end: 24, position: 5 },
        ],
      },
      { chunk_ind: 1, content: 'wolf', link: '#1', title: 'Foxes', page_kind: 'list', matches: [] },
      {
        chunk_ind: 0,
        content: 'Ein Haus, zwei Häuser',
        link: '#0',
        title: '',
        matches: [
          { word: 2, start: 4, end: 8, position: 1 },
          { word: 2, start: 15, end: 21, position: 3 },
        ],
      },
      null,
    ])
    assert.deepEqual(await index.chunksWithMatches('fox', []), [])
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

  fact('a word stored in two spellings counts once', async (index) => {
    const documents = [doc('a', ['The résumé of the report is what it says']), doc('b', ['the fox in the report'])]
    await put(index, ...documents)
    assertExpected(await index.search(query('résumé')), documents, query('résumé'))
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
    fact(`the filter ${JSON.stringify(filters)} passes ${ids.join(' ') || 'nothing'}`, async (index) => {
      await put(index, ...documents)
      const { hits, total } = await index.search({ ...query('fox'), filters })
      assert.deepEqual(
        hits.map((it) => it.document_id),
        ids,
      )
      assert.equal(total, ids.length)
    })
  }

  fact('changed filter values take effect without a change of the text', async (index) => {
    await put(index, { ...doc('a', ['fox']), source_type: 'web' })
    await put(index, { ...doc('a', ['fox']), source_type: 'file' })
    assert.equal((await index.search({ ...query('fox'), filters: { source_types: ['web'] } })).total, 0)
    assert.equal((await index.search({ ...query('fox'), filters: { source_types: ['file'] } })).total, 1)
  })
}

function access(fact: Fact): void {
  const ada = (groups: string[], pairs: number[]) => accessForPerson({ email: 'Ada@example.com', groups }, pairs)
  const cases: [asker: string, access: Query['access'], ids: string[]][] = [
    ['a caller without a name', accessForPerson({ email: null, groups: [] }, []), ['everybody']],
    ['a person', ada([], []), ['ada', 'everybody']],
    ['a member of a group', ada(['red'], []), ['ada', 'everybody', 'red']],
    ['a reader of a cc-pair', accessForPerson({ email: null, groups: [] }, [4]), ['everybody', 'pair']],
  ]
  for (const [asker, access, ids] of cases) {
    fact(`${asker} finds ${ids.join(' ')} and nothing else`, async (index) => {
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

  fact('a caller who loses access no longer finds the document', async (index) => {
    await put(index, doc('a', ['fox']))
    await put(index, { ...doc('a', ['fox']), access: ['group:red'] })
    assert.equal((await index.search(query('fox'))).total, 0)
  })
}

function order(fact: Fact): void {
  fact('equal scores are sorted by id, in UTF-16 code units', async (index) => {
    const ids = ['ﬀ', 'b', '😀', 'a', 'Z', 'aa']
    await put(index, ...ids.map((id) => doc(id, ['fox'])))
    assert.deepEqual(await idsOf(index, 'fox'), ['Z', 'a', 'aa', 'b', '😀', 'ﬀ'])
  })

  fact('pages contain every result once, and the total does not depend on the page', async (index) => {
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

  for (const sort of ['relevance', 'newest'] as const) {
    fact(
      `pages that start after the last hit contain every result once, by ${sort}, with ties on both sides`,
      async (index) => {
        const documents = Array.from({ length: 23 }, (_, at) => ({
          ...doc(`d${at}`, [`fox ${'bear '.repeat(at % 3)}`]),
          updated_at: at % 5 === 0 ? null : at % 4,
        }))
        await put(index, ...documents)
        const asked = { ...query('fox'), sort, limit: 4 }
        const whole = (await index.search({ ...asked, limit: 100 })).hits
        const paged = (await index.search(asked)).hits
        for (let page = paged; page.length > 0; paged.push(...page)) {
          const next = await index.search({ ...asked, after: page.at(-1)! })
          assert.equal(next.total, 23)
          page = next.hits
        }
        assert.deepEqual(paged, whole)
        assert.equal(whole.length, 23)
      },
    )
  }

  fact('sorting by time puts the newest first and undated documents last, each with its best chunk', async (index) => {
    await put(
      index,
      { ...doc('undated', ['fox']), updated_at: null },
      { ...doc('old', ['fox bear', 'fox fox']), updated_at: 1 },
      { ...doc('new', ['fox']), updated_at: 2 },
      { ...doc('also', ['fox']), updated_at: 2 },
      { ...doc('other', ['wolf']), updated_at: 3 },
    )
    const { hits, total } = await index.search({ ...query('fox'), sort: 'newest' })
    assert.deepEqual(
      hits.map((it) => [it.document_id, it.updated_at, it.chunk.content]),
      [
        ['also', 2, 'fox'],
        ['new', 2, 'fox'],
        ['old', 1, 'fox fox'],
        ['undated', null, 'fox'],
      ],
    )
    assert.equal(total, 4)
  })

  fact('a query without words lists everything that meets the conditions, newest first', async (index) => {
    await put(
      index,
      { ...doc('old', ['fox', 'the red fox']), updated_at: 1, source_type: 'file' },
      { ...doc('new', ['wolf']), updated_at: 2, source_type: 'file' },
      { ...doc('elsewhere', ['fox']), updated_at: 3 },
      { ...doc('hidden', ['fox']), updated_at: 4, source_type: 'file', access: [] },
    )
    const idsFor = async (asked: Partial<Query>) => {
      const { hits, total } = await index.search({ ...query(''), ...asked })
      assert.equal(total, hits.length)
      assert.ok(hits.every((it) => it.score === 0))
      return hits.map((it) => it.document_id)
    }
    assert.deepEqual(await idsFor({ filters: { source_types: ['file'] } }), ['new', 'old'])
    assert.deepEqual(await idsFor({ sort: 'newest' }), ['elsewhere', 'new', 'old'])
    assert.deepEqual(await idsFor({ excluded: ['wolf'] }), ['elsewhere', 'old'])
    assert.deepEqual(await idsFor({ phrases: ['red fox'] }), ['old'])
    assert.deepEqual(await idsFor({ phrases: ['?!'] }), [])
    const { hits } = await index.search({ ...query('?!'), phrases: ['red fox'] })
    assert.equal(hits[0]!.chunk.content, 'the red fox')
  })

  fact('a limit of 0 returns only counts', async (index) => {
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

function wordConditions(fact: Fact): void {
  const documents: IndexDocument[] = [
    { ...doc('report', ['The annual report of 2024', 'Budget of the board']), title: 'Finance' },
    { ...doc('title', ['Budget figures', 'More figures']), title: 'Annual report' },
    { ...doc('apart', ['annual', 'report']), title: '' },
    { ...doc('swapped', ['report annual']), title: 'report' },
    { ...doc('id', ['see PROJ-123 and its state-of-the-art report']), title: 'Notes' },
    { ...doc('german', ['Die neuen Verträge und die Häuser sind nicht in der Stadt']), title: 'Bericht' },
  ]
  const cases: [asked: Partial<Query>, ids: string[]][] = [
    [{ phrases: ['annual report'] }, ['report', 'title']],
    [{ phrases: ['Annual reports', 'budgets of the'] }, ['report']],
    [{ phrases: ['of the'] }, ['id', 'report']],
    [{ phrases: ['of board'] }, []],
    [{ phrases: ['report'] }, ['apart', 'id', 'report', 'swapped', 'title']],
    [{ phrases: ['proj 123 and'] }, ['id']],
    [{ phrases: ['neue Vertrage'] }, ['german']],
    [{ required: ['annual', 'report'] }, ['apart', 'report', 'swapped', 'title']],
    [{ required: ['PROJ-123'] }, ['id']],
    [{ required: ['PROJ-124'] }, []],
    [{ required: ['state-of-the-art'] }, ['id']],
    [{ required: ['report'], excluded: ['budget'] }, ['apart', 'id', 'swapped']],
    [{ excluded: ['report', 'Vertrag'] }, []],
    [{ excluded: ['annual report'], required: ['annual'] }, ['apart', 'swapped']],
    [{ excluded: ['state-of-the-art'] }, ['apart', 'german', 'report', 'swapped', 'title']],
    [{ titleWords: ['report'] }, ['swapped', 'title']],
    [{ titleWords: ['reports', 'annual'] }, ['title']],
    [{ titleWords: ['figures'] }, []],
    [{ titleWords: ['annual report'] }, ['title']],
  ]
  for (const [asked, ids] of cases) {
    fact(`${JSON.stringify(asked)} finds ${ids.join(' ') || 'nothing'}`, async (index) => {
      await put(index, ...documents)
      const { hits, total, total_relation } = await index.search({ ...query(''), ...asked })
      assert.deepEqual(
        hits.map((it) => it.document_id),
        ids,
      )
      assert.deepEqual([total, total_relation], [ids.length, 'eq'])
    })
  }

  fact('a hit shows a chunk with one of the phrases even if another chunk scores higher', async (index) => {
    await put(index, doc('a', ['budget budget', 'the annual report and its budget', 'annual report']))
    const { hits } = await index.search({ ...query('budget'), phrases: ['annual report'] })
    assert.deepEqual(
      hits.map((it) => it.chunk.chunk_ind),
      [1],
    )
  })

  fact('a phrase in the title applies to every chunk of the document', async (index) => {
    await put(index, { ...doc('a', ['wolf', 'fox']), title: 'annual report' })
    const { hits } = await index.search({ ...query('fox'), phrases: ['annual report'] })
    assert.deepEqual(
      hits.map((it) => it.chunk.content),
      ['fox'],
    )
  })

  fact('unreadable documents meet no condition and do not count in facets', async (index) => {
    const asked: Query = {
      ...query('fox'),
      phrases: ['red fox'],
      facets: [
        { field: 'source_type', size: 10 },
        { field: 'author', size: 10 },
      ],
    }
    const visible = Array.from({ length: 5 }, (_, at) => doc(`v${at}`, [`the red fox ${'and a wolf '.repeat(at)}`]))
    await put(index, ...visible)
    const before = await index.search(asked)
    const hidden = Array.from({ length: 100 }, (_, at) => ({
      ...doc(`h${at}`, ['the red fox']),
      source_type: 'secret',
      authors: [{ name: 'Mallory', email: null }],
      access: ['group:other'],
    }))
    await put(index, ...hidden)
    const after = await index.search(asked)
    assert.deepEqual({ ...after, hits: ids(after) }, { ...before, hits: ids(before) })
  })
}

const ids = ({ hits }: SearchResult): string[] => hits.map((it) => it.document_id)

function facets(fact: Fact): void {
  const ada = { name: 'Ada Lovelace', email: 'ada@example.com' }
  const zoe = { name: 'Zoë', email: null }
  const documents: IndexDocument[] = [
    { ...doc('a', ['fox']), updated_at: 10, cc_pair_ids: [1], tags: [tag('team', 'red')], authors: [ada] },
    {
      ...doc('b', ['fox', 'fox']),
      updated_at: 20,
      cc_pair_ids: [1, 2],
      tags: [tag('team', 'blue'), tag('team', 'blue')],
      authors: [zoe, ada],
    },
    { ...doc('c', ['fox']), source_type: 'file', updated_at: null, authors: [zoe] },
    { ...doc('d', ['wolf']), source_type: 'file', updated_at: 20, authors: [ada] },
    { ...doc('e', ['fox']), source_type: 'mail', updated_at: 20, access: ['group:other'], authors: [ada] },
  ]
  const counts = async (index: SearchIndex, asked: Partial<Query>) => {
    const { facets } = await index.search({ ...query('fox'), ...asked })
    assert.ok(facets.every((it) => it.count_relation === 'eq'))
    return facets.map((it) => it.values.map(({ value, count }) => [value, count]))
  }

  fact('facets count the matching documents, sorted by count and then by value', async (index) => {
    await put(index, ...documents)
    const found = await counts(index, {
      limit: 1,
      facets: [
        { field: 'source_type', size: 10 },
        { field: 'author', size: 10 },
        { field: 'cc_pair', size: 1 },
        { field: 'tag', size: 10 },
        {
          field: 'time',
          spans: [
            { value: 'new', from: 11 },
            { value: 'ever', until: 20 },
            { value: 'future', from: 21 },
          ],
        },
      ],
    })
    assert.deepEqual(found, [
      [
        ['web', 2],
        ['file', 1],
      ],
      [
        ['Ada Lovelace', 2],
        ['Zoë', 2],
      ],
      [[1, 2]],
      [
        [tag('team', 'blue'), 1],
        [tag('team', 'red'), 1],
      ],
      [
        ['new', 1],
        ['ever', 2],
        ['future', 0],
      ],
    ])
  })

  fact('a facet ignores only the filter of its own field', async (index) => {
    await put(index, ...documents)
    const found = await counts(index, {
      filters: { source_types: ['file'], authors: ['zoe'] },
      facets: [
        { field: 'source_type', size: 10 },
        { field: 'author', size: 10 },
      ],
    })
    assert.deepEqual(found, [
      [
        ['file', 1],
        ['web', 1],
      ],
      [['Zoë', 1]],
    ])
  })

  const authorCases: [asked: string, ids: string[]][] = [
    ['ada', ['a', 'b']],
    ['LOVELACE', ['a', 'b']],
    ['ada  lovelace', ['a', 'b']],
    ['Ada@Example.com', ['a', 'b']],
    ['zoe', ['b', 'c']],
    ['love', []],
    ['', []],
  ]
  for (const [author, found] of authorCases) {
    fact(`"${author}" as an author finds ${found.join(' ') || 'nothing'}`, async (index) => {
      await put(index, ...documents)
      const result = await index.search({ ...query('fox'), filters: { authors: [author] } })
      assert.deepEqual(ids(result).toSorted(), found)
    })
  }

  fact('with facets, the total is exact for any number of matches', async (index) => {
    await put(index, ...Array.from({ length: 1_200 }, (_, at) => doc(`d${at}`, ['fox'])))
    const found = await index.search({ ...query('fox'), facets: [{ field: 'source_type', size: 1 }] })
    assert.deepEqual([found.total, found.total_relation], [1_200, 'eq'])
    assert.deepEqual(found.facets[0]!.values, [{ value: 'web', count: 1_200 }])
  })
}

function terms(fact: Fact): void {
  fact('a word is found even if hundreds of more common words with the prefix are hidden', async (index) => {
    const common = Array.from({ length: 300 }, (_, at) => `commonword${at}`).join(' ')
    const hidden = ['h1', 'h2'].map((id) => ({ ...doc(id, [common]), access: ['group:other'] }))
    await put(index, ...hidden, doc('a', ['a commonplace and a commontary']))
    const asked = { prefix: 'common', access: accessForPerson({ email: null, groups: [] }, []), filters: {} }
    for (const limit of [1, 10]) {
      const found = await index.terms({ ...asked, limit })
      assert.deepEqual(
        found.map((it) => [it.spelling, it.documents]),
        [
          ['commonplace', 1],
          ['commontary', 1],
        ].slice(0, limit),
      )
    }
    await put(index, { ...doc('b', ['commontary']), access: ['group:other'] }, { ...doc('h1', ['nothing']) })
    assert.equal((await index.terms({ ...asked, limit: 10 })).length, 2)
  })

  const documents: IndexDocument[] = [
    { ...doc('a', ['The management reports of 2024', 'reporting to management']), title: 'Résumé' },
    { ...doc('b', ['a report on PROJ-123']), source_type: 'file' },
    doc('c', ['Die neuen Verträge und der alte Vertrag sind nicht in der Stadt']),
    { ...doc('hidden', ['the reporter of management managed it']), access: ['group:other'] },
  ]
  const everybody = accessForPerson({ email: null, groups: [] }, [])
  type Asked = { prefix: string } | { near: string; max_edits: 1 | 2 }
  const cases: [asked: Asked, found: [term: string, spelling: string, edits: number, documents: number][]][] = [
    [
      { prefix: 'rep' },
      [
        ['report', 'report', 0, 2],
        ['reporting', 'reporting', 0, 2],
        ['reports', 'reports', 0, 2],
      ],
    ],
    [{ prefix: 'Managem' }, [['management', 'management', 0, 1]]],
    [{ prefix: 'proj-' }, [['proj-123', 'proj-123', 0, 1]]],
    [{ prefix: 'resu' }, [['resume', 'résumé', 0, 1]]],
    [
      { prefix: 'vertr' },
      [
        ['vertrag', 'vertrag', 0, 1],
        ['vertrage', 'verträge', 0, 1],
      ],
    ],
    [{ near: 'managment', max_edits: 1 }, [['management', 'management', 1, 1]]],
    [{ near: 'reproting', max_edits: 1 }, [['reporting', 'reporting', 1, 2]]],
    [
      { near: 'reporter', max_edits: 2 },
      [
        ['report', 'report', 2, 2],
        ['reports', 'reports', 2, 2],
      ],
    ],
    [{ near: 'Verträgen', max_edits: 1 }, [['vertrage', 'verträge', 1, 1]]],
    [{ near: 'unheard', max_edits: 2 }, []],
  ]
  for (const [asked, found] of cases) {
    fact(`${JSON.stringify(asked)} gives ${found.map((it) => it[1]).join(' ') || 'no word'}`, async (index) => {
      await put(index, ...documents)
      const answer = await index.terms({ ...asked, access: everybody, filters: {}, limit: 10 })
      assert.deepEqual(
        answer.map((it) => [it.term, it.spelling, it.edits, it.documents]),
        found,
      )
    })
  }

  fact('words are counted in documents that meet the filters, and a limit keeps the first ones', async (index) => {
    await put(index, ...documents)
    const asked = { prefix: 're', access: everybody, limit: 1 }
    assert.deepEqual(await index.terms({ ...asked, filters: { source_types: ['file'] } }), [
      { term: 'report', spelling: 'report', edits: 0, documents: 1 },
    ])
    assert.deepEqual(await index.terms({ ...asked, filters: {}, limit: 0 }), [])
  })

  fact('unreadable documents do not affect suggested words', async (index) => {
    await put(index, ...documents)
    const asked = { prefix: '', access: everybody, filters: {}, limit: 100 }
    const before = await index.terms(asked)
    const text = 'reporter reporters reported managed zebra Verträgen resume of the'
    await put(index, ...Array.from({ length: 100 }, (_, at) => ({ ...doc(`h${at}`, [text]), access: ['group:other'] })))
    assert.deepEqual(await index.terms(asked), before)
  })

  fact('the words of the last of two versions in one batch are known', async (index) => {
    await put(index, doc('a', ['zebras and reporting']), doc('a', ['zebras and reports']))
    for (const [prefix, found] of [
      ['z', ['zebras']],
      ['rep', ['reports']],
    ] as const) {
      const answer = await index.terms({ prefix, access: everybody, filters: {}, limit: 10 })
      assert.deepEqual(
        answer.map((it) => it.term),
        found,
      )
    }
  })

  fact('a word disappears with the last document that contains it', async (index) => {
    await put(index, doc('a', ['reporting']), doc('b', ['report']))
    await index.apply({ upserts: [], deletes: ['a'], position: 2 })
    const found = await index.terms({ prefix: 'rep', access: everybody, filters: {}, limit: 10 })
    assert.deepEqual(
      found.map((it) => it.term),
      ['report'],
    )
  })
}

function restarts(name: string, open: Open): void {
  test(`${name}: a reopened index has its state at its position`, () =>
    inFolder(async (dir) => {
      const batches: IndexBatch[] = Array.from({ length: 12 }, (_, at) => ({
        upserts: [
          doc(`d${at}`, [at % 2 === 0 ? `fox number${at}` : 'Der Fuchs und das Haus']),
          doc('same', [`version${at}`]),
        ],
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

/** Each run uses its own index in its own folder. */
export async function runRandomOperations(open: Open, { isPersistent, runs = 200 }: ContractOptions): Promise<void> {
  await fc.assert(
    fc.asyncProperty(randomSteps, (steps) => inFolder((dir) => runSteps(open, dir, steps, isPersistent))),
    { numRuns: runs },
  )
}

async function runSteps(open: Open, dir: string, steps: readonly Step[], isPersistent: boolean): Promise<void> {
  let index = await open(dir)
  let batches: IndexBatch[] = []
  try {
    for (const step of steps) {
      if ('batch' in step) {
        const batch = { ...step.batch, position: (batches.at(-1)?.position ?? 0) + 1 }
        batches.push(batch)
        await index.apply(batch)
      } else if ('query' in step) {
        assertExpected(await index.search(step.query), documentsAfter(batches), step.query)
      } else if ('terms' in step) {
        assert.deepEqual(await index.terms(step.terms), expectedTerms(documentsAfter(batches), step.terms))
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

/** Asserts that the index contains the result of the batches up to its position, and returns these batches. */
async function assertHolds(index: SearchIndex, batches: readonly IndexBatch[]): Promise<IndexBatch[]> {
  const { position, ...found } = await counts(index)
  const applied = batches.filter((it) => it.position <= position)
  assert.equal(position, applied.at(-1)?.position ?? 0)
  const documents = documentsAfter(applied)
  const chunks = documents.reduce((sum, it) => sum + it.chunks.length, 0)
  assert.deepEqual(found, { documents: documents.length, chunks, ...NO_VECTORS })
  assert.deepEqual((await index.stats()).languages, expectedLanguages(documents))
  for (const text of ['report budget', 'fox version3 number9', 'PROJ-123 Haus']) {
    const asked = { ...query(text), access: accessForPerson({ email: 'ada@example.com', groups: ['red'] }, [1]) }
    assertExpected(await index.search(asked), documents, asked)
  }
  return applied
}

/** Asserts that a search of every document finds what it should. */
export function assertExpected(found: SearchResult, documents: readonly IndexDocument[], query: Query): void {
  const expected = expectedHits(documents, query)
  assertAnswer(found, { expected, behind: behind(expected, query, documents) }, query)
  assert.deepEqual(found.facets, expectedFacets(documents, query))
}

/**
 * Asserts that both have the same documents with the same scores. Documents with nearly equal scores may be in any
 * order.
 */
export function assertAnswer(
  found: SearchResult,
  { expected, behind }: { expected: readonly Expected[]; behind: readonly Expected[] },
  { offset, limit, sort }: Query,
): void {
  const isByTime = sort === 'newest' || expected.every((it) => it.score === 0)
  if (found.total_relation === 'eq') assert.equal(found.total, expected.length)
  else assert.ok(found.total <= expected.length && found.total >= found.hits.length)
  assert.equal(found.hits.length, Math.max(0, Math.min(limit, behind.length - offset)))
  assert.equal(new Set(found.hits.map((it) => it.document_id)).size, found.hits.length)
  const byId = new Map(behind.map((it) => [it.document_id, it]))
  for (const [at, { document_id, score, updated_at, chunk }] of found.hits.entries()) {
    const own = byId.get(document_id)
    const there = behind[offset + at]!
    assert.ok(own !== undefined, `${document_id} should not be found`)
    assert.ok(Math.abs(score - own.score) < 1e-6, `${document_id} has the score ${score} instead of ${own.score}`)
    const isAsGood = !isByTime && Math.abs(score - there.score) < 1e-6
    assert.ok(isAsGood || document_id === there.document_id, `${document_id} stands at the wrong place ${at}`)
    assert.equal(updated_at, own.updated_at)
    assert.ok(own.chunks.some((it) => it.chunk_ind === chunk.chunk_ind && it.content === chunk.content))
  }
}

/** Larger corpora than the random runs: both indexes get the same operations and must give the same results. */
export async function compareWithPlain(
  { plain, other }: { plain: SearchIndex; other: SearchIndex },
  { documents, queries, seed }: { documents: number; queries: number; seed: number },
): Promise<void> {
  const random = seeded(seed)
  // Zipf's law: the nth word is about n times rarer than the first.
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
    authors: [{ name: `Author ${random.below(30)}`, email: null }],
    cc_pair_ids: [random.below(6)],
    access: [random.below(2) === 0 ? 'public' : `group:${random.below(20)}`],
  })
  for (let position = 1; position <= documents / 100; position++) {
    const upserts = Array.from({ length: 120 }, () => made(random.below(documents)))
    const batch = { upserts, deletes: Array.from({ length: 10 }, () => `d${random.below(documents)}`), position }
    await Promise.all([plain.apply(batch), other.apply(batch)])
  }
  assert.deepEqual(await counts(other), await counts(plain))
  for (let at = 0; at < queries; at++) {
    const groups = Array.from({ length: random.below(20) }, () => `${random.below(20)}`)
    const filtered: Query['filters'] = { source_types: ['source1', 'source2'], updated_from: random.below(1_000) }
    const asked: Query = {
      text: Array.from({ length: 1 + random.below(6) }, word).join(' '),
      access: accessForPerson({ email: null, groups }, []),
      filters: random.below(2) === 0 ? {} : filtered,
      offset: random.below(3) * 10,
      limit: 10,
    }
    await assertAlike({ plain, other }, asked, documents)
    const more: Query = {
      ...asked,
      ...(random.below(2) === 0 && { phrases: [`${word()} ${word()}`] }),
      ...(random.below(2) === 0 && { required: [word()] }),
      ...(random.below(2) === 0 && { excluded: [word()] }),
      ...(random.below(4) === 0 && { titleWords: [word()] }),
      ...(random.below(2) === 0 && { sort: 'newest' as const }),
      facets: [
        { field: 'source_type', size: 3 },
        { field: 'author', size: 10 },
        { field: 'tag', size: 10 },
        {
          field: 'time',
          spans: [
            { value: 'old', until: 500 },
            { value: 'new', from: 400 },
          ],
        },
      ],
    }
    await assertAlike({ plain, other }, more, documents)
    await assertAlike({ plain, other }, { ...more, text: '' }, documents)
  }
}

/** If the other index could not read everything, its hits must be correct and its counts must not be too high. */
async function assertAlike(
  { plain, other }: { plain: SearchIndex; other: SearchIndex },
  asked: Query,
  documents: number,
): Promise<void> {
  const found = await other.search(asked)
  const whole = await plain.search({ ...asked, offset: 0, limit: documents })
  const expected = whole.hits.map((it) => ({ ...it, chunks: [it.chunk] }))
  const isCut = (asked.phrases ?? []).length > 0 && found.total_relation === 'gte'
  if (!isCut) {
    assertAnswer(found, { expected, behind: expected }, asked)
    assert.deepEqual(found.facets, whole.facets)
    return
  }
  assert.ok(found.total <= whole.total)
  const scores = new Map(whole.hits.map((it) => [it.document_id, it.score]))
  for (const { document_id, score } of found.hits) assert.ok(Math.abs(score - scores.get(document_id)!) < 1e-6)
}
/** The counts that every index reports. */
async function counts(index: SearchIndex): Promise<Omit<IndexStats, 'languages'>> {
  const { segments: _, memory_bytes: __, stalled: ___, languages: ____, ...same } = await index.stats()
  return same
}

const languageCounts = (counts: Record<string, number>) =>
  Object.entries(counts).map(([language, documents]) => ({ language, documents }))

/** The counts of an index without vectors. */
const NO_VECTORS = { vectors: 0, vectors_missing: 0 }

const tag = (tag_key: string, tag_value: string) => ({ tag_key, tag_value })

const doc = (id: string, contents: readonly string[]): IndexDocument => ({
  document_id: id,
  title: '',
  source_type: 'web',
  updated_at: null,
  tags: [],
  authors: [],
  cc_pair_ids: [],
  access: ['public'],
  chunks: contents.map((content, chunk_ind) => ({ chunk_ind, content, link: `#${chunk_ind}` })),
})

const put = async (index: SearchIndex, ...upserts: IndexDocument[]): Promise<void> =>
  index.apply({ upserts, deletes: [], position: (await index.stats()).position + 1 })

const query = (text: string): Query => ({
  text,
  access: accessForPerson({ email: null, groups: [] }, []),
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
