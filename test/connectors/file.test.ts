// The file connector through the whole program: uploads, their metadata, and a server folder.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { form, formHeaders } from '../api/multipart-form.ts'
import { pdf } from '../extract/pdf-writer.ts'
import { zip } from '../extract/zip-writer.ts'
import { startWithConnectors } from './setup.ts'

const root = mkdtempSync(join(tmpdir(), 'pharos-folder-'))
const closed = mkdtempSync(join(tmpdir(), 'pharos-closed-'))
after(() => {
  rmSync(root, { recursive: true })
  rmSync(closed, { recursive: true })
})

const service = await startWithConnectors({ CONNECTOR_FOLDERS: root })
const { ok, ask, pull, ended, documents, runAgain, prune, found, until, receipt, search, refused } = service

async function upload(...files: { name: string; content: string | Buffer; type?: string }[]): Promise<string[]> {
  const parts = files.map((it) => ({ field: 'files', type: 'application/octet-stream', ...it }))
  const answer = await ask('POST', '/manage/admin/connector/file/upload', {
    bytes: form(...parts),
    headers: formHeaders,
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.file_paths
}

const ofFiles = (connector_specific_config: object) => ({
  source: 'file',
  input_type: 'load_state',
  connector_specific_config,
  refresh_freq: null,
  prune_freq: null,
})

test('uploaded files become searchable documents', async () => {
  const ids = await upload(
    { name: 'notes.md', content: '# Aardvarks\n\nThey dig at night.' },
    { name: 'page.html', content: '<title>Pangolins</title><nav>menu</nav><main><h2 id="s">Scales</h2>keratin</main>' },
    { name: 'picture.xyz', content: Buffer.from([0, 1, 2, 3]) },
  )
  const pair = await pull('Files', ofFiles({ file_locations: ids, file_names: ['notes.md', 'page.html', 'x.xyz'] }))
  const attempt = await ended(pair)
  assert.deepEqual(
    [attempt.status, attempt.new_docs_indexed, attempt.docs_skipped, attempt.error_count],
    ['success', 2, 1, 0],
    JSON.stringify(attempt),
  )
  const { items, total_items } = await ok('GET', `/manage/admin/cc-pair/${pair}/skipped-documents`)
  assert.equal(total_items, 1)
  assert.ok(items[0].document_id.endsWith(ids[2]!), items[0].document_id)
  assert.equal(items[0].index_attempt_id, attempt.id)
  assert.ok(items[0].reason.length > 10, items[0].reason)
  const [notes, page] = [`FILE_CONNECTOR__${ids[0]}`, `FILE_CONNECTOR__${ids[1]}`]
  assert.deepEqual((await documents(pair)).sort(), [notes, page].sort())
  assert.deepEqual(await until(async () => (await found('dig')).length > 0 && found('dig'), 'dig'), [notes])
  await until(async () => (await found('keratin')).length > 0, 'keratin')
  const { results } = await search('keratin')
  assert.deepEqual(
    [results[0].document_id, results[0].source_type, results[0].semantic_identifier],
    [page, 'file', 'page.html'],
  )
  assert.deepEqual(await found('menu'), [], 'navigation is not part of the content')
})

test("a PDF is decrypted with the credential's password and skipped with a reason without it", async () => {
  const ids = await upload({ name: 'locked.pdf', content: pdf([{ text: 'numbats' }], { password: 'hunter2' }) })
  const connector = ofFiles({ file_locations: ids })
  const credentialOf = async (pdf_password: string) => {
    const body = { credential_json: { pdf_password }, admin_public: true, source: 'file' }
    return (await ok('POST', '/manage/credential', { body })).id
  }
  const skipped = async (credential_id: number) => {
    const body = { ...connector, credential_id, access_type: 'public' }
    return (await ok('POST', '/manage/admin/connector/preview', { body })).skipped.map(
      (it: { reason: string }) => it.reason,
    )
  }
  assert.deepEqual(await skipped(0), ['The document is password-protected.'])
  assert.deepEqual(await skipped(await credentialOf('other')), ['The configured password does not open the document.'])
  const pair = await pull('Locked', connector, { credential: await credentialOf('hunter2') })
  assert.equal((await ended(pair)).status, 'success')
  const expected = [`FILE_CONNECTOR__${ids[0]}`]
  assert.deepEqual(
    await until(async () => (await found('numbats')).length > 0 && found('numbats'), 'numbats'),
    expected,
  )
})

test('file metadata sets id, title, link, owners, time, source and tags', async () => {
  const [one, two, list] = await upload(
    { name: 'one.txt', content: 'the first okapi' },
    { name: 'two.txt', content: '#ONYX_METADATA={"title":"Cryptid","team":"zoo"}\nthe second okapi' },
    {
      name: '.onyx_metadata.json',
      content: JSON.stringify([
        {
          filename: 'one.txt',
          id: 'zoo/one',
          link: 'https://zoo.example/one',
          file_display_name: 'One of them',
          title: 'The first',
          primary_owners: ['keeper@zoo.example', { display_name: 'Ann' }],
          doc_updated_at: '2024-02-29T12:00:00Z',
          connector_type: 'Google Drive',
          kind: ['striped', 'shy'],
        },
      ]),
    },
  )
  const config = { file_locations: [one, two], file_names: ['one.txt', 'two.txt'], zip_metadata_file_id: list }
  const pair = await pull('Described', ofFiles(config))
  assert.equal((await ended(pair)).status, 'success')
  assert.deepEqual((await documents(pair)).sort(), [`FILE_CONNECTOR__${two}`, 'zoo/one'])
  await until(async () => (await found('okapi')).length === 2, 'both')
  const { results } = await search('first okapi')
  const first = results.find((it: { document_id: string }) => it.document_id === 'zoo/one')
  assert.deepEqual(
    [first.semantic_identifier, first.link, first.source_type, first.updated_at, first.metadata],
    [
      'One of them',
      'https://zoo.example/one',
      'google_drive',
      '2024-02-29T12:00:00.000Z',
      { kind: ['striped', 'shy'] },
    ],
  )
  const second = results.find((it: { document_id: string }) => it.document_id !== 'zoo/one')
  assert.deepEqual([second.metadata, second.semantic_identifier], [{ team: 'zoo' }, 'two.txt'])
  assert.deepEqual(await found('Cryptid'), [`FILE_CONNECTOR__${two}`])
})

test('removing a file deletes its document, and an added file is indexed at once', async () => {
  const ids = await upload({ name: 'a.txt', content: 'a gecko' }, { name: 'b.txt', content: 'a skink' })
  const pair = await pull('Changing files', ofFiles({ file_locations: ids, file_names: ['a.txt', 'b.txt'] }))
  await ended(pair)
  const { connector } = await service.detail(pair)
  const parts = [
    { field: 'file_ids_to_remove', content: JSON.stringify([ids[0]]) },
    { field: 'files', name: 'c.txt', type: 'text/plain', content: 'a newt' },
  ]
  await ok('POST', `/manage/admin/connector/${connector.id}/files/update`, {
    bytes: form(...parts),
    headers: formHeaders,
  })
  await until(async () => {
    const { files } = await ok('GET', `/manage/admin/connector/${connector.id}/files`)
    const wanted = files.map((it: { file_id: string }) => `FILE_CONNECTOR__${it.file_id}`).sort()
    return JSON.stringify((await documents(pair)).sort()) === JSON.stringify(wanted)
  }, 'the documents of the files that are left')
})

test("archive members become documents with the archive's metadata", async () => {
  const content = zip({
    'animals/quoll.txt': 'a spotted quoll',
    'animals/numbat.html': '<title>Numbat</title><main>it eats termites</main>',
    'nothing.bin': Buffer.from([0, 1, 2, 3]),
    '.onyx_metadata.json': JSON.stringify([
      { filename: 'quoll.txt', link: 'https://zoo.example/quoll', island: 'yes' },
    ]),
  })
  const [id] = await upload({ name: 'animals.zip', content, type: 'application/zip' })
  const pair = await pull('Archive', ofFiles({ file_locations: [id], file_names: ['animals.zip'] }))
  const attempt = await ended(pair)
  assert.deepEqual([attempt.status, attempt.docs_skipped], ['success', 1], JSON.stringify(attempt))
  const ids = (await documents(pair)).sort()
  const of = (name: string) => `FILE_CONNECTOR__${id}/${name}`
  assert.deepEqual(ids, [of('animals/numbat.html'), of('animals/quoll.txt')])
  await until(async () => (await found('quoll')).length > 0 && (await found('termites')).length > 0, 'the members')
  const { results } = await search('spotted quoll')
  assert.deepEqual([results[0].link, results[0].metadata], ['https://zoo.example/quoll', { island: 'yes' }])
  assert.equal((await prune(pair)).removed, 0, 'a listing names archive members')
  assert.deepEqual((await documents(pair)).sort(), ids)
})

test('a server folder is read recursively and synchronized', async () => {
  const folder = join(root, 'docs')
  mkdirSync(join(folder, 'deep/.git'), { recursive: true })
  writeFileSync(join(folder, 'top.txt'), 'a marmot')
  writeFileSync(join(folder, 'deep/below.txt'), 'a badger')
  writeFileSync(join(folder, 'deep/.git/config'), 'hidden')
  writeFileSync(join(folder, '.hidden.txt'), 'hidden')
  writeFileSync(join(closed, 'secret.txt'), 'secret')
  symlinkSync(join(closed, 'secret.txt'), join(folder, 'link.txt'))
  writeFileSync(join(folder, '.onyx_metadata.json'), JSON.stringify({ 'top.txt': { title: 'Marmota', alp: 'yes' } }))
  const pair = await pull('Folder', ofFiles({ folder }))
  const attempt = await ended(pair)
  assert.deepEqual([attempt.status, attempt.new_docs_indexed], ['success', 2], JSON.stringify(attempt))
  const ids = (await documents(pair)).sort()
  assert.deepEqual(
    ids.map((it) => it.replace(/^FILE_CONNECTOR__[0-9a-f]{12}\//, '')),
    ['deep/below.txt', 'top.txt'],
  )
  const seq = (await receipt(ids[0]!)).seq
  writeFileSync(join(folder, 'top.txt'), 'a marmot and a chamois')
  utimesSync(join(folder, 'top.txt'), new Date(), new Date(Date.now() + 5_000))
  assert.deepEqual((await runAgain(pair)).total_docs_indexed, 2)
  assert.deepEqual(await until(async () => (await found('chamois')).length > 0 && found('chamois'), 'chamois'), [
    ids[1],
  ])
  assert.equal((await receipt(ids[0]!)).seq, seq, 'unchanged files are not written again')
  assert.deepEqual(await found('Marmota'), [ids[1]])
  rmSync(join(folder, 'top.txt'))
  assert.equal((await prune(pair)).removed, 1)
  assert.deepEqual(await documents(pair), [ids[0]])
})

test('pruning an empty folder waits for confirmation, however few documents it has', async () => {
  const folder = join(root, 'unmounted')
  mkdirSync(folder)
  writeFileSync(join(folder, 'one.txt'), 'one')
  const pair = await pull('Unmounted', ofFiles({ folder }))
  await ended(pair)
  rmSync(join(folder, 'one.txt'))
  assert.deepEqual([(await prune(pair)).state, (await documents(pair)).length], ['held', 1])
  writeFileSync(join(folder, 'one.txt'), 'one')
  assert.equal((await prune(pair, { confirm: true })).removed, 0, 'the file returned before the confirmation')
  rmSync(folder, { recursive: true })
  assert.match((await prune(pair)).error, /may not read this folder/)
  assert.equal((await documents(pair)).length, 1)
})

test('folders outside CONNECTOR_FOLDERS and paths leading out of them are refused', async () => {
  symlinkSync(closed, join(root, 'way-out'))
  for (const folder of [closed, join(root, 'way-out'), join(root, 'missing'), '/etc', `${root}/../..`]) {
    const connector = { name: `Closed ${folder}`, access_type: 'public', ...ofFiles({ folder }) }
    const { id } = await ok('POST', '/manage/admin/connector', { body: connector })
    const { detail } = await refused('PUT', `/manage/admin/connector/${id}/credential/0`, {}, 400)
    assert.match(
      detail,
      /^Connector validation error: connector_specific_config\.folder: Connectors may not read this folder/,
    )
  }
})
