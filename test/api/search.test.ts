import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, found } = await start()

const NOTHING_FOUND = { results: [], total: 0, total_relation: 'eq', next_cursor: null }
const NOTHING_UNDERSTOOD = {
  text: '',
  phrases: [],
  excluded: [],
  title: [],
  sources: [],
  authors: [],
  document_sets: [],
  tags: [],
  updated_from: null,
  updated_until: null,
  operators: [],
  not_understood: [],
}

const TRAVEL = 'Employees book trains for distances under six hundred kilometres.'
before(async () => {
  await push({
    id: 'travel',
    semantic_identifier: 'Travel policy',
    title: 'Travelling for work',
    sections: [{ text: TRAVEL, link: 'https://wiki.example.com/travel' }],
    source: 'wiki',
    metadata: { team: 'People', tags: ['travel', 'policy'] },
    doc_updated_at: '2024-08-01T12:30:00Z',
  })
})

test('a result has every field', async () => {
  const { results, took_ms, ...rest } = await search('trains')
  const [{ score, ...result }] = results
  assert.deepEqual(result, {
    citation_id: 1,
    document_id: 'travel',
    chunk_ind: 0,
    semantic_identifier: 'Travel policy',
    title: 'Travelling for work',
    content: TRAVEL,
    link: 'https://wiki.example.com/travel',
    source_type: 'wiki',
    blurb: TRAVEL,
    highlights: [[15, 21]],
    match_highlights: ['Employees book <mark>trains</mark> for distances under six hundred kilometres.'],
    updated_at: '2024-08-01T12:30:00.000Z',
    doc_updated_at: '2024-08-01T12:30:00.000Z',
    primary_owners: [],
    metadata: { team: 'People', tags: ['travel', 'policy'] },
    table: null,
    passages: [],
    explanation: null,
    similar: null,
    similar_count: null,
    verification: null,
  })
  const { understood, ranked_by, ranked_by_reason, search_id, ...answer } = rest
  assert.match(search_id, /^[\da-f-]{36}$/)
  assert.deepEqual(answer, {
    total: 1,
    total_relation: 'eq',
    word_matches: 1,
    corrected_query: null,
    relaxed: [],
    blocking: [],
    no_match: false,
    closest: [],
    facets: null,
    next_cursor: null,
  })
  assert.deepEqual(understood, { ...NOTHING_UNDERSTOOD, text: 'trains' })
  assert.ok(['both', 'words'].includes(ranked_by), ranked_by)
  assert.ok(ranked_by_reason === null || ranked_by === 'words')
  assert.ok(score > 0 && Number.isInteger(Math.round(score * 1e6) / 1e3), `score ${score}`)
  assert.ok(took_ms >= 0)
})

test('a query that matches nothing has no results', async () => {
  const { results, total, total_relation, next_cursor } = await search('xylophonist')
  assert.deepEqual({ results, total, total_relation, next_cursor }, NOTHING_FOUND)
})

test('the search is also available under /api', async () => {
  assert.equal((await ok('POST', '/api/search', { body: { query: 'trains' } })).total, 1)
})

test('a document without a title shows its semantic_identifier as title', async () => {
  await push(documentOf('untitledword', { id: 'untitled', semantic_identifier: 'Shown as title' }))
  const [hit] = (await search('untitledword')).results
  assert.deepEqual([hit.title, hit.semantic_identifier], ['Shown as title', 'Shown as title'])
})

test('a document without a link has the link null', async () => {
  await push(documentOf('unlinkedword', { id: 'unlinked' }))
  assert.equal((await search('unlinkedword')).results[0].link, null)
})

test('a document found only by its title has no content and no highlights', async () => {
  await push(documentOf('', { id: 'bare', semantic_identifier: 'Baretitle', sections: [] }))
  const { content, blurb, highlights, chunk_ind } = (await search('baretitle')).results[0]
  assert.deepEqual({ content, blurb, highlights, chunk_ind }, { content: '', blurb: '', highlights: [], chunk_ind: 0 })
})

test('the link of a result is the link of its section', async () => {
  const section = (word: string) => ({ text: `${word} `.repeat(400), link: `https://example.com/${word}` })
  await push(documentOf('', { id: 'sections', sections: [section('alphasection'), section('betasection')] }))
  assert.equal((await search('betasection')).results[0].link, 'https://example.com/betasection')
})

test('a document is one result, however many chunks match', async () => {
  const text = 'manychunks and a filler of some words. '.repeat(400)
  await push(documentOf(text, { id: 'many-chunks' }))
  const { results, total } = await search('manychunks')
  assert.deepEqual([results.length, total], [1, 1])
})

test('words match in any case', async () => {
  assert.deepEqual(await found('TRAINS'), ['travel'])
})

test('other forms of a word match', async () => {
  assert.deepEqual(await found('train'), ['travel'])
})

test('words of the title match', async () => {
  assert.deepEqual(await found('travelling'), ['travel'])
})

test('the best document is first', async () => {
  const filler = 'some other words that fill this text without meaning '.repeat(10)
  await push(documentOf(`ranked ${filler}`, { id: 'rank-low' }))
  await push(documentOf('ranked ranked ranked', { id: 'rank-high' }))
  const ids = (await search('ranked')).results.map((it: { document_id: string }) => it.document_id)
  assert.deepEqual(ids, ['rank-high', 'rank-low'])
})

test('scores decrease and have at most three decimal digits', async () => {
  const { results } = await search('ranked')
  const scores = results.map((it: { score: number }) => it.score)
  assert.deepEqual(
    scores,
    scores.toSorted((a: number, b: number) => b - a),
  )
  for (const score of scores) assert.equal(score, Math.round(score * 1_000) / 1_000)
})

test('pages', async (t) => {
  for (let at = 1; at <= 12; at++) await push(documentOf('paginated', { id: `page-${String(at).padStart(2, '0')}` }))
  const page = async (more: object) => {
    const { results, total } = await search('paginated', { ...more })
    return { ids: results.map((it: { document_id: string }) => it.document_id), total, results }
  }

  await t.test('a page has ten results by default', async () => {
    assert.equal((await page({})).ids.length, 10)
    assert.equal((await page({ num_hits: null })).ids.length, 10)
  })

  await t.test('the total includes results on other pages', async () => {
    assert.equal((await page({ num_hits: 1 })).total, 12)
  })

  await t.test('pages have no gaps and no overlap', async () => {
    const pages = [await page({ num_hits: 5 }), await page({ num_hits: 5, offset: 5 }), await page({ offset: 10 })]
    assert.deepEqual(
      pages.flatMap((it) => it.ids),
      (await page({ num_hits: 100 })).ids,
    )
  })

  await t.test('citation ids are numbered from 1 across pages', async () => {
    const { results } = await page({ num_hits: 2, offset: 3 })
    assert.deepEqual(
      results.map((it: { citation_id: number }) => it.citation_id),
      [4, 5],
    )
  })

  await t.test('a page after the last one is empty and has the same total', async () => {
    assert.deepEqual([(await page({ offset: 10_000 })).ids, (await page({ offset: 10_000 })).total], [[], 12])
  })
})

test('filters', async (t) => {
  await push(
    documentOf('filtered', {
      id: 'old',
      source: 'wiki',
      metadata: { team: 'red', tags: ['a', 'b'] },
      doc_updated_at: '2020-01-01T00:00:00Z',
    }),
  )
  await push(
    documentOf('filtered', {
      id: 'new',
      source: 'file',
      metadata: { team: 'blue', tags: ['b'] },
      doc_updated_at: '2024-01-01T00:00:00Z',
    }),
  )
  const tag = (tag_key: string, tag_value: string) => ({ tag_key, tag_value })
  const cases: [filter: Record<string, unknown>, ids: string[]][] = [
    [{}, ['new', 'old']],
    [{ sources: ['wiki'] }, ['old']],
    [{ sources: ['wiki', 'file'] }, ['new', 'old']],
    [{ sources: ['WIKI'] }, []],
    [{ sources: ['nobody'] }, []],
    [{ sources: [] }, ['new', 'old']],
    [{ sources: null, tags: null, document_sets: null, time_cutoff: null }, ['new', 'old']],
    [{ tags: [tag('team', 'red')] }, ['old']],
    [{ tags: [tag('tags', 'b')] }, ['new', 'old']],
    [{ tags: [tag('team', 'red'), tag('team', 'blue')] }, ['new', 'old']],
    [{ tags: [tag('team', 'green')] }, []],
    [{ tags: [tag('red', 'team')] }, []],
    [{ document_sets: ['nobody made it'] }, []],
    [{ time_cutoff: '2020-01-01T00:00:00Z' }, ['new', 'old']],
    [{ time_cutoff: '2020-01-01T00:00:01Z' }, ['new']],
    [{ time_cutoff: '2020-01-01T01:00:00+02:00' }, ['new', 'old']],
    [{ time_cutoff: 1704067200 }, ['new']],
    [{ time_cutoff: '2024-01-02' }, []],
    [{ sources: ['wiki'], tags: [tag('team', 'blue')] }, []],
    [{ sources: ['file'], tags: [tag('tags', 'b')], time_cutoff: '2023-01-01' }, ['new']],
  ]
  for (const [filter, ids] of cases) {
    await t.test(`${JSON.stringify(filter)} finds ${ids.join(' and ') || 'nothing'}`, async () => {
      const { results, total } = await search('filtered', filter)
      assert.deepEqual(results.map((it: { document_id: string }) => it.document_id).sort(), ids)
      assert.equal(total, ids.length)
    })
  }
})

test('SQL and wildcards in a filter are literal text [Q3]', async () => {
  for (const text of ["' or 1=1 --", '%', '_', '*', '") or (1=1', 'wiki%']) {
    const filters = [{ sources: [text] }, { tags: [{ tag_key: text, tag_value: text }] }, { document_sets: [text] }]
    for (const filter of filters) assert.equal((await search('filtered', filter)).total, 0)
  }
})

const REFUSED: [body: unknown, loc: (string | number)[], type: string][] = [
  [{}, ['body', 'query'], 'missing'],
  [{ query: null }, ['body', 'query'], 'string_type'],
  [{ query: '' }, ['body', 'query'], 'string_too_short'],
  [{ query: 5 }, ['body', 'query'], 'string_type'],
  [{ query: ['a'] }, ['body', 'query'], 'string_type'],
  [{ query: 'x', num_hits: 0 }, ['body', 'num_hits'], 'greater_than_equal'],
  [{ query: 'x', num_hits: -1 }, ['body', 'num_hits'], 'greater_than_equal'],
  [{ query: 'x', num_hits: 1e9 }, ['body', 'num_hits'], 'less_than_equal'],
  [{ query: 'x', num_hits: 1.5 }, ['body', 'num_hits'], 'int_from_float'],
  [{ query: 'x', offset: -1 }, ['body', 'offset'], 'greater_than_equal'],
  [{ query: 'x', offset: 1e9 }, ['body', 'offset'], 'less_than_equal'],
  [{ query: 'x', sources: 'wiki' }, ['body', 'sources'], 'list_type'],
  [{ query: 'x', sources: [1] }, ['body', 'sources', 0], 'string_type'],
  [{ query: 'x', sources: Array(10_000).fill('a') }, ['body', 'sources'], 'too_long'],
  [{ query: 'x', tags: [{ tag_key: 'a' }] }, ['body', 'tags', 0, 'tag_value'], 'missing'],
  [{ query: 'x', tags: { a: 'b' } }, ['body', 'tags'], 'list_type'],
  [{ query: 'x', document_sets: 'a' }, ['body', 'document_sets'], 'list_type'],
  [{ query: 'x', time_cutoff: 'yesterday' }, ['body', 'time_cutoff'], 'datetime_from_date_parsing'],
]
for (const [body, loc, type] of REFUSED) {
  test(`a search of ${JSON.stringify(body).slice(0, 60)} is refused [Q5]`, async () => {
    const reply = await ask('POST', '/search', { body })
    assert.equal(reply.status, 422)
    assert.deepEqual([reply.body.detail[0].loc, reply.body.detail[0].type], [loc, type])
  })
}

test('a query of 2,048 characters is answered [Q4]', async () => {
  assert.equal((await ask('POST', '/search', { body: { query: 'a '.repeat(1_024) } })).status, 200)
})

for (const [what, query] of [
  ['2,049 characters', 'a'.repeat(2_049)],
  ['1 MB', 'word '.repeat(200_000)],
  ['one word of 100,000 letters', 'a'.repeat(100_000)],
] as const) {
  test(`a query of ${what} is refused [Q4]`, async () => {
    const { status, body } = await ask('POST', '/search', { body: { query } })
    assert.deepEqual([status, body.detail[0].type], [422, 'string_too_long'])
  })
}

for (const more of [{ num_hits: '5' }, { num_hits: 5.0 }, { offset: '0' }, { num_hits: 1_000, offset: 10_000 }]) {
  test(`a search may have ${JSON.stringify(more)}`, async () => {
    assert.equal((await ask('POST', '/search', { body: { query: 'trains', ...more } })).status, 200)
  })
}

const HOSTILE = [
  'Q1 "',
  'Q1 ""',
  'Q1 """',
  'Q1 AND',
  'Q1 NOT x',
  'Q1 OR OR',
  'Q1 NEAR(a b',
  'Q1 title:',
  'Q1 title:x',
  'Q1 a*',
  'Q1 x^',
  'Q1 {a b}:c',
  'Q1 (((',
  'Q1 -',
  'Q1 +',
  'Q1 a\u0000b',
  'Q1 \ud800',
  'Q2 _exists_:*',
  'Q2 /.*.*.*x/',
  'Q2 a~9',
  'Q2 *:*',
  'Q2 ctx._source',
  'Q3 %%%_',
  "Q3 ' or '1'='1",
  'Q3 "; drop table document; --',
  'Q7 \u202ereversed',
  'Q7 👩\u200d👩\u200d👧',
  'Q7 ﾊﾝｶｸ',
  'Q7 İstanbul',
  'Q7 STRASSE straße',
  'Q7 東京都庁',
  'Q7 ไทย',
  'Q7 e\u0301\u0301\u0301',
  'Q4 the of and',
  'Q4    ',
]
for (const it of HOSTILE) {
  const [, row, query] = /^(Q\d) (.*)$/s.exec(it)!
  test(`the query ${JSON.stringify(query)} is answered [${row}]`, async () => {
    const { results, total } = await search(query!)
    assert.ok(results.length <= total)
  })
}

for (const query of ['AND', '*:*', '_exists_:*', 'a~9', '%%%_', '*', '/.*/', "' or '1'='1"]) {
  test(`the query ${JSON.stringify(query)} does not match everything [Q1 Q2 Q3]`, async () => {
    const { total } = await search(query, { num_hits: 1 })
    assert.ok(total < 5, `${total} documents`)
  })
}

test('OPS-306 is found literally [Q1]', async () => {
  await push(documentOf('The pump broke, see OPS-306.', { id: 'ticket' }))
  await push(documentOf('The pump broke, see OPS-307.', { id: 'other-ticket' }))
  assert.equal((await search('OPS-306')).results[0].document_id, 'ticket')
})

const SCRIPTS: [text: string, query: string][] = [
  ['الترخيص يحتاج إلى موافقة المدير', 'موافقة'],
  ['東京都庁は新宿にあります', '新宿'],
  ['İstanbul büyük bir şehirdir', 'istanbul'],
  ['Die Straße ist gesperrt', 'strasse'],
  ['Café crème à Orléans', 'orleans'],
  ['👩\u200d👩\u200d👧 familienfoto', 'familienfoto'],
  ['e\u0301te\u0301 dernier', 'été'],
  ['ﾊﾝｶｸ カナ', 'ハンカク'],
]
for (const [at, [text, query]] of SCRIPTS.entries()) {
  test(`"${query}" is found in "${text}", and highlights are within the blurb [Q7]`, async () => {
    const id = `script-${at}`
    await push(documentOf(text, { id, semantic_identifier: `Script ${at}` }))
    const hit = (await search(query)).results.find((it: { document_id: string }) => it.document_id === id)
    assert.ok(hit, 'not found')
    assert.ok(hit.highlights.length > 0, 'nothing is highlighted')
    let end = 0
    for (const [from, to] of hit.highlights) {
      assert.ok(from >= end && to > from && to <= hit.blurb.length, JSON.stringify(hit.highlights))
      end = to
    }
  })
}

test('markup in a document is escaped in match_highlights [X3]', async () => {
  await push(documentOf('<script>alert("annotated & marked")</script>', { id: 'markup' }))
  const [hit] = (await search('annotated')).results
  assert.equal(hit.blurb, '<script>alert("annotated & marked")</script>')
  assert.deepEqual(hit.match_highlights, [
    '&lt;script&gt;alert(&quot;<mark>annotated</mark> &amp; marked&quot;)&lt;/script&gt;',
  ])
})

test('markup in a query is escaped in the response [X3]', async () => {
  await push(documentOf('an emphasised word', { id: 'emphasised' }))
  const { results } = await search('<img src=x> emphasised')
  assert.deepEqual(results[0].match_highlights, ['an <mark>emphasised</mark> word'])
})

test('the blurb of a long text shows the words that matched', async () => {
  const filler = 'nothing to see here at all '.repeat(60)
  await push(documentOf(`${filler} needleword ${filler}`, { id: 'haystack' }))
  const [hit] = (await search('needleword')).results
  assert.ok(hit.blurb.includes('needleword') && hit.blurb.length < 400, hit.blurb)
})
