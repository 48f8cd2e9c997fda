// Commands that talk to a running service.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { docx } from '../extract/office-files.ts'
import { pdf } from '../extract/pdf-writer.ts'
import { zip } from '../extract/zip-writer.ts'
import { startServer } from '../server.ts'
import { type CommandResult, pharos, temporaryFolder } from './pharos.ts'

const server = await startServer()
const folder = temporaryFolder()
const env = { PHAROS_URL: server.url, PHAROS_API_KEY: server.key, XDG_STATE_HOME: join(folder, 'state') }
const run = (...words: string[]): Promise<CommandResult> => pharos(words, { env })
const fileOf = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const line = (id: string, text: string) =>
  JSON.stringify({ document: { id, semantic_identifier: id, sections: [{ text }], metadata: {} } })

const totalOf = async (query: string) =>
  ((await server.api('POST', '/search', { query })).body as { total: number }).total

test('the lines of a file are pushed, and every rejected one is reported with its reason', async () => {
  const noTitle = '{"document":{"id":"untitled"}}'
  const path = fileOf(
    'mixed.jsonl',
    `\ufeff${line('one', 'heliotrope')}\r\n\n{bad\n${noTitle}\n${line('two', 'heliotrope')}`,
  )
  const { code, out, error } = await run('ingest', path, '--wait')
  assert.equal(code, 65)
  assert.match(out, /^2 accepted \(2 new, 0 updated\), 1 refused, 1 unreadable, in [\d.]+ s\.\n$/)
  assert.match(
    error,
    /^ {2}3: the line is not valid JSON:.*\n {2}4: body\.document\.semantic_identifier: Field required/s,
  )
  assert.equal(await totalOf('heliotrope'), 2)
  const again = await run('ingest', path, '--json')
  const { created, updated, refused, unread, mishaps } = JSON.parse(again.out)
  assert.deepEqual({ created, updated, refused, unread }, { created: 0, updated: 2, refused: 1, unread: 1 })
  assert.deepEqual(
    mishaps.map((it: { at: string }) => it.at),
    ['3', '4'],
  )
  assert.ok(!existsSync(join(folder, 'state/pharos')) || readdirSync(join(folder, 'state/pharos')).length === 0)
})

test('the later line of a document in a file wins, at any concurrency', async () => {
  const lines = Array.from({ length: 60 }, (_, at) => line(`twice${at % 3}`, `version${at}`))
  assert.equal((await run('ingest', fileOf('twice.jsonl', lines.join('\n')), '--wait')).code, 0)
  for (const [query, total] of [
    ['version57', 1],
    ['version58', 1],
    ['version59', 1],
    ['version56', 0],
  ] as const) {
    assert.equal(await totalOf(query), total, query)
  }
})

test('standard input is pushed into the connector of the option', async () => {
  const { code, error } = await pharos(['ingest', '-', '--cc-pair', '4711'], { env, input: `${line('piped', 'x')}\n` })
  assert.equal(code, 65)
  assert.match(error, /1: Connector-Credential Pair specified does not exist: 4711\./)
  assert.equal((await pharos(['ingest', '-'], { env, input: `${line('piped', 'x')}\n` })).code, 0)
})

test('in a folder, paths become ids, headings become titles, and unreadable files are listed', async () => {
  const root = join(folder, 'handbook')
  mkdirSync(join(root, 'sub/.hidden'), { recursive: true })
  writeFileSync(join(root, 'a.md'), '# Holidays\n\nEverybody has celandine days')
  writeFileSync(
    join(root, 'sub/page 1.html'),
    '<title>A &amp; B</title><style>zinnia{}</style><p>cel<b>andine</b> on a page<script>zinnia()</script>',
  )
  writeFileSync(join(root, 'sub/photo.png'), Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'))
  writeFileSync(join(root, 'sub/scan.pdf'), pdf([{ image: true }]))
  writeFileSync(join(root, 'sub/secret.pdf'), pdf([{ text: 'celandine' }], { password: 'p' }))
  writeFileSync(join(root, 'b.pdf'), pdf([{ text: 'one' }, { text: 'celandine of page two' }]))
  writeFileSync(
    join(root, 'sub/all.zip'),
    zip({ 'x/plan.docx': docx(), 'a.txt': 'celandine in an archive', 'locked.pdf': pdf([{}], { password: 'p' }) }),
  )
  writeFileSync(join(root, 'sub/latin.txt'), Buffer.from([0x63, 0xe9]))
  writeFileSync(join(root, 'sub/.hidden/no.txt'), 'celandine')
  const { code, out } = await run(
    'ingest',
    root,
    '--link-base',
    'https://wiki/',
    '--source',
    'wiki',
    '--wait',
    '--json',
  )
  assert.equal(code, 65)
  assert.deepEqual(JSON.parse(out).mishaps, [
    { at: 'sub/all.zip', reason: '!/locked.pdf: The document is password-protected.' },
    { at: 'sub/photo.png', reason: 'No text can be extracted from this kind of file: sub/photo.png' },
    { at: 'sub/scan.pdf', reason: '1 of 1 pages are images without text.' },
    { at: 'sub/secret.pdf', reason: 'The document is password-protected.' },
  ])
  const { results } = JSON.parse((await run('search', 'celandine', '--source', 'wiki', '--json')).out)
  const facts = results.map((it: Record<string, unknown>) => [it.document_id, it.semantic_identifier, it.link])
  assert.deepEqual(facts.sort(), [
    ['handbook/a.md', 'Holidays', 'https://wiki/a.md#holidays'],
    ['handbook/b.pdf', 'b', 'https://wiki/b.pdf#page=2'],
    ['handbook/sub/all.zip!/a.txt', 'a', 'https://wiki/sub/all.zip'],
    ['handbook/sub/page 1.html', 'A & B', 'https://wiki/sub/page%201.html'],
  ])
  assert.equal(await totalOf('zinnia'), 0)
})

test('document content cannot reach the terminal as a control sequence, in text or JSON', async () => {
  const evil = '\u001b[2J\u202e geranium \u0007\u009b'
  await run('ingest', fileOf('evil.jsonl', line('evil', evil)), '--wait')
  for (const words of [
    ['search', 'geranium'],
    ['search', 'geranium', '--json'],
  ]) {
    const { out } = await run(...words)
    assert.match(out, /geranium/)
    assert.doesNotMatch(out, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    assert.match(out, /\\u001b\[2J\\u202e geranium \\u0007\\u009b/)
  }
})

test('a key is created, listed and revoked, and printed alone for scripts', async () => {
  const made = await run('key', 'create', '--name', 'robot', '--role', 'limited', '--scope', 'search')
  const secret = made.out.trim()
  assert.match(secret, /^pharos_\w+$/)
  const [entry] = JSON.parse((await run('key', 'list', '--json')).out)
  assert.deepEqual([entry.api_key_name, entry.api_key_role, entry.scopes], ['robot', 'limited', ['search']])
  const asRobot = { env: { ...env, PHAROS_API_KEY: secret } }
  assert.equal((await pharos(['search', 'geranium'], asRobot)).code, 0)
  assert.equal((await pharos(['key', 'list'], asRobot)).code, 77)
  assert.equal((await run('key', 'revoke', String(entry.api_key_id))).code, 0)
  assert.equal((await pharos(['search', 'geranium'], asRobot)).code, 77)
})

test('the status shows the index, the key and the connectors', async () => {
  const { code, out } = await run('status')
  assert.equal(code, 0)
  assert.match(
    out,
    /^Pharos at http.*\n {2}index {4}everything accepted is searchable\n {2}key {6}admin\n {2}version {2}interface Development, this program \d+\.\d+\.\d+\n/,
  )
  const { queue, key } = JSON.parse((await run('status', '--json')).out)
  assert.deepEqual([queue.pending, queue.waiting_for, key.role], [0, null, 'admin'])
})

test('the status with an unknown key says what to set, and exits with 77', async () => {
  const { code, out } = await run('status', '--key', 'nobody')
  assert.equal(code, 77)
  assert.match(
    out,
    /everything accepted is searchable\n {2}key {6}the service does not accept it: set PHAROS_API_KEY or pass --key\n/,
  )
})

test('another service without a key is not called, and the message names both ways to set one', async () => {
  for (const words of [['search', 'x'], ['status'], ['key', 'list']]) {
    const { code, out, error } = await pharos(words, { env: { PHAROS_URL: server.url } })
    assert.deepEqual([code, out], [77, ''])
    assert.equal(error, `There is no key for ${server.url}. Set PHAROS_API_KEY, or give --key.\n`)
  }
})

test('the index is rebuilt while the service runs; a second request follows the first', async () => {
  const ended = await Promise.all([run('reindex'), run('reindex', '--json')])
  for (const { code, error } of ended) assert.equal(code, 0, error)
  assert.match(ended[0].out, /^Index [23] serves at http:\S+, made in [\d.]+ s\.\n$/)
  assert.ok([2, 3].includes(JSON.parse(ended[1].out).generation))
})

test('refusals and an unreachable service have exit codes of their own', async () => {
  const cases: [string[], number, RegExp][] = [
    [['search', 'x', '--since', 'soon'], 65, /time_cutoff/],
    [['search', 'x', '--key', 'nobody'], 77, /Missing or invalid key/],
    [['search', 'x', '--url', 'http://127.0.0.1:65431'], 69, /cannot be reached: .*ECONNREFUSED/],
    [['reindex', '--url', 'http://127.0.0.1:65431'], 69, /cannot be reached: .*ECONNREFUSED/],
    [['reindex', '--key', 'nobody'], 77, /Missing or invalid key/],
    [['search', 'x', '--url', 'ftp://host'], 78, /must be http:/],
  ]
  for (const [words, code, message] of cases) {
    const ended = await run(...words)
    assert.deepEqual([ended.code, ended.out], [code, ''])
    assert.match(ended.error, message)
    assert.doesNotMatch(ended.error, /\n {4}at /)
  }
})

test('an unreachable service does not create a data folder', async () => {
  const dataDir = join(folder, 'none')
  assert.equal((await pharos(['status'], { dataDir, env: { PORT: '65431' } })).code, 69)
  assert.ok(!existsSync(dataDir))
})

test('documents without text are counted and named in the summary, and are no error', async () => {
  const empty = JSON.stringify({ document: { id: 'blank', semantic_identifier: 'blank', sections: [], metadata: {} } })
  const path = fileOf('blank.jsonl', `${line('full', 'text')}\n${empty}`)
  const { code, out, error } = await run('ingest', path)
  assert.equal(code, 0)
  assert.match(out, /^2 accepted \(2 new, 0 updated\), 1 of them without text, in /)
  assert.match(error, /^ {2}2: contains no text/m)
  const { created, updated, without_text, without_text_items } = JSON.parse((await run('ingest', path, '--json')).out)
  assert.deepEqual(
    { created, updated, without_text, without_text_items },
    {
      created: 0,
      updated: 2,
      without_text: 1,
      without_text_items: ['2'],
    },
  )
})
