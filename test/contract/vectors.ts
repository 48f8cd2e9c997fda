// The vector contract of every search index.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { accessForPerson, mayRead } from '../../src/domain/access.ts'
import type {
  CandidateQuery,
  Hit,
  IndexBatch,
  IndexDocument,
  NearestQuery,
  SearchIndex,
  UnembeddedChunk,
  VectorOptions,
} from '../../src/search-index/search-index.ts'
import { queryTerms } from '../../src/text/query-terms.ts'
import { assertCandidates, similarityOf } from './candidates.ts'
import { DIMENSION, dot, embed, MODEL } from './embedding.ts'
import { documentsAfter, findablePieces, languageOf, meets, meetsWords } from './exhaustive-index.ts'
import { asker, batch, conditions, text } from './random-operations.ts'

/** Opens an index in an empty folder or reopens an existing one. */
export type OpenWithVectors = (dir: string, vectors?: VectorOptions) => Promise<SearchIndex>

export interface VectorContractOptions {
  /** True if a second `open` on the same folder finds what the first one left. */
  isPersistent: boolean
  runs?: number
}

type Fact = (statement: string, check: (index: SearchIndex) => Promise<void>) => void

export function vectorContract(
  name: string,
  open: OpenWithVectors,
  { isPersistent, runs = 200 }: VectorContractOptions,
): void {
  const factOf =
    (vectors?: VectorOptions): Fact =>
    (statement, check) =>
      test(`${name}: ${statement}`, () =>
        inFolder(async (dir) => {
          const index = await open(dir, vectors)
          await check(index).finally(() => index.close())
        }))
  withoutVectors(factOf())
  const fact = factOf(MODEL)
  arrivals(fact)
  texts(fact)
  pages(fact)
  refusals(fact)
  ranking(fact)
  candidates(fact)
  leaks(fact)
  test(`${name}: nearest and candidates give the same results as an exact scan in ${runs} random runs`, () =>
    runRandomVectorOperations(open, { isPersistent, runs }))
  if (isPersistent) restarts(name, open)
}

function withoutVectors(fact: Fact): void {
  fact('an index opened without vectors lists none as missing, finds none and stores none', async (index) => {
    await put(index, doc('a', ['fox']))
    assert.deepEqual(await index.chunksWithoutVector({ limit: 5 }), { chunks: [], next: null })
    assert.deepEqual(await index.nearest(asked('fox')), { hits: [] })
    assert.equal((await index.candidates(candidatesFor('fox'))).isSemantic, false)
    const vector = embed('', 'fox')
    await assert.rejects(
      index.setVectors([{ document_id: 'a', chunk_ind: 0, hash: '0'.repeat(16), vector }]),
      /opened without vectors/,
    )
    const { vectors, vectors_missing } = await index.stats()
    assert.deepEqual([vectors, vectors_missing], [0, 0])
  })
}

function arrivals(fact: Fact): void {
  fact('a document is found by its text at once and by its vector when setVectors resolves', async (index) => {
    await put(index, doc('a', ['fox']))
    assert.deepEqual(await index.nearest(asked('fox')), { hits: [] })
    assert.deepEqual(await countsOf(index), { vectors: 0, vectors_missing: 1 })
    await embedAll(index)
    assert.deepEqual(await idsOf(index, 'fox'), ['a'])
    assert.deepEqual(await countsOf(index), { vectors: 1, vectors_missing: 0 })
  })

  fact('an index without stored vectors finds nothing by a vector', async (index) => {
    assert.deepEqual(await index.nearest(asked('fox')), { hits: [] })
    assert.deepEqual(await index.chunksWithoutVector({ limit: 5 }), { chunks: [], next: null })
    await index.setVectors([])
  })

  fact('a new vector replaces the old vector of a chunk', async (index) => {
    await put(index, doc('a', ['fox']))
    const { chunks } = await index.chunksWithoutVector({ limit: 5 })
    await index.setVectors(chunks.map((it) => ({ ...it, vector: embed('', 'bear') })))
    await index.setVectors(chunks.map((it) => ({ ...it, vector: embed('', 'wolf') })))
    const { hits } = await index.nearest(asked('wolf'))
    assert.equal(hits[0]!.score, dot(embed('', 'wolf'), embed('', 'wolf')))
    assert.deepEqual(await countsOf(index), { vectors: 1, vectors_missing: 0 })
  })

  fact('a vector for a text that was replaced meanwhile is skipped', async (index) => {
    await put(index, doc('a', ['fox', 'bear']))
    const { chunks } = await index.chunksWithoutVector({ limit: 5 })
    await put(index, doc('a', ['wolf', 'bear']))
    await index.setVectors(chunks.map(vectorOf))
    const { hits } = await index.nearest(asked('fox'))
    assert.deepEqual(
      hits.map((it) => it.chunk.content),
      ['bear'],
    )
    assert.deepEqual((await index.nearest({ ...asked('fox'), texts: 0 })).hits[0]!.chunk, {
      chunk_ind: 1,
      content: '',
      link: null,
    })
    const missing = await index.chunksWithoutVector({ limit: 5 })
    assert.deepEqual(
      missing.chunks.map((it) => it.content),
      ['wolf'],
    )
  })

  fact('a vector for a title that was replaced meanwhile is skipped', async (index) => {
    await put(index, { ...doc('a', ['fox']), title: 'old' })
    const { chunks } = await index.chunksWithoutVector({ limit: 5 })
    await put(index, { ...doc('a', ['fox']), title: 'new' })
    await index.setVectors(chunks.map(vectorOf))
    assert.deepEqual(await countsOf(index), { vectors: 0, vectors_missing: 1 })
  })

  fact('a vector for a missing document or chunk is skipped', async (index) => {
    await put(index, doc('a', ['fox']), doc('b', ['fox', 'bear']))
    const { chunks } = await index.chunksWithoutVector({ limit: 5 })
    await index.apply({ upserts: [doc('b', ['fox'])], deletes: ['a'], position: 2 })
    await index.setVectors(chunks.map(vectorOf))
    assert.deepEqual(await idsOf(index, 'fox'), ['b'])
    assert.deepEqual(await countsOf(index), { vectors: 1, vectors_missing: 0 })
  })

  fact('a deleted document is not found by its vector', async (index) => {
    await put(index, doc('a', ['fox']), doc('b', ['fox']))
    await embedAll(index)
    await index.apply({ upserts: [], deletes: ['a'], position: 2 })
    assert.deepEqual(await idsOf(index, 'fox'), ['b'])
    assert.deepEqual(await countsOf(index), { vectors: 1, vectors_missing: 0 })
  })

  fact('a document that is sent again keeps the vectors of unchanged texts', async (index) => {
    await put(index, doc('a', ['fox', 'bear']))
    await embedAll(index)
    await put(index, { ...doc('a', ['wolf', 'fox', 'bear']), source_type: 'file' })
    assert.deepEqual(await countsOf(index), { vectors: 2, vectors_missing: 1 })
    const { hits } = await index.nearest({ ...asked('fox'), filters: { source_types: ['file'] } })
    assert.deepEqual(hits, [
      {
        document_id: 'a',
        score: dot(embed('', 'fox'), embed('', 'fox')),
        updated_at: null,
        chunk: chunkOf('fox', 1),
        language: 'en',
      },
    ])
  })

  fact('a document that is deleted and sent again in one batch keeps its vectors', async (index) => {
    await put(index, doc('a', ['fox']))
    await embedAll(index)
    await index.apply({ upserts: [doc('a', ['fox'])], deletes: ['a'], position: 2 })
    assert.deepEqual(await countsOf(index), { vectors: 1, vectors_missing: 0 })
  })

  fact('a search during updates never sees a vector of another text', async (index) => {
    for (let round = 0; round < 15; round++) {
      await put(index, ...Array.from({ length: 6 }, (_, at) => doc(`d${at}`, [`fox ${round}`, `mark${round} ${at}`])))
      const embedded = embedAll(index)
      const answers = Array.from({ length: 6 }, () => index.nearest(asked(`fox mark${round}`)))
      for (const { hits } of await Promise.all(answers)) assertOwnScores(hits, `fox mark${round}`)
      await embedded
      assert.equal((await index.nearest(asked('fox'))).hits.length, 6)
    }
  })
}

function texts(fact: Fact): void {
  fact('a chunk without vector is returned with its text and its number', async (index) => {
    await put(index, { ...doc('a', ['fox', 'bear']), title: 'Animals' })
    const { chunks, next } = await index.chunksWithoutVector({ limit: 5 })
    assert.equal(next, null)
    assert.deepEqual(
      chunks.map(({ hash: _, ...rest }) => rest).sort((a, b) => a.chunk_ind - b.chunk_ind),
      [
        { document_id: 'a', chunk_ind: 0, title: 'Animals', content: 'fox' },
        { document_id: 'a', chunk_ind: 1, title: 'Animals', content: 'bear' },
      ],
    )
  })

  fact('a text that occurs twice in a document is embedded once', async (index) => {
    await put(index, doc('a', ['fox', 'bear', 'fox']))
    assert.deepEqual(await countsOf(index), { vectors: 0, vectors_missing: 2 })
    await embedAll(index)
    const { hits } = await index.nearest(asked('fox'))
    assert.equal(hits[0]!.chunk.chunk_ind, 0)
  })

  fact('the same text in two documents is embedded for each and deleted with each', async (index) => {
    await put(index, doc('a', ['fox']), doc('b', ['fox']))
    await embedAll(index)
    assert.deepEqual(await countsOf(index), { vectors: 2, vectors_missing: 0 })
    await put(index, doc('a', ['bear']))
    assert.deepEqual(await idsOf(index, 'fox'), ['b'])
  })

  fact('a text without letters is never embedded', async (index) => {
    await put(index, doc('a', ['', ' -\n']), doc('b', []))
    assert.deepEqual(await index.chunksWithoutVector({ limit: 5 }), { chunks: [], next: null })
  })

  fact('a document without chunks is embedded by its title', async (index) => {
    await put(index, { ...doc('a', []), title: 'fox' })
    await embedAll(index)
    const { hits } = await index.nearest(asked('fox'))
    assert.deepEqual(hits[0]!.chunk, { chunk_ind: 0, content: '', link: null })
  })
}

function pages(fact: Fact): void {
  const documents = Array.from({ length: 7 }, (_, at) => doc(`d${at}`, [`fox ${at}`, `bear ${at}`, `wolf ${at}`]))

  fact('the pages contain every text without a vector', async (index) => {
    for (const it of documents) await put(index, it)
    const found = await allPages(index, 4, async () => {})
    assert.deepEqual(
      [...new Set(found.map((it) => it.content))].sort(),
      documents.flatMap((it) => it.chunks.map((chunk) => chunk.content)).sort(),
    )
  })

  fact('a page may or may not be embedded before the next one is requested', async (index) => {
    for (const it of documents) await put(index, it)
    let page = 0
    const found = await allPages(index, 4, async (chunks) => {
      if (page++ % 2 === 0) await index.setVectors(chunks.map(vectorOf))
    })
    assert.equal(new Set(found.map((it) => it.content)).size, 21)
    const { vectors, vectors_missing } = await index.stats()
    assert.equal(vectors + vectors_missing, 21)
    await allPages(index, 4, (chunks) => index.setVectors(chunks.map(vectorOf)))
    assert.deepEqual(await countsOf(index), { vectors: 21, vectors_missing: 0 })
  })

  fact('a chunk that lacks a vector during all pages is in one of them, whatever changes in between', async (index) => {
    for (const it of documents) await put(index, it)
    let number = 0
    const found = await allPages(index, 2, () => put(index, doc(`new${number % 5}`, [`hare ${number++}`])), 40)
    for (const { chunks } of documents) {
      for (const { content } of chunks) assert.ok(found.some((it) => it.content === content))
    }
  })
}

function refusals(fact: Fact): void {
  const vectors: [what: string, vector: Float32Array, message: RegExp][] = [
    ['too few values', new Float32Array(DIMENSION - 1), /"a", chunk 1, has dimension 23, but test has 24/],
    ['too many values', new Float32Array(DIMENSION + 1), /has dimension 25/],
    ['NaN', new Float32Array(DIMENSION).fill(Number.NaN, 3), /has the value NaN at index 3/],
    ['infinity', new Float32Array(DIMENSION).fill(Infinity, 0, 1), /has the value Infinity at index 0/],
  ]
  for (const [what, vector, message] of vectors) {
    fact(`a vector with ${what} is rejected together with all others of the call`, async (index) => {
      await put(index, doc('a', ['fox', 'bear']))
      const { chunks } = await index.chunksWithoutVector({ limit: 5 })
      const given = chunks.map((it) => (it.chunk_ind === 1 ? { ...it, vector } : vectorOf(it)))
      await assert.rejects(index.setVectors(given), message)
      assert.deepEqual(await countsOf(index), { vectors: 0, vectors_missing: 2 })
      await assert.rejects(index.nearest({ ...asked('fox'), vector }), /the vector of the query has/)
      await assert.rejects(index.candidates({ ...candidatesFor('fox'), vector }), /the vector of the query has/)
      await embedAll(index)
      assert.deepEqual(await idsOf(index, 'fox'), ['a'])
    })
  }
}

function ranking(fact: Fact): void {
  fact('a hit shows the nearest chunk with its dot product', async (index) => {
    await put(index, doc('a', ['bear', 'fox', 'wolf']))
    await embedAll(index)
    for (const [at, word] of ['bear', 'fox', 'wolf'].entries()) {
      const { hits } = await index.nearest(asked(word))
      assert.deepEqual(hits, [
        {
          document_id: 'a',
          score: dot(embed('', word), embed('', word)),
          updated_at: null,
          chunk: chunkOf(word, at),
          language: 'en',
        },
      ])
    }
  })

  fact('equal scores are sorted by id, in UTF-16 code units', async (index) => {
    const ids = ['ﬀ', 'b', '😀', 'a', 'Z', 'aa']
    await put(index, ...ids.map((id) => doc(id, ['fox'])))
    await embedAll(index)
    assert.deepEqual(await idsOf(index, 'fox'), ['Z', 'a', 'aa', 'b', '😀', 'ﬀ'])
  })

  fact('word conditions apply to vector search', async (index) => {
    await put(index, doc('row', ['wolf', 'red fox here']), doc('apart', ['red bear fox']), {
      ...doc('titled', ['fox']),
      title: 'Hunting',
    })
    await embedAll(index)
    const idsWith = async (more: Partial<NearestQuery>) => {
      const { hits } = await index.nearest({ ...asked('wolf'), ...more })
      return hits.map((it) => `${it.document_id} ${it.chunk.chunk_ind}`).sort()
    }
    assert.deepEqual(await idsWith({ phrases: ['red fox'] }), ['row 1'])
    assert.deepEqual(await idsWith({ required: ['red'] }), ['apart 0', 'row 0'])
    assert.deepEqual(await idsWith({ excluded: ['bear'] }), ['row 0', 'titled 0'])
    assert.deepEqual(await idsWith({ titleWords: ['hunting'] }), ['titled 0'])
    assert.deepEqual(await idsWith({ filters: { document_ids: ['titled', 'nobody'] } }), ['titled 0'])
    assert.deepEqual(await idsWith({ filters: { document_ids: [] } }), [])
  })

  fact('the pages contain every result once', async (index) => {
    await put(index, ...Array.from({ length: 23 }, (_, at) => doc(`d${at}`, [`fox number${at % 9}`])))
    await embedAll(index)
    const whole = await index.nearest({ ...asked('fox number3'), limit: 100 })
    const paged: Hit[] = []
    for (let offset = 0; offset < 30; offset += 4) {
      paged.push(...(await index.nearest({ ...asked('fox number3'), offset, limit: 4 })).hits)
    }
    assert.deepEqual(paged, whole.hits)
    assert.equal(paged.length, 23)
  })

  fact('a document without a vector has no similarity, and an orthogonal one has 0', async (index) => {
    await put(index, doc('a', ['fox']), doc('b', ['bear']), doc('c', ['wolf']))
    const { chunks } = await index.chunksWithoutVector({ limit: 5 })
    const axis = (at: number) => Float32Array.from({ length: DIMENSION }, (_, index) => (index === at ? 1 : 0))
    const given = chunks.filter((it) => it.document_id !== 'c')
    await index.setVectors(given.map((it) => ({ ...it, vector: axis(it.document_id === 'a' ? 0 : 1) })))
    const ids = ['c', 'b', 'a', 'nobody', 'a']
    const found = await similarityOf(index, { ...asked('fox'), vector: axis(0) }, ids)
    assert.deepEqual(new Map([...found].sort()), new Map([...Object.entries({ a: 1, b: 0 })]))
  })
}

function candidates(fact: Fact): void {
  fact('candidates are those of both lists, each with both scores', async (index) => {
    const contents = (at: number) => [`fox number${at % 7} ${at % 3 === 0 ? 'wolf' : 'bear'}`, `hare ${at} lynx`]
    await put(index, ...Array.from({ length: 60 }, (_, at) => doc(`d${at}`, contents(at))))
    await embedAll(index)
    await put(index, ...Array.from({ length: 5 }, (_, at) => doc(`late${at}`, ['fox wolf'])))
    for (const text of ['fox wolf', 'number3 lynx', 'hare 7', 'wolff', 'lymx harre', 'nothing']) {
      for (const depth of [1, 7, 100]) {
        await assertCandidates(index, { ...candidatesFor(text), depth })
        const foreign = { languages: ['en'], semanticWeight: 0.8, similarityOffset: 0.2 } as const
        await assertCandidates(index, { ...candidatesFor(text), depth, foreign })
        await assertCandidates(index, { ...candidatesFor(text), depth, phrases: ['fox number3'], spelling: null })
        await assertCandidates(index, { ...candidatesFor(text), depth, filters: { document_ids: ['d3', 'late1'] } })
      }
    }
  })

  fact('a misspelt word is returned with the words that are spelled like it', async (index) => {
    await put(index, doc('a', ['the wolf runs']), doc('b', ['a wolf']), doc('c', ['fox']), doc('d', ['fox']))
    const { spelling } = await index.candidates(candidatesFor('wlof fox'))
    assert.deepEqual(spelling, [
      { word: 'wlof', start: 0, documents: 0, similar: [{ term: 'wolf', spelling: 'wolf', edits: 1, documents: 2 }] },
    ])
  })

  fact('a word in few documents is checked, although these are among the best', async (index) => {
    const wolves = Array.from({ length: 3 }, (_, at) => doc(`w${at}`, ['a wolf']))
    await put(index, doc('a', ['the wlof runs']), ...wolves)
    const asked = await index.candidates(candidatesFor('wlof'))
    assert.deepEqual(asked.spelling[0]?.similar.map((it) => [it.term, it.documents]).at(-1), ['wolf', 3])
    assert.equal(asked.spelling[0]?.documents, 1)
    const { spelling } = await index.candidates(candidatesFor('wolf'))
    assert.deepEqual(spelling, [])
  })
}

function leaks(fact: Fact): void {
  fact('unreadable documents are neither found by a vector nor scored', async (index) => {
    await put(
      index,
      { ...doc('nobody', ['fox']), access: [] },
      { ...doc('ada', ['fox']), access: ['user:ada@example.com'] },
      { ...doc('red', ['fox']), access: ['group:red'] },
      { ...doc('all', ['fox']), access: ['public'] },
    )
    await embedAll(index)
    const access = accessForPerson({ email: null, groups: ['red'] }, [])
    const { hits } = await index.nearest({ ...asked('fox'), access })
    assert.deepEqual(
      hits.map((it) => it.document_id),
      ['all', 'red'],
    )
    const document_ids = ['nobody', 'ada', 'red', 'all']
    const found = await similarityOf(index, { vector: embed('', 'fox'), access }, document_ids)
    assert.deepEqual([...found.keys()].sort(), ['all', 'red'])
    const candidates = await index.candidates({ ...candidatesFor('fox'), access })
    assert.deepEqual(candidates.candidates.map((it) => it.document_id).sort(), ['all', 'red'])
    assert.equal(candidates.total, 2)
  })

  fact('a filter that passes one in fifty documents keeps all nearest of them', async (index) => {
    const documents = Array.from({ length: 500 }, (_, at) => ({
      ...doc(`d${at}`, [`fox number${at}`]),
      source_type: at % 50 === 0 ? 'rare' : 'web',
    }))
    await put(index, ...documents)
    await embedAll(index)
    const { hits } = await index.nearest({ ...asked('fox'), filters: { source_types: ['rare'] } })
    assert.equal(hits.length, 10)
  })
}

function restarts(name: string, open: OpenWithVectors): void {
  const reopened = async (
    dir: string,
    vectors: VectorOptions | undefined,
    check: (index: SearchIndex) => Promise<void>,
  ) => {
    const index = await open(dir, vectors)
    await check(index).finally(() => index.close())
  }

  test(`${name}: vectors and missing vectors survive a restart`, () =>
    inFolder(async (dir) => {
      let before: Hit[] = []
      await reopened(dir, MODEL, async (index) => {
        await put(index, ...Array.from({ length: 30 }, (_, at) => doc(`d${at}`, [`fox ${at}`, `bear ${at}`])))
        const { chunks } = await index.chunksWithoutVector({ limit: 25 })
        await index.setVectors(chunks.map(vectorOf))
        await index.apply({ upserts: [doc('d3', ['fox 3', 'hare'])], deletes: ['d1'], position: 2 })
        before = (await index.nearest(asked('fox 3'))).hits
      })
      await reopened(dir, MODEL, async (index) => {
        assert.deepEqual((await index.nearest(asked('fox 3'))).hits, before)
        const { vectors, vectors_missing } = await index.stats()
        assert.equal(vectors + vectors_missing, 58)
        await embedAll(index)
      })
      await reopened(dir, MODEL, async (index) => {
        assert.deepEqual(await countsOf(index), { vectors: 58, vectors_missing: 0 })
      })
    }))

  const others: [what: string, options: VectorOptions | undefined][] = [
    ['another model', { ...MODEL, model: 'other' }],
    ['another dimension', { ...MODEL, dimension: 40 }],
    ['none', undefined],
  ]
  for (const [what, options] of others) {
    test(`${name}: an index opened for ${what} has its text but no vectors`, () =>
      inFolder(async (dir) => {
        await reopened(dir, MODEL, async (index) => {
          await put(index, doc('a', ['fox']), doc('b', ['bear']))
          await embedAll(index)
        })
        await reopened(dir, options, async (index) => {
          assert.deepEqual(await countsOf(index), { vectors: 0, vectors_missing: options === undefined ? 0 : 2 })
          assert.equal((await index.stats()).documents, 2)
          if (options === undefined) return
          await embedAll(index, options.dimension)
          const vector = embed('', 'fox', options.dimension)
          assert.equal((await index.nearest({ ...asked('fox'), vector })).hits[0]!.document_id, 'a')
        })
      }))
  }
}

export type VectorStep =
  | { batch: Omit<IndexBatch, 'position'> }
  | { embed: { limit: number; skip: number } }
  | { query: Omit<NearestQuery, 'vector'> & { text: string } }
  | { restart: true }

const randomSteps: fc.Arbitrary<VectorStep[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: batch.map((it) => ({ batch: it })) },
    {
      weight: 4,
      arbitrary: fc.record({ limit: fc.integer({ min: 1, max: 20 }), skip: fc.nat(3) }).map((it) => ({ embed: it })),
    },
    { weight: 6, arbitrary: fc.record({ text, ...asker, ...conditions }).map((it) => ({ query: it })) },
    { weight: 1, arbitrary: fc.constant({ restart: true } as const) },
  ),
  { minLength: 2, maxLength: 16 },
)

export const runRandomVectorOperations = (open: OpenWithVectors, { isPersistent, runs = 200 }: VectorContractOptions) =>
  fc.assert(
    fc.asyncProperty(randomSteps, (steps) => inFolder((dir) => runSteps(open, dir, steps, isPersistent))),
    { numRuns: runs },
  )

async function runSteps(open: OpenWithVectors, dir: string, steps: readonly VectorStep[], isPersistent: boolean) {
  let index = await open(dir, MODEL)
  const batches: IndexBatch[] = []
  const embedded = new Set<string>()
  try {
    for (const step of steps) {
      if ('batch' in step) {
        batches.push({ ...step.batch, position: batches.length + 1 })
        await index.apply(batches.at(-1)!)
        forgetOthers(embedded, documentsAfter(batches))
      } else if ('embed' in step) {
        const { chunks } = await index.chunksWithoutVector({ limit: step.embed.limit })
        const given = chunks.filter((_, at) => at % 4 !== step.embed.skip)
        await index.setVectors(given.map(vectorOf))
        for (const it of given) embedded.add(textKey(it))
      } else if ('query' in step) {
        await assertNearest(index, documentsAfter(batches), embedded, step.query)
        await assertBothLists(index, step.query)
      } else if (isPersistent) {
        await index.close()
        index = await open(dir, MODEL)
      }
      await assertMissing(index, documentsAfter(batches), embedded)
    }
  } finally {
    await index.close()
  }
}

interface Text {
  document_id: string
  title: string
  content: string
}

const textKey = ({ document_id, title, content }: Text) => JSON.stringify([document_id, title, content])

/** The texts that take a vector, each text of a document once, with the chunk that a hit shows. */
const textsOf = ({ document_id, title, chunks }: IndexDocument) => {
  const all = chunks.length > 0 ? chunks : [{ chunk_ind: 0, content: '', link: null }]
  return all
    .filter((chunk, at) => all.findIndex((it) => it.content === chunk.content) === at)
    .map((chunk) => ({ document_id, title, content: chunk.content, chunk }))
    .filter((it) => /[\p{L}\p{N}]/u.test(it.title + it.content))
}

function forgetOthers(embedded: Set<string>, documents: readonly IndexDocument[]): void {
  const there = new Set(documents.flatMap(textsOf).map(textKey))
  for (const it of embedded) if (!there.has(it)) embedded.delete(it)
}

async function assertMissing(index: SearchIndex, documents: readonly IndexDocument[], embedded: ReadonlySet<string>) {
  const missing = documents
    .flatMap(textsOf)
    .map(textKey)
    .filter((it) => !embedded.has(it))
  assert.deepEqual(await countsOf(index), { vectors: embedded.size, vectors_missing: missing.length })
  const found = await allPages(index, 7, async () => {})
  // A flush between two pages may move passages, which may then be returned twice.
  assert.deepEqual([...new Set(found.map(textKey))].sort(), missing.sort())
}

async function assertNearest(
  index: SearchIndex,
  documents: readonly IndexDocument[],
  embedded: ReadonlySet<string>,
  { text, ...query }: Omit<NearestQuery, 'vector'> & { text: string },
) {
  const { access, filters, offset, limit } = query
  const vector = embed('', text)
  const languages = [...new Set(documents.map(languageOf))]
  const readable = documents.filter((it) => mayRead(access, it.access))
  const bestOf = (document: IndexDocument, texts: ReturnType<typeof textsOf>) => {
    const own = texts.filter((it) => embedded.has(textKey(it)))
    const scores = own.map((it) => dot(vector, embed(it.title, it.content)))
    const score = Math.max(...scores)
    return own.length === 0 ? [] : [{ document, score, chunk: own[scores.indexOf(score)]!.chunk }]
  }
  const scored = readable.flatMap((it) => bestOf(it, textsOf(it)))
  const expected = readable
    .filter((it) => meets(it, filters) && meetsWords(it, query, languages))
    .flatMap((it) => {
      const findable = findablePieces(it, query, languages).map(({ chunk }) => chunk.chunk_ind)
      return bestOf(
        it,
        textsOf(it).filter(({ chunk }) => findable.includes(chunk.chunk_ind)),
      )
    })
    .map(({ document, score, chunk }) => {
      const { document_id, updated_at } = document
      return { document_id, updated_at, score, chunk, language: languageOf(document) }
    })
    .sort((a, b) => b.score - a.score || (a.document_id < b.document_id ? -1 : 1))
  const { hits } = await index.nearest({ vector, ...query })
  assert.deepEqual(hits, expected.slice(offset, offset + limit))
  const document_ids = documents.map((it) => it.document_id)
  const found = await similarityOf(index, { vector, access }, document_ids)
  const scores = scored.map((it) => [it.document.document_id, it.score] as const)
  assert.deepEqual(new Map([...found].sort()), new Map(scores.toSorted()))
}

/** Both lists are short, so that documents are missing in one of them. */
async function assertBothLists(
  index: SearchIndex,
  { text, ...query }: Omit<NearestQuery, 'vector'> & { text: string },
) {
  const { offset: from, limit: depth, ...conditions } = query
  const asked = { ...candidatesFor(text), ...conditions, depth, read: [{ from, until: from + 3 }] }
  await assertCandidates(index, asked)
  await assertCandidates(index, { ...asked, vector: null, read: [{ from: 0, until: 100 }] })
}

/** Asserts that each score belongs to the text of its hit. */
function assertOwnScores(hits: readonly Hit[], text: string): void {
  for (const { score, chunk } of hits) assert.equal(score, dot(embed('', text), embed('', chunk.content)))
}

async function allPages(
  index: SearchIndex,
  limit: number,
  between: (chunks: UnembeddedChunk[]) => Promise<void>,
  most = 1_000,
): Promise<UnembeddedChunk[]> {
  const found: UnembeddedChunk[] = []
  let after: string | undefined
  for (let page = 0; page < most; page++) {
    const { chunks, next } = await index.chunksWithoutVector({ limit, after })
    found.push(...chunks)
    await between(chunks)
    if (next === null) return found
    after = next
  }
  return found
}

/** Sets the vector of every chunk that lacks one. */
export async function embedAll(index: SearchIndex, dimension = DIMENSION): Promise<void> {
  await allPages(index, 100, (chunks) =>
    index.setVectors(chunks.map((it) => ({ ...it, vector: embed(it.title, it.content, dimension) }))),
  )
}

const vectorOf = (chunk: UnembeddedChunk) => ({ ...chunk, vector: embed(chunk.title, chunk.content) })

const countsOf = async (index: SearchIndex) => {
  const { vectors, vectors_missing } = await index.stats()
  return { vectors, vectors_missing }
}

const chunkOf = (content: string, chunk_ind: number) => ({ chunk_ind, content, link: null })

const doc = (id: string, contents: readonly string[]): IndexDocument => ({
  document_id: id,
  title: '',
  source_type: 'web',
  updated_at: null,
  tags: [],
  cc_pair_ids: [],
  authors: [],
  access: ['public'],
  chunks: contents.map(chunkOf),
})

const put = async (index: SearchIndex, ...upserts: IndexDocument[]): Promise<void> =>
  index.apply({ upserts, deletes: [], position: (await index.stats()).position + 1 })

const asked = (text: string): NearestQuery => ({
  vector: embed('', text),
  access: accessForPerson({ email: null, groups: [] }, []),
  filters: {},
  offset: 0,
  limit: 10,
})

const candidatesFor = (text: string): CandidateQuery => ({
  text,
  vector: embed('', text),
  access: accessForPerson({ email: null, groups: [] }, []),
  filters: {},
  depth: 10,
  facets: [{ field: 'source_type', size: 5 }],
  semanticWeight: 0.4,
  minSimilarity: 0.3,
  read: [{ from: 0, until: 5 }],
  spelling: {
    words: queryTerms(text).map(({ word, start }) => ({ word, start, max_edits: 2 })),
    depth: 5,
    limit: 3,
    maxDocuments: 1,
    suggestions: 2,
  },
})

const idsOf = async (index: SearchIndex, text: string): Promise<string[]> =>
  (await index.nearest(asked(text))).hits.map((it) => it.document_id)

async function inFolder(action: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-vectors-'))
  try {
    await action(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
