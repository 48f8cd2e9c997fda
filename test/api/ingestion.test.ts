import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled, waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, push, receipt, search, found, listed, makePair } = await start()
const INGESTION = '/service-api/ingestion'
const DAY_MS = 86_400_000

test('a push returns the id and reports a new, accepted document', async () => {
  const answer = await ok('POST', INGESTION, { body: { document: documentOf('first', { id: 'first' }) } })
  assert.deepEqual(answer, { document_id: 'first', already_existed: false, status: 'accepted' })
})

test('the smallest payload is accepted', async () => {
  const document = {
    semantic_identifier: 'Smallest',
    sections: [{ text: 'smallestpayload' }],
    source: 'web',
    metadata: {},
  }
  await push(document)
  assert.deepEqual(await found('smallestpayload'), ['ingestion_api_Smallest'])
})

test('the largest payload is accepted', async () => {
  const owner = {
    display_name: 'Ada Lovelace',
    first_name: 'Ada',
    middle_initial: null,
    last_name: 'Lovelace',
    email: 'ada@example.com',
  }
  const document = {
    id: 'largest',
    semantic_identifier: 'Largest',
    title: 'The largest payload',
    sections: [
      { text: 'largestpayload', link: 'https://example.com/a' },
      { image_file_id: 'b7c5', link: 'https://example.com/b' },
    ],
    source: 'web',
    metadata: { team: 'search', tags: ['a', 'b'] },
    doc_updated_at: '2024-08-01T12:30:00Z',
    chunk_count: 7,
    primary_owners: [owner],
    secondary_owners: [owner],
    from_ingestion_api: true,
  }
  assert.deepEqual(await push(document, { cc_pair_id: 1 }), {
    document_id: 'largest',
    already_existed: false,
    status: 'indexed',
  })
})

test('a document is found soon after it was accepted', async () => {
  await ok('POST', INGESTION, { body: { document: documentOf('eventually', { id: 'eventually' }) } })
  assert.ok(await waitFor(async () => (await found('eventually')).length === 1, 'the document'))
})

test('pushing an existing id updates the document and says so', async () => {
  await push(documentOf('oldwording', { id: 'updated' }))
  assert.deepEqual(await push(documentOf('newwording', { id: 'updated' })), {
    document_id: 'updated',
    already_existed: true,
    status: 'indexed',
  })
})

test('after an update only the new text is found', async () => {
  await push(documentOf('formerly', { id: 'replaced' }))
  await push(documentOf('presently', { id: 'replaced' }))
  assert.deepEqual([await found('formerly'), await found('presently')], [[], ['replaced']])
})

test('pushing an id again is an update while the first version is still queued', async () => {
  const bodies = Array.from({ length: 30 }, (_, at) => ({ document: documentOf(`queue ${at}`, { id: `queue-${at}` }) }))
  const queue = bodies.map((body) => ok('POST', INGESTION, { body }))
  const pushes = ['one', 'two'].map((text) =>
    ok('POST', INGESTION, { body: { document: documentOf(text, { id: 'twin' }) } }),
  )
  const existed = (await Promise.all(pushes)).map((it) => it.already_existed).sort()
  await Promise.all(queue)
  assert.deepEqual(existed, [false, true])
})

test('a document without an id gets the same id again', async () => {
  const document = documentOf('nameless', { semantic_identifier: 'Nameless/Café' })
  const answers = [await push(document), await push({ ...document, sections: [{ text: 'nameless again' }] })]
  assert.deepEqual(
    answers.map(({ document_id, already_existed }) => [document_id, already_existed]),
    [
      ['ingestion_api_Nameless%2FCaf%C3%A9', false],
      ['ingestion_api_Nameless%2FCaf%C3%A9', true],
    ],
  )
})

for (const [what, id] of [
  ['empty', ''],
  ['null', null],
] as const) {
  test(`an ${what} id is treated as absent`, async () => {
    const { document_id } = await push(documentOf('x', { id, semantic_identifier: `Noid${what}` }))
    assert.equal(document_id, `ingestion_api_Noid${what}`)
  })
}

test('documents without ids whose long titles differ only at the end get different ids', async () => {
  const title = 'é'.repeat(3_000)
  const answers = [
    await push(documentOf('longtitled', { semantic_identifier: `${title}1` })),
    await push(documentOf('longtitled', { semantic_identifier: `${title}2` })),
  ]
  assert.deepEqual(
    answers.map((it) => it.already_existed),
    [false, false],
  )
})

// The id is percent-encoded; the existing server would first replace spaces by underscores.
test('titles with a space and with an underscore get different ids', async () => {
  const ids = ['Q1 plan', 'Q1_plan'].map(async (semantic_identifier) => {
    const { document_id } = await push(documentOf('x', { semantic_identifier }))
    return document_id
  })
  assert.equal(new Set(await Promise.all(ids)).size, 2)
})

test('a document without cc_pair_id is found but not listed', async () => {
  // Pair 1 is listed because a document named it.
  const others = async () => (await listed()).filter((it) => it.cc_pair_id !== 1)
  const before = await others()
  await push(documentOf('unlisted', { id: 'unlisted' }))
  assert.deepEqual(await found('unlisted'), ['unlisted'])
  assert.deepEqual(await others(), before)
})

test('a document with cc_pair_id is listed with its pair', async () => {
  const cc_pair_id = await makePair('Listed pair')
  await push(documentOf('listedword', { id: 'listed' }), { cc_pair_id })
  const pair = (await listed()).find((it) => it.cc_pair_id === cc_pair_id)
  assert.deepEqual([pair.name, pair.docs_indexed], ['Listed pair', 1])
})

for (const path of ['/api/service-api/ingestion', '/onyx-api/ingestion', '/api/onyx-api/ingestion']) {
  test(`${path} is the same endpoint`, async () => {
    const body = { document: documentOf('aliased', { id: `aliased ${path}` }) }
    assert.deepEqual(await ok('POST', path, { body }), {
      document_id: `aliased ${path}`,
      already_existed: false,
      status: 'accepted',
    })
    const { document_id } = await ok('GET', `${path}/${encodeURIComponent(`aliased ${path}`)}`)
    assert.equal(document_id, `aliased ${path}`)
    assert.equal(await ok('DELETE', `${path}/${encodeURIComponent(`aliased ${path}`)}`), null)
  })
}

const IDS: [what: string, id: string][] = [
  ['a slash', 'a/b'],
  ['an address', 'https://example.com/a b?c=d&e=%20#f'],
  ['a percent-encoded slash', 'x%2Fy'],
  ['percent signs', '100%'],
  ['a parent folder', '../../etc/passwd'],
  ['one dot', '.'],
  ['two dots', '..'],
  ['only spaces', '   '],
  ['spaces around', ' padded '],
  ['a plus', 'a+b'],
  ['a line break and a tab', 'a\nb\tc'],
  ['quotes and a backslash', `'"\\`],
  ['markup', '<b>&amp;</b>'],
  ['an emoji', '🚀 launch'],
  ['a right-to-left override', 'a\u202eb'],
  ['the composed letter', 'caf\u00e9'],
  ['the decomposed letter', 'cafe\u0301'],
  ['the name of a prototype', '__proto__'],
  ['a wildcard', '%_*'],
  ['2,000 characters', '🚀'.repeat(2_000)],
]
for (const [at, [what, id]] of IDS.entries()) {
  test(`an id of ${what} is returned unchanged [B18]`, async () => {
    const word = `verbatim${'abcdefghijklmnopqrstuvwxyz'[at]}`
    const { document_id, already_existed } = await push(documentOf(word, { id }))
    assert.deepEqual([document_id, already_existed], [id, false])
    assert.deepEqual(await found(word), [id])
    assert.equal((await receipt(id)).document_id, id)
    assert.equal(await ok('DELETE', `${INGESTION}/${encodeURIComponent(id)}`), null)
    assert.deepEqual(await found(word), [])
  })
}

test('a slash in an id is looked up as %2F', async () => {
  await push(documentOf('slashed', { id: 'folder/file' }))
  assert.equal((await ok('GET', '/service-api/ingestion/folder%2Ffile')).document_id, 'folder/file')
})

test('a document stored with a percent-encoded id is found by its plain id', async () => {
  await push(documentOf('oldclient', { id: 'https%3A%2F%2Fexample.com%2Fold' }))
  const { document_id } = await receipt('https://example.com/old')
  assert.equal(document_id, 'https%3A%2F%2Fexample.com%2Fold')
})

test('a document is found by its doubly encoded id', async () => {
  await push(documentOf('twice', { id: 'https://example.com/twice' }))
  const { document_id } = await receipt('https%3A%2F%2Fexample.com%2Ftwice')
  assert.equal(document_id, 'https://example.com/twice')
})

test('an exact id takes precedence over an encoded one', async () => {
  await push(documentOf('exact', { id: 'p/q' }))
  await push(documentOf('exact', { id: 'p%2Fq' }))
  assert.equal((await receipt('p/q')).document_id, 'p/q')
  assert.equal((await receipt('p%2Fq')).document_id, 'p%2Fq')
})

const BAD_IDS: [what: string, id: unknown, type: string][] = [
  ['2,001 characters', 'a'.repeat(2_001), 'string_too_long'],
  ['1 MB', 'a'.repeat(1_000_000), 'string_too_long'],
  ['half a surrogate pair', '\ud800', 'not_well_formed'],
  ['a NUL', 'a\u0000b', 'not_well_formed'],
  ['a number', 5, 'string_type'],
]
for (const [what, id, type] of BAD_IDS) {
  test(`an id of ${what} is rejected [B10 B11 B18]`, async () => {
    const { status, body } = await ask('POST', INGESTION, { body: { document: documentOf('x', { id }) } })
    assert.equal(status, 422)
    assert.deepEqual([body.detail[0].loc, body.detail[0].type], [['body', 'document', 'id'], type])
  })
}

for (const cc_pair_id of [undefined, null, 0, 1, '1', 1.0, -0]) {
  test(`cc_pair_id ${Object.is(cc_pair_id, -0) ? '-0' : JSON.stringify(cc_pair_id)} is the default pair 1`, async () => {
    const id = `pair ${cc_pair_id}`
    await push(documentOf('x', { id }), cc_pair_id === undefined ? {} : { cc_pair_id })
    assert.deepEqual((await receipt(id)).cc_pairs, [{ id: 1, name: 'DefaultCCPair' }])
  })
}

test('an unknown cc_pair_id is 404 and nothing is stored', async () => {
  const body = { document: documentOf('orphaned', { id: 'orphan' }), cc_pair_id: 999_999 }
  assert.equal((await ask('POST', INGESTION, { body })).status, 404)
  assert.equal((await ask('GET', `${INGESTION}/orphan`)).status, 404)
})

test('a push with an unknown cc_pair_id does not change the existing document', async () => {
  await push(documentOf('untouched', { id: 'untouched' }))
  const body = { document: documentOf('touched', { id: 'untouched' }), cc_pair_id: 999_999 }
  assert.equal((await ask('POST', INGESTION, { body })).status, 404)
  await push(documentOf('later', { id: 'later' }))
  assert.deepEqual(await found('untouched'), ['untouched'])
})

test('a document pushed to a second pair belongs to both', async () => {
  const cc_pair_id = await makePair('Second home')
  await push(documentOf('shared', { id: 'shared' }))
  const { already_existed } = await push(documentOf('shared', { id: 'shared' }), { cc_pair_id })
  assert.equal(already_existed, true)
  assert.deepEqual((await receipt('shared')).cc_pairs, [
    { id: 1, name: 'DefaultCCPair' },
    { id: cc_pair_id, name: 'Second home' },
  ])
})

test('a section with the text "" is valid', async () => {
  await push(documentOf('', { id: 'empty-text' }))
  assert.equal((await receipt('empty-text')).chunk_count, 0)
})

test('a document without sections is found by its title', async () => {
  await push(documentOf('', { id: 'title-only', semantic_identifier: 'Onomatopoeia', sections: [] }))
  assert.deepEqual(await found('onomatopoeia'), ['title-only'])
})

test('titles are searched', async () => {
  await push(documentOf('body', { id: 'titled', title: 'Antidisestablishmentarianism' }))
  assert.deepEqual(await found('antidisestablishmentarianism'), ['titled'])
})

test('an image section needs no text', async () => {
  await push(documentOf('', { id: 'image', sections: [{ image_file_id: 'some-file', text: null }] }))
  assert.equal((await receipt('image')).status, 'indexed')
})

test('a section with neither text nor image is rejected with an error for each kind', async () => {
  const body = { document: documentOf('', { sections: [{ link: 'https://example.com' }] }) }
  const reply = await ask('POST', INGESTION, { body })
  assert.equal(reply.status, 422)
  assert.deepEqual(reply.body, {
    detail: [
      { loc: ['body', 'document', 'sections', 0, 'TextSection', 'text'], msg: 'Field required', type: 'missing' },
      {
        loc: ['body', 'document', 'sections', 0, 'ImageSection', 'image_file_id'],
        msg: 'Field required',
        type: 'missing',
      },
    ],
    message: 'body.document.sections.0.TextSection.text: Field required',
  })
})

test('10,000 sections are accepted', async () => {
  const sections = Array.from({ length: 10_000 }, () => ({ text: 'manysections' }))
  await push(documentOf('', { id: 'many-sections', sections }))
})

test('a document with more than 16 million characters is rejected', async () => {
  const text = 'abcdefg '.repeat(1_000_001)
  const reply = await ask('POST', INGESTION, { body: { document: documentOf('', { sections: [{ text }, { text }] }) } })
  assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, ['body', 'document', 'sections']])
})

test('a push without a document names the missing field', async () => {
  const reply = await ask('POST', INGESTION, { body: {} })
  assert.deepEqual(
    [reply.status, reply.body],
    [
      422,
      {
        detail: [{ loc: ['body', 'document'], msg: 'Field required', type: 'missing' }],
        message: 'body.document: Field required',
      },
    ],
  )
})

for (const field of ['semantic_identifier', 'sections', 'metadata']) {
  test(`a document without ${field} is rejected`, async () => {
    const { [field]: _, ...document } = documentOf('x')
    const { status, body } = await ask('POST', INGESTION, { body: { document } })
    assert.deepEqual(
      [status, body.detail],
      [422, [{ loc: ['body', 'document', field], msg: 'Field required', type: 'missing' }]],
    )
  })
}

test('the default source is ingestion_api', async () => {
  const { source: _, ...document } = documentOf('sourceless', { id: 'sourceless' })
  await push(document)
  const { results } = await search('sourceless')
  assert.equal(results[0].source_type, 'ingestion_api')
})

test('an unknown source is stored', async () => {
  await push(documentOf('homegrown', { id: 'homegrown', source: 'Home-Grown CRM' }))
  const { results } = await search('homegrown')
  assert.equal(results[0].source_type, 'Home-Grown CRM')
})

const LAX: [what: string, document: Record<string, unknown>][] = [
  ['"7" for chunk_count', { chunk_count: '7' }],
  ['"true" for from_ingestion_api', { from_ingestion_api: 'true' }],
  ['1 for from_ingestion_api', { from_ingestion_api: 1 }],
  ['"false" for from_ingestion_api', { from_ingestion_api: 'false' }],
  ['null for every optional field', { title: null, doc_updated_at: null, chunk_count: null, primary_owners: null }],
  ['unknown fields', { colour: 'blue', role: 'admin' }],
  ['owners without any field', { primary_owners: [{}], secondary_owners: [{ email: '' }] }],
]
for (const [what, more] of LAX) {
  test(`a document may have ${what} [B16 B17]`, async () => {
    assert.equal((await ask('POST', INGESTION, { body: { document: documentOf('x', more) } })).status, 200)
  })
}

const STRICT: [what: string, document: Record<string, unknown>, loc: (string | number)[], type: string][] = [
  ['a number for a title', { semantic_identifier: 5 }, ['semantic_identifier'], 'string_type'],
  ['"many" for chunk_count', { chunk_count: 'many' }, ['chunk_count'], 'int_parsing'],
  ['1.5 for chunk_count', { chunk_count: 1.5 }, ['chunk_count'], 'int_from_float'],
  ['"maybe" for from_ingestion_api', { from_ingestion_api: 'maybe' }, ['from_ingestion_api'], 'bool_parsing'],
  ['a text for sections', { sections: 'x' }, ['sections'], 'list_type'],
  ['a list for metadata', { metadata: [] }, ['metadata'], 'dict_type'],
  ['a number in metadata', { metadata: { a: 1 } }, ['metadata', 'a', 'str'], 'string_type'],
  ['an object in metadata', { metadata: { a: {} } }, ['metadata', 'a', 'str'], 'string_type'],
  ['a null in a metadata list', { metadata: { a: [null] } }, ['metadata', 'a', 'str'], 'string_type'],
]
for (const [what, more, loc, type] of STRICT) {
  test(`a document may not have ${what} [B16]`, async () => {
    const { status, body } = await ask('POST', INGESTION, { body: { document: documentOf('x', more) } })
    assert.equal(status, 422)
    assert.deepEqual([body.detail[0].loc, body.detail[0].type], [['body', 'document', ...loc], type])
  })
}

test('metadata is returned unchanged', async () => {
  const metadata = { team: 'Search', tags: ['a', 'b'], empty: '', none: [], 'ключ 🔑': 'значение' }
  await push(documentOf('metadatafull', { id: 'metadata', metadata }))
  const { results } = await search('metadatafull')
  assert.deepEqual(results[0].metadata, metadata)
})

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, 'v']))
const METADATA: [what: string, metadata: Record<string, unknown>, status: number][] = [
  ['256 keys', keys(256), 200],
  ['257 keys', keys(257), 422],
  ['a value of 8,000 characters', { a: 'x'.repeat(8_000) }, 200],
  ['a value of 8,193 characters', { a: 'x'.repeat(8_193) }, 422],
  ['a list of 10,000 empty texts', { a: Array(10_000).fill('') }, 422],
  ['a list of 9,000 characters', { a: Array(9).fill('x'.repeat(1_000)) }, 422],
]
for (const [what, metadata, expected] of METADATA) {
  test(`metadata with ${what} is ${expected}`, async () => {
    const { status, body } = await ask('POST', INGESTION, { body: { document: documentOf('x', { metadata }) } })
    assert.equal(status, expected)
    if (status === 422) assert.deepEqual(body.detail[0].loc.slice(0, 3), ['body', 'document', 'metadata'])
  })
}

const DATES: [given: unknown, answered: string][] = [
  ['2024-08-01T12:30:00Z', '2024-08-01T12:30:00.000Z'],
  ['2024-08-01T12:30:00.123456Z', '2024-08-01T12:30:00.123Z'],
  ['2024-08-01T12:30:00+02:00', '2024-08-01T10:30:00.000Z'],
  ['2024-08-01T12:30:00', '2024-08-01T12:30:00.000Z'],
  ['2024-08-01 12:30', '2024-08-01T12:30:00.000Z'],
  ['2024-08-01', '2024-08-01T00:00:00.000Z'],
  [1722515400, '2024-08-01T12:30:00.000Z'],
  ['1722515400', '2024-08-01T12:30:00.000Z'],
  [1722515400000, '2024-08-01T12:30:00.000Z'],
  [1722515400.5, '2024-08-01T12:30:00.500Z'],
  ['1970-01-01T00:00:00+14:00', '1969-12-31T10:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  [0, '1970-01-01T00:00:00.000Z'],
]
for (const [at, [given, answered]] of DATES.entries()) {
  test(`doc_updated_at ${JSON.stringify(given)} is ${answered} [B19]`, async () => {
    const word = `dated${'abcdefghijklmnopqrstuvwxyz'[at]}`
    await push(documentOf(word, { id: word, doc_updated_at: given }))
    assert.equal((await search(word)).results[0].updated_at, answered)
  })
}

const BAD_DATES = [
  '2026-02-30',
  '2023-02-29',
  '99999-01-01',
  '2026-06-30T23:59:60Z',
  '2026-13-01',
  'yesterday',
  '',
  true,
]
for (const doc_updated_at of [...BAD_DATES, {}, '2026-01-01T25:00:00Z', 1e20]) {
  test(`doc_updated_at ${JSON.stringify(doc_updated_at)} is rejected [B19]`, async () => {
    const { status, body } = await ask('POST', INGESTION, { body: { document: documentOf('x', { doc_updated_at }) } })
    assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'document', 'doc_updated_at']])
  })
}

test('a document without a date gets the time of its acceptance', async () => {
  const before = Date.now()
  await push(documentOf('undated', { id: 'undated' }))
  const { results } = await search('undated')
  const updatedAt = Date.parse(results[0].updated_at)
  assert.ok(updatedAt >= before && updatedAt <= Date.now())
})

test('the receipt of an indexed document shows time, index and chunk count', async () => {
  const before = Date.now()
  await push(documentOf('receipted', { id: 'receipt' }))
  const { accepted_at, indexed_at, request_id, ...rest } = await receipt('receipt')
  assert.deepEqual(rest, {
    document_id: 'receipt',
    status: 'indexed',
    reason: null,
    // This test runs without a model; test/api/embedding.test.ts uses one.
    embedded_at: null,
    attempts: 0,
    retry_at: null,
    chunk_count: 1,
    cc_pairs: [{ id: 1, name: 'DefaultCCPair' }],
    unknown_image_file_ids: [],
    warnings: [],
    recognition: null,
    transcripts: null,
    captions: null,
    is_hidden: false,
    is_quarantined: false,
  })
  assert.ok(Date.parse(accepted_at) >= before && Date.parse(accepted_at) <= Date.parse(indexed_at))
  assert.ok(Date.parse(indexed_at) <= Date.now())
  assert.match(request_id, /^[0-9a-f-]{36}$/)
})

test('the receipt of a waiting document gives the reason', async () => {
  const text = 'a long text of many words, '.repeat(40_000)
  const pushes = Array.from({ length: 5 }, (_, at) =>
    ok('POST', INGESTION, { body: { document: documentOf(text, { id: `slow-${at}` }) } }),
  )
  await Promise.all(pushes)
  const { status, reason } = await receipt('slow-4')
  assert.ok(status === 'indexed' ? reason === null : reason.length > 5, `${status}: ${reason}`)
  assert.ok(await waitFor(async () => (await receipt('slow-4')).status === 'indexed', 'the last document', 30_000))
})

test('a document that was never pushed has no receipt', async () => {
  const { status, body } = await ask('GET', `${INGESTION}/never`)
  assert.deepEqual([status, body.error_code], [404, 'DOCUMENT_NOT_FOUND'])
})

test('unchanged content is not indexed again', async () => {
  await push(documentOf('unchanged', { id: 'unchanged' }))
  const { indexed_at } = await receipt('unchanged')
  const { already_existed } = await push(documentOf('unchanged', { id: 'unchanged' }))
  assert.deepEqual([already_existed, (await receipt('unchanged')).indexed_at], [true, indexed_at])
})

const CHANGES: [what: string, more: Record<string, unknown>][] = [
  ['metadata', { metadata: { a: 'b' } }],
  ['title', { title: 'Another title' }],
  ['date', { doc_updated_at: '2020-01-01' }],
  ['display title', { semantic_identifier: 'Another note' }],
  ['link', { sections: [{ text: 'changing', link: 'https://example.com' }] }],
  ['source', { source: 'file' }],
]
for (const [what, more] of CHANGES) {
  test(`a different ${what} alone is a change`, async () => {
    const id = `changing ${what}`
    await push(documentOf(`changing`, { id }))
    const first = await search('changing')
    await push(documentOf('changing', { id, ...more }))
    const second = await search('changing')
    const of = ({ results }: typeof first) => results.find((it: { document_id: string }) => it.document_id === id)
    assert.notDeepEqual({ ...of(second), score: 0 }, { ...of(first), score: 0 })
  })
}

test('wait_for=indexed responds when the document is searchable', async () => {
  const body = { document: documentOf('readafterwrite', { id: 'read-after-write' }) }
  const answer = await ok('POST', `${INGESTION}?wait_for=indexed`, { body })
  assert.equal(answer.status, 'indexed')
  assert.deepEqual(await found('readafterwrite'), ['read-after-write'])
})

test('wait_for=indexed with timeout_ms=0 responds at once', async () => {
  const body = { document: documentOf('impatient', { id: 'impatient' }) }
  const { status } = await ok('POST', `${INGESTION}?wait_for=indexed&timeout_ms=0`, { body })
  assert.ok(['accepted', 'indexing', 'indexed'].includes(status))
})

test('wait_for=indexed waits for a later version if there is one', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      ok('POST', `${INGESTION}?wait_for=indexed&timeout_ms=30000`, {
        body: { document: documentOf(`overtaken ${at}`, { id: 'overtaken' }) },
      }),
    ),
  )
  assert.deepEqual([...new Set(answers.map((it) => it.status))], ['indexed'])
})

const BAD_WAITS = ['wait_for=never', 'wait_for=indexed&timeout_ms=soon', 'wait_for=indexed&timeout_ms=-1']
for (const query of [...BAD_WAITS, 'wait_for=indexed&timeout_ms=1e9', 'wait_for=indexed&wait_for=indexed']) {
  test(`?${query} is rejected and nothing is stored [C6]`, async () => {
    const body = { document: documentOf('x', { id: 'refused wait' }) }
    const reply = await ask('POST', `${INGESTION}?${query}`, { body })
    assert.deepEqual([reply.status, reply.body.detail[0].loc[0]], [422, 'query'])
    assert.equal((await ask('GET', `${INGESTION}/refused%20wait`)).status, 404)
  })
}

test('a deleted document is not found, not counted, and has no receipt', async () => {
  await push(documentOf('shortlived', { id: 'shortlived' }))
  assert.equal(await ok('DELETE', `${INGESTION}/shortlived`), null)
  assert.equal((await ask('GET', `${INGESTION}/shortlived`)).status, 404)
  assert.deepEqual((await search('shortlived')).results, [])
  assert.ok(await waitFor(async () => (await search('shortlived')).total === 0, 'a total of 0'))
})

test('deleting an unknown document is 404', async () => {
  const { status, body } = await ask('DELETE', `${INGESTION}/never`)
  assert.deepEqual([status, body.error_code], [404, 'DOCUMENT_NOT_FOUND'])
})

test('a document can be deleted only once', async () => {
  await push(documentOf('x', { id: 'once' }))
  await ok('DELETE', `${INGESTION}/once`)
  assert.equal((await ask('DELETE', `${INGESTION}/once`)).status, 404)
})

// A lookup also tries other spellings of an id, and so does a repeated deletion.
for (const [id, other] of [
  ['again%2Fagain', 'again/again'],
  ['once/more', 'once%2Fmore'],
] as const) {
  const name = `a repeated deletion of ${id} does not delete ${other}`
  test(name, async () => {
    await push(documentOf('x', { id }))
    await push(documentOf('x', { id: other }))
    const path = `${INGESTION}/${encodeURIComponent(id)}`
    await ok('DELETE', path)
    await ask('DELETE', path)
    assert.equal((await receipt(other)).document_id, other)
  })
}

test('a document pushed again after its deletion is new', async () => {
  await push(documentOf('phoenix', { id: 'phoenix' }))
  await ok('DELETE', `${INGESTION}/phoenix`)
  assert.equal((await push(documentOf('phoenix', { id: 'phoenix' }))).already_existed, false)
  assert.deepEqual(await found('phoenix'), ['phoenix'])
})

test('a document pushed again after its deletion is only in its new pair', async () => {
  const cc_pair_id = await makePair('Afterlife')
  await push(documentOf('reborn', { id: 'reborn' }))
  await ok('DELETE', `${INGESTION}/reborn`)
  await push(documentOf('reborn', { id: 'reborn' }), { cc_pair_id })
  assert.deepEqual((await receipt('reborn')).cc_pairs, [{ id: cc_pair_id, name: 'Afterlife' }])
})

test('a deleted document is not counted in its pair', async () => {
  const cc_pair_id = await makePair('Counted')
  const count = async () => (await listed()).find((it) => it.cc_pair_id === cc_pair_id).docs_indexed
  await push(documentOf('x', { id: 'counted-1' }), { cc_pair_id })
  await push(documentOf('x', { id: 'counted-2' }), { cc_pair_id })
  assert.equal(await count(), 2)
  await ok('DELETE', `${INGESTION}/counted-1`)
  assert.equal(await count(), 1)
})

test('a million keys of metadata are rejected [B6]', async () => {
  const document = documentOf('x', { metadata: keys(1_000_000) })
  const { status, body } = await ask('POST', INGESTION, { body: { document } })
  assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'document', 'metadata']])
})

test('a key of a million characters is rejected [B6]', async () => {
  const document = documentOf('x', { metadata: { ['k'.repeat(1_000_000)]: 'v' } })
  const { status, body } = await ask('POST', INGESTION, { body: { document } })
  assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'document', 'metadata', 'k'.repeat(200), '[key]']])
})

test('a hundred thousand sections are rejected with the limit in the message [B6]', async () => {
  const sections = Array.from({ length: 100_000 }, () => ({ text: 'x' }))
  const { status, body } = await ask('POST', INGESTION, { body: { document: documentOf('', { sections }) } })
  assert.deepEqual(
    [status, body.detail],
    [
      422,
      [
        {
          loc: ['body', 'document', 'sections'],
          msg: 'List should have at most 10000 items after validation, not 100000',
          type: 'too_long',
        },
      ],
    ],
  )
})

test('a million invalid sections give at most a hundred errors [B6]', async () => {
  const sections = Array.from({ length: 10_000 }, () => 5)
  const { status, body } = await ask('POST', INGESTION, { body: { document: documentOf('', { sections }) } })
  assert.equal(status, 422)
  assert.ok(body.detail.length <= 100)
})

test('__proto__ and constructor as keys of metadata are data [B9]', async () => {
  const metadata = '{"__proto__":"a","constructor":"b","prototype":["c"]}'
  const bytes = `{"document":{"id":"proto","semantic_identifier":"x","sections":[{"text":"protokeys"}],"metadata":${metadata}}}`
  await ok('POST', `${INGESTION}?wait_for=indexed`, { bytes })
  assert.equal(JSON.stringify((await search('protokeys')).results[0].metadata), metadata)
})

test('__proto__ as a field of the request is ignored [B9]', async () => {
  const document = '"semantic_identifier":"x","sections":[],"metadata":{}'
  const bytes = `{"__proto__":{"cc_pair_id":999999},"document":{${document},"__proto__":{"id":"polluted"},"id":"clean"}}`
  assert.equal((await ok('POST', INGESTION, { bytes })).document_id, 'clean')
  assert.equal((await ask('GET', `${INGESTION}/polluted`)).status, 404)
})

test('a field that is only inherited is missing [B9]', async () => {
  const bytes = '{"document":{"__proto__":{"semantic_identifier":"x","sections":[],"metadata":{}}}}'
  const { status, body } = await ask('POST', INGESTION, { bytes })
  assert.equal(status, 422)
  assert.deepEqual(
    body.detail.map((it: { loc: string[] }) => it.loc[2]),
    ['semantic_identifier', 'sections', 'metadata'],
  )
})

test('the last of two equal keys wins [B8]', async () => {
  const document = (id: string) => `"document":{"id":"${id}","semantic_identifier":"x","sections":[],"metadata":{}}`
  const { document_id } = await ok('POST', INGESTION, { bytes: `{${document('first-key')},${document('last-key')}}` })
  assert.equal(document_id, 'last-key')
  assert.equal((await ask('GET', `${INGESTION}/first-key`)).status, 404)
})

test('half a surrogate pair in a text or title becomes U+FFFD [B10]', async () => {
  const document = '"id":"surrogate","semantic_identifier":"a\\ud800b","metadata":{}'
  const bytes = `{"document":{${document},"sections":[{"text":"halfpair \\udc00 end"}]}}`
  await ok('POST', `${INGESTION}?wait_for=indexed`, { bytes })
  const [hit] = (await search('halfpair')).results
  assert.deepEqual([hit.semantic_identifier, hit.content], ['a\ufffdb', 'halfpair \ufffd end'])
})

test('half a surrogate pair in a metadata key is rejected [B10]', async () => {
  const bytes = '{"document":{"semantic_identifier":"x","sections":[],"metadata":{"\\ud800":"v"}}}'
  const { status, body } = await ask('POST', INGESTION, { bytes })
  assert.deepEqual([status, body.detail[0].type], [422, 'not_well_formed'])
})

test('half a surrogate pair in metadata, link or owner does not break the response [B10]', async () => {
  const document = '"id":"surrogate2","semantic_identifier":"x","primary_owners":[{"email":"\\ud800@example.com"}]'
  const sections = '"sections":[{"text":"halfmeta","link":"https://a/\\ud800"}],"metadata":{"a":"x\\ud800"}'
  await ok('POST', `${INGESTION}?wait_for=indexed`, { bytes: `{"document":{${document},${sections}}}` })
  const [hit] = (await search('halfmeta')).results
  assert.deepEqual([hit.metadata, hit.link], [{ a: 'x\ufffd' }, 'https://a/\ufffd'])
})

test('NUL is removed from texts and titles [B11]', async () => {
  await push(documentOf('before\u0000after nulword', { id: 'nul', semantic_identifier: 'a\u0000b' }))
  const [hit] = (await search('nulword')).results
  assert.deepEqual([hit.semantic_identifier, hit.content], ['ab', 'beforeafter nulword'])
})

test('NUL is removed from metadata [B11]', async () => {
  await push(documentOf('nulmeta', { id: 'nul2', metadata: { a: 'x\u0000y', b: ['p\u0000q'] } }))
  assert.deepEqual((await search('nulmeta')).results[0].metadata, { a: 'xy', b: ['pq'] })
})

test('a NUL in a link or a source does not truncate the document [B11]', async () => {
  const sections = [{ text: 'nullink', link: 'https://a/\u0000b' }]
  const { status } = await ask('POST', `${INGESTION}?wait_for=indexed`, {
    body: { document: documentOf('', { id: 'nul3', sections, source: 'we\u0000b' }) },
  })
  if (status === 422) return
  const [hit] = (await search('nullink')).results
  assert.deepEqual([hit.link, hit.source_type, hit.content], ['https://a/b', 'web', 'nullink'])
})

const BAD_INTEGERS: [json: string, type: string][] = [
  ['9007199254740993', 'int_parsing_size'],
  ['1e400', 'finite_number'],
  ['1.5', 'int_from_float'],
  ['"1e3"', 'int_parsing'],
  ['"one"', 'int_parsing'],
  ['[]', 'int_type'],
]
for (const [json, type] of BAD_INTEGERS) {
  test(`cc_pair_id ${json} is rejected [B14]`, async () => {
    const document = '{"semantic_identifier":"x","sections":[],"metadata":{}}'
    const { status, body } = await ask('POST', INGESTION, { bytes: `{"cc_pair_id":${json},"document":${document}}` })
    assert.equal(status, 422)
    assert.deepEqual([body.detail[0].loc, body.detail[0].type], [['body', 'cc_pair_id'], type])
  })
}

for (const json of ['1.0', '1e0', '100e-2', '-0']) {
  test(`cc_pair_id ${json} is an integer [B14]`, async () => {
    const document = '{"semantic_identifier":"x","sections":[],"metadata":{}}'
    await ok('POST', INGESTION, { bytes: `{"cc_pair_id":${json},"document":${document}}` })
  })
}

const OWNERS: [what: string, owner: Record<string, string>][] = [
  ['an e-mail of 10 kB', { email: `${'a'.repeat(10_000)}@example.com` }],
  ['a name with a header in it', { display_name: 'a\r\nBcc: b@example.com' }],
  ['an e-mail with a header in it', { email: 'a@example.com\r\nBcc: b@example.com' }],
]
for (const [what, owner] of OWNERS) {
  test(`an owner with ${what} is rejected [B20]`, async () => {
    const body = { document: documentOf('x', { primary_owners: [owner] }) }
    const reply = await ask('POST', INGESTION, { body })
    assert.deepEqual(
      [reply.status, reply.body.detail?.[0].loc.slice(0, 4)],
      [422, ['body', 'document', 'primary_owners', 0]],
    )
  })
}

const ODD_TEXTS: [what: string, text: string][] = [
  ['one word of 10 MB', 'a'.repeat(10_000_000)],
  ['a million combining marks', `e${'\u0301'.repeat(1_000_000)}`],
  ['a million zero-width and bidi controls', '\u200b\u202e'.repeat(500_000)],
  ['a million emoji', '🚀'.repeat(1_000_000)],
]
for (const [at, [what, text]] of ODD_TEXTS.entries()) {
  test(`a text of ${what} is accepted, and its snippet is short [B21]`, async () => {
    const word = `oddity${'abcd'[at]}`
    await push(documentOf(`${word} ${text}`, { id: word }))
    const [hit] = (await search(word)).results
    assert.equal(hit.document_id, word)
    assert.ok(hit.blurb.length <= 1_000, `${hit.blurb.length} characters`)
    assert.ok(hit.content.length <= 10_000, `${hit.content.length} characters`)
  })
}

const stampede = (id: string) =>
  Promise.all(
    Array.from({ length: 100 }, (_, at) => {
      const document = documentOf(`${id} number${at}`, { id, semantic_identifier: `Version ${at}` })
      return ok('POST', INGESTION, { body: { document } })
    }),
  )

test('exactly one of a hundred concurrent pushes of an id is new [B22]', async () => {
  const answers = await stampede('stampede')
  assert.equal(answers.filter((it) => !it.already_existed).length, 1)
})

test('after a hundred concurrent pushes of an id one version is found [B22]', async () => {
  await stampede('gallop')
  await settled(server)
  const { results, total } = await search('gallop')
  assert.deepEqual([results.length, total, (await receipt('gallop')).chunk_count], [1, 1, 1])
  assert.equal(results[0].semantic_identifier.split(' ')[1], results[0].content.split('number')[1])
})

test('an update without a date gets the time of its acceptance', async () => {
  await push(documentOf('aging', { id: 'aging', doc_updated_at: '2001-01-01' }))
  await push(documentOf('aging', { id: 'aging' }))
  const { results } = await search('aging')
  assert.ok(Date.now() - Date.parse(results[0].updated_at) < DAY_MS)
})
