// The files of documents: who gets them, how, and where a hit leads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { form, formHeaders, type Part } from '../api/multipart-form.ts'
import { documentOf } from '../api/setup.ts'
import { pdf } from '../extract/pdf-writer.ts'
import { zip } from '../extract/zip-writer.ts'
import { startWithConnectors } from './setup.ts'

const service = await startWithConnectors()
const { ok, ask, pull, ended, until, found, search, push, makeKey, makePair, server } = service

const ORIGINAL = '/document/original'
const pathOf = (id: string) => `${ORIGINAL}?document_id=${encodeURIComponent(id)}`
const textPath = (id: string, more = '') => `/document/text?document_id=${encodeURIComponent(id)}${more}`

async function original(id: string, headers: Record<string, string> = {}, key: string | null = server.key) {
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
  const answer = await fetch(server.url + pathOf(id), { headers: { ...authorization, ...headers }, redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

interface File {
  name: string
  content: string | Buffer
  type?: string
}

async function upload(...files: File[]): Promise<string[]> {
  const parts = files.map((it): Part => ({ field: 'files', type: 'application/octet-stream', ...it }))
  return (await ok('POST', '/manage/admin/connector/file/upload', { bytes: form(...parts), headers: formHeaders }))
    .file_paths
}

/** The ids of the documents, when the pair has read the files. */
async function connect(name: string, files: readonly File[], association: object = {}) {
  const ids = await upload(...files)
  const config = { file_locations: ids, file_names: files.map((it) => it.name) }
  const connector = {
    ...{ source: 'file', input_type: 'load_state', connector_specific_config: config },
    ...{ refresh_freq: null, prune_freq: null },
  }
  const pair = await pull(name, connector, { association })
  assert.equal((await ended(pair)).status, 'success')
  return { pair, file_ids: ids, ids: ids.map((it) => `FILE_CONNECTOR__${it}`) }
}

const isFound = (word: string, id: string, key?: string) =>
  until(async () => (await found(word, key)).includes(id), `${id} by "${word}"`)

/** The hit of a document. */
async function hit(word: string, id: string) {
  await isFound(word, id)
  return (await search(word)).results.find((it: { document_id: string }) => it.document_id === id)
}

const HANDBOOK = pdf([{ text: 'The zebra sleeps.' }, { text: 'The okapi eats.' }, { text: 'The tapir swims.' }])

test('a hit in a PDF opens the file at its page, in a search, in answers and in the list of the administrator', async () => {
  const { ids, pair } = await connect('Handbook', [{ name: 'handbook.pdf', content: HANDBOOK }])
  const [id = ''] = ids
  const link = `/api/document/original?document_id=${id}#page=3`
  assert.equal((await hit('tapir', id)).link, link)
  const wire = await ok('POST', '/search/send-search-message', { body: { search_query: 'tapir' } })
  assert.equal(wire.search_docs[0].link, link)
  const listed = await ok('POST', '/admin/search', { body: { query: 'okapi', filters: {} } })
  assert.equal(listed.documents[0].link, `/api/document/original?document_id=${id}#page=2`)
  const answer = await ok('POST', '/chat/send-chat-message', {
    body: { message: 'Who swims, the tapir?', stream: false, chat_session_info: { persona_id: 0 } },
  })
  assert.equal(answer.top_documents[0].link, link)
  const { status, headers, bytes } = await original(id)
  assert.deepEqual([status, bytes.equals(HANDBOOK)], [200, true])
  assert.equal(headers.get('content-type'), 'application/pdf')
  assert.equal(headers.get('content-disposition'), `inline; filename="handbook.pdf"; filename*=UTF-8''handbook.pdf`)
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
  // The document itself has no link, as before.
  const [listedDocument] = await ok('GET', `/service-api/connector-docs/${pair}`)
  assert.equal(listedDocument.link, null)
})

test('a file that a browser does not show opens its text, at the passage', async () => {
  const content = `# Birds\n\n${'The heron stands. '.repeat(300)}\n\n# Fish\n\nThe pike hides.`
  const [id = ''] = (await connect('Notes', [{ name: 'notes.md', content }])).ids
  const { link, chunk_ind } = await hit('pike', id)
  assert.equal(link, `/document?id=${id}&chunk=${chunk_ind}`)
  const read = await ok('GET', textPath(id, `&chunk=${chunk_ind}`))
  const [mark] = read.passage
  const item = read.items.find((it: { section: number }) => it.section === mark.section)
  assert.equal(item.text.slice(mark.from - item.from, mark.to - item.from), 'The pike hides.')
  assert.equal(item.heading, 'Fish')
  assert.deepEqual(
    [read.original.name, read.original.is_container, read.original.link],
    ['notes.md', false, `/api/document/original?document_id=${id}`],
  )
  assert.notEqual(read.previous_before, null)
  const earlier = await ok('GET', textPath(id, `&before=${read.previous_before}`))
  assert.deepEqual([earlier.next_after, earlier.previous_before], [read.previous_before, null])
  assert.equal(earlier.items[0].heading, 'Birds')
})

test('a member of an archive opens its text, and its original is the archive', async () => {
  const content = zip([
    { name: 'in/one.txt', data: 'the lemur' },
    { name: 'two.txt', data: 'the loris' },
  ])
  const { ids } = await connect('Archive', [{ name: 'both.zip', content }])
  const id = `${ids[0]}/in/one.txt`
  const { link } = await hit('lemur', id)
  assert.equal(link, `/document?id=${encodeURIComponent(id)}&chunk=0`)
  const read = await ok('GET', textPath(id, '&chunk=0'))
  assert.deepEqual([read.original.name, read.original.is_container], ['both.zip', true])
  const { headers, bytes } = await original(id)
  assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="both.zip"/)
  assert.ok(bytes.equals(content))

  const hide = (hidden: boolean) =>
    ok('POST', '/manage/admin/doc-hidden', { body: { document_id: `${ids[0]}/two.txt`, hidden } })
  await hide(true)
  assert.equal((await original(id)).status, 404, 'the archive holds a hidden document, too')
  assert.equal((await ok('GET', textPath(id))).original, null)
  await hide(false)
  assert.equal((await original(id)).status, 200)
})

for (const [name, content, type, shown, expected] of [
  [
    'page.html',
    '<!doctype html><p>gnu one</p><script>alert(1)</script>',
    'text/html',
    false,
    'application/octet-stream',
  ],
  ['fake.txt', '<!doctype html><p>gnu two</p>', 'text/plain', false, 'application/octet-stream'],
  ['plain.txt', 'gnu three', 'application/octet-stream', true, 'text/plain; charset=utf-8'],
  ['said.txt', 'gnu six', 'text/html', false, 'application/octet-stream'],
  ['table.csv', 'animal\ngnu four\n', 'text/csv', false, 'text/csv'],
  ['evil.xml', '<?xml version="1.0"?><a>gnu five</a>', 'text/xml', false, 'application/octet-stream'],
] as const) {
  test(`${name} is ${shown ? 'shown' : 'saved'} as ${expected}`, async () => {
    const [id = ''] = (await connect(name, [{ name, content, type }])).ids
    const { status, headers } = await original(id)
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), expected)
    assert.ok(headers.get('content-disposition')?.startsWith(shown ? 'inline;' : 'attachment;'))
    assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
  })
}

test('ranges, conditions and caches', async () => {
  const [id = ''] = (await connect('Ranges', [{ name: 'digits.txt', content: '0123456789' }])).ids
  const whole = await original(id)
  const etag = whole.headers.get('etag') ?? ''
  assert.deepEqual(
    [whole.headers.get('accept-ranges'), whole.headers.get('content-length'), whole.headers.get('cache-control')],
    ['bytes', '10', 'private, no-cache'],
  )
  const part = await original(id, { range: 'bytes=2-4' })
  assert.deepEqual(
    [part.status, part.bytes.toString(), part.headers.get('content-range'), part.headers.get('content-length')],
    [206, '234', 'bytes 2-4/10', '3'],
  )
  assert.equal((await original(id, { range: 'bytes=-2', 'if-range': etag })).bytes.toString(), '89')
  assert.equal((await original(id, { range: 'bytes=-2', 'if-range': '"other"' })).status, 200)
  const behind = await original(id, { range: 'bytes=10-' })
  assert.deepEqual([behind.status, behind.headers.get('content-range')], [416, 'bytes */10'])
  const known = await original(id, { 'if-none-match': etag })
  assert.deepEqual([known.status, known.bytes.length], [304, 0])
})

test('names with quotes, line ends and umlauts stay in their header', async () => {
  const name = 'Übersicht "A" 50%\nX-Evil: 1.txt'
  const [file_id = ''] = await upload({ name: 'x.txt', content: 'the puma' })
  await service.alterRecord(`update user_file set name = '${name}' where id = '${file_id}'`)
  const { headers, status } = await original(file_id)
  assert.deepEqual([status, headers.get('x-evil')], [200, null])
  assert.equal(
    headers.get('content-disposition'),
    `inline; filename="_bersicht _A_ 50__X-Evil: 1.txt"; filename*=UTF-8''${encodeURIComponent(name)}`,
  )
})

test('only those who may read the document get its original, and only while they may', async () => {
  const { ids, file_ids, pair } = await connect('Board', [{ name: 'minutes.txt', content: 'the manatee' }], {
    ...{ access_type: 'private', groups: ['board'] },
  })
  const [id = ''] = ids
  const member = await makeKey({ role: 'basic', user_group_ids: ['board'] })
  const stranger = await makeKey({ role: 'basic' })
  await isFound('manatee', id, member)
  assert.equal((await original(id, {}, member)).status, 200)
  assert.equal((await ok('GET', textPath(id), { key: member })).items[0].text, 'the manatee')
  const missing = await ask('GET', pathOf('never'), { key: stranger })
  for (const path of [
    pathOf(id),
    pathOf(`${id}/x`),
    pathOf(file_ids[0] ?? ''),
    textPath(id),
    textPath(id, '&chunk=0'),
  ]) {
    const refused = await ask('GET', path, { key: stranger })
    assert.deepEqual([refused.status, refused.text], [404, missing.text], path)
  }
  assert.equal((await original(id, {}, null)).status, 401)
  const etag = (await original(id, {}, member)).headers.get('etag') ?? ''
  await ok('POST', '/manage/admin/doc-hidden', { body: { document_id: id, hidden: true } })
  assert.equal((await original(id, { 'if-none-match': etag }, member)).status, 404)
  assert.equal((await original(id)).status, 404)
  await ok('POST', '/manage/admin/doc-hidden', { body: { document_id: id, hidden: false } })
  assert.equal((await original(id, {}, member)).status, 200)
  await service.alterRecord(`update cc_pair set groups = '["other"]' where id = ${pair}`)
  assert.equal((await original(id, { 'if-none-match': etag }, member)).status, 404, 'after the loss of access')
  await service.alterRecord(`update document set deleted_at = 1 where id = '${id}'`)
  assert.equal((await original(id)).status, 404, 'in the trash')
})

test('a key without the right to search gets nothing, and a token that only searches gets no own upload', async () => {
  const [file_id = ''] = await upload({ name: 'own.txt', content: 'the ibex' })
  const pushing = await makeKey({ role: 'limited', scopes: ['ingest'] })
  assert.equal((await ask('GET', pathOf(file_id), { key: pushing })).status, 403)
  const person = await makeKey({ role: 'basic' })
  const bytes = form({ field: 'file', name: 'mine.txt', type: 'text/plain', content: 'mine' })
  const { id } = await ok('POST', '/user/file/upload', { bytes, headers: formHeaders, key: person })
  assert.equal((await original(id, {}, person)).bytes.toString(), 'mine')
  assert.equal((await original(id)).status, 404, 'an administrator has no right to the upload of another person')
})

test('a document that was pushed under the id of a file gives no access to the file', async () => {
  const [file_id = ''] = await upload({ name: 'secret.txt', content: 'the secret' })
  const id = `FILE_CONNECTOR__${file_id}`
  await push(documentOf('bait', { id }))
  const answer = await ask('GET', pathOf(id))
  assert.deepEqual([answer.status, answer.body.error_code], [404, 'ORIGINAL_NOT_FOUND'])
  assert.equal((await ok('GET', textPath(id))).original, null)
  const { ids, pair } = await connect('Victim', [{ name: 'victim.txt', content: 'the victim' }])
  const open = await makePair('Open')
  await push(documentOf('bait', { id: `${ids[0]}/bait` }), { cc_pair_id: pair })
  await push(documentOf('bait', { id: `${ids[0]}/other` }), { cc_pair_id: open })
  for (const name of ['bait', 'other'])
    assert.equal((await ask('GET', pathOf(`${ids[0]}/${name}`))).body.error_code, 'ORIGINAL_NOT_FOUND', name)
})

test('a document without a file keeps its link, and has a text', async () => {
  await push(documentOf('the kudu', { id: 'kudu', sections: [{ text: 'the kudu', link: 'https://x.example/kudu' }] }))
  await push(documentOf('the nilgai', { id: 'nilgai' }))
  assert.equal((await hit('kudu', 'kudu')).link, 'https://x.example/kudu')
  assert.equal((await hit('nilgai', 'nilgai')).link, null)
  assert.equal((await ask('GET', pathOf('kudu'))).body.error_code, 'ORIGINAL_NOT_FOUND')
  const read = await ok('GET', textPath('kudu'))
  assert.deepEqual(
    [read.link, read.original, read.items[0].link],
    ['https://x.example/kudu', null, 'https://x.example/kudu'],
  )
})

test('10,000 sections are read in pages', async () => {
  const sections = Array.from({ length: 10_000 }, (_, at) => ({ text: `numbat${at} digs`, heading: `Part ${at}` }))
  await push(documentOf('', { id: 'long', sections }))
  const { chunk_ind } = await hit('numbat7777', 'long')
  const read = await ok('GET', textPath('long', `&chunk=${chunk_ind}`))
  assert.ok(read.items.length <= 200 && read.sections === 10_000)
  const marked = read.passage.map((it: { section: number }) => it.section)
  assert.ok(marked.includes(7_777), JSON.stringify(marked))
  assert.equal(read.items[0].section, marked[0])
  const seen = new Set<number>()
  for (let path = textPath('long'); path !== ''; ) {
    const page = await ok('GET', path)
    for (const it of page.items) seen.add(it.section)
    path = page.next_after === null ? '' : textPath('long', `&after=${page.next_after}`)
  }
  assert.equal(seen.size, 10_000)
  const gone = await ok('GET', textPath('long', '&chunk=999999'))
  assert.deepEqual([gone.passage, gone.items[0].section], [[], 0])
})

test('a browser that opens the original without a session gets the page, where the person signs in', async () => {
  const answer = await original('a b', { accept: 'text/html' }, null)
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/document?id=a%20b'])
  assert.equal((await original('never', { accept: 'text/html' })).headers.get('location'), '/document?id=never')
})
