// Uploads: listed for their owner, sent as attachments, deleted; an interrupted upload leaves nothing.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { BOUNDARY, form, formHeaders as headers, type Part, png } from './multipart-form.ts'
import { type Question, sendRaw } from './request.ts'
import { start } from './setup.ts'

const { server, ask, ok, makeKey } = await start()
const keys = { ann: await makeKey({ role: 'basic' }), bob: await makeKey({ role: 'basic' }) }

const upload = async (part: Part, key = keys.ann) => {
  const { user_files } = await ok('POST', '/user/file/upload', { key, headers, bytes: form(part) })
  return user_files[0]
}
const page: Part = { field: 'file', name: 'page.html', type: 'text/html', content: '<script>alert(1)</script>' }

/** Returns the raw response. */
async function download(id: string, key = keys.ann, more: Record<string, string> = {}, method = 'GET') {
  const answer = await fetch(`${server.url}/chat/file/${id}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...more },
  })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

const stored = () =>
  readdirSync(join(server.dataDir, 'blobs'), { recursive: true, encoding: 'utf8' }).filter((it) =>
    /[0-9a-f]{64}/.test(it),
  )
const incoming = () => readdirSync(join(server.dataDir, 'blobs', 'incoming'))

test('an upload is returned to its owner as it was created', async () => {
  const file = await upload(png)
  assert.deepEqual(await ok('GET', `/user/projects/file/${file.id}`, { key: keys.ann }), file)
  const body = { file_ids: ['no-such-file', file.id, file.id] }
  assert.deepEqual(await ok('POST', '/user/projects/file/statuses', { key: keys.ann, body }), [file])
  assert.deepEqual(await ok('POST', '/user/projects/file/statuses', { key: keys.ann, body: { file_ids: [] } }), [])
})

test('an upload is returned unchanged', async () => {
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251))
  const { status, headers, bytes } = await download((await upload({ ...png, content })).id)
  assert.deepEqual([status, bytes.equals(content), headers.get('content-length')], [200, true, '100000'])
})

test('every upload is sent to a browser as an attachment, with nosniff and a sandbox [Z8 O9]', async () => {
  const drawing = { ...page, name: 'a.svg', type: 'image/svg+xml', content: '<svg onload="alert(1)"/>' }
  for (const part of [page, drawing, png, { ...page, type: 'application/pdf', content: '%PDF-1.7 <script>' }]) {
    const { headers } = await download((await upload(part)).id)
    assert.match(headers.get('content-disposition')!, /^attachment; filename=/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'")
  }
})

const TYPES: [what: string, part: Partial<Part>, type: string, chat: string][] = [
  [
    'a page that claims to be an image',
    { name: 'a.png', type: 'image/png', content: '<html>' },
    'text/plain',
    'plain_text',
  ],
  ['an image that claims to be a page', { name: 'a.html', type: 'text/html' }, 'image/png', 'image'],
  ['a PDF and page in one', { type: 'text/html', content: '%PDF-1.7\n<html>' }, 'application/pdf', 'document'],
  ['a GIF and archive in one', { type: 'application/zip', content: 'GIF89a;PK\x03\x04' }, 'image/gif', 'image'],
  ['a drawing', { type: 'image/svg+xml', content: '<svg/>' }, 'image/svg+xml', 'document'],
  ['an image without an ending', { name: 'image', type: 'application/octet-stream' }, 'image/png', 'image'],
  ['nothing', { content: '' }, 'text/plain', 'plain_text'],
  ['a table', { name: 'a.csv', type: 'text/csv', content: 'a,b\r\n' }, 'text/csv', 'tabular'],
  ['a type that holds a header', { type: 'a/b; c="\\r\\nX: y"', content: '\0\x01' }, 'a/b', 'document'],
]
for (const [what, part, type, chat] of TYPES) {
  test(`the type of ${what} comes from its content [Z8]`, async () => {
    const { id, file_type, chat_file_type } = await upload({ ...png, ...part })
    assert.deepEqual([file_type, chat_file_type], [type, chat])
    assert.equal((await download(id)).headers.get('content-type'), type)
  })
}

const NAMES: [name: string, kept: string, disposition: string][] = [
  ['ümläut 🚀.png', 'ümläut 🚀.png', `filename="_ml_ut __.png"; filename*=UTF-8''%C3%BCml%C3%A4ut%20%F0%9F%9A%80.png`],
  ['../../etc/passwd', 'passwd', `filename="passwd"; filename*=UTF-8''passwd`],
  ['..', 'file', `filename="file"; filename*=UTF-8''file`],
  ['gnp.\u202efdp.exe', 'gnp.\u202efdp.exe', `filename="gnp._fdp.exe"; filename*=UTF-8''gnp.%E2%80%AEfdp.exe`],
  [`'><img>%22.png`, `'><img>%22.png`, `filename="'><img>_22.png"; filename*=UTF-8''%27%3E%3Cimg%3E%2522.png`],
  ['a'.repeat(300), 'a'.repeat(300), `filename="${'a'.repeat(300)}"; filename*=UTF-8''${'a'.repeat(300)}`],
]
for (const [name, kept, disposition] of NAMES) {
  test(`a file named ${name.slice(0, 20)} is sent with its name, which cannot end a header [Z10]`, async () => {
    const file = await upload({ ...png, name })
    assert.equal(file.name, kept)
    assert.equal((await download(file.id)).headers.get('content-disposition'), `attachment; ${disposition}`)
  })
}

test('a line break in a file name adds no header [Z10]', async () => {
  for (const name of ['a\r\nSet-Cookie: x=1', 'a\nSet-Cookie: x=1', 'a%0d%0aSet-Cookie: x=1', 'a\0b']) {
    const { status, body } = await ask('POST', '/user/file/upload', {
      key: keys.ann,
      headers,
      bytes: form({ ...png, name }),
    })
    if (status !== 200) continue
    for (const { id } of body.user_files) {
      const answer = await download(id)
      assert.deepEqual([answer.status, answer.headers.get('set-cookie')], [200, null])
    }
  }
})

test('a client with a current copy gets 304', async () => {
  const { id } = await upload(png)
  const first = await download(id)
  assert.match(first.headers.get('etag')!, /^"[0-9a-f]{64}"$/)
  assert.equal(first.headers.get('cache-control'), 'private, max-age=31536000, immutable')
  for (const known of [first.headers.get('etag')!, `"other", W/${first.headers.get('etag')}`, '*']) {
    const { status, bytes, headers } = await download(id, keys.ann, { 'if-none-match': known })
    assert.deepEqual([status, bytes.length, headers.get('etag')], [304, 0, first.headers.get('etag')])
  }
  assert.equal((await download(id, keys.ann, { 'if-none-match': '"other"' })).status, 200)
})

test('HEAD returns the headers of a file without its content', async () => {
  const { status, headers, bytes } = await download((await upload(png)).id, keys.ann, {}, 'HEAD')
  assert.deepEqual([status, headers.get('content-length'), bytes.length], [200, '4', 0])
})

test('a deleted upload and its bytes are gone', async () => {
  const file = await upload({ ...png, content: `only once ${Date.now()}` })
  const before = stored()
  const answer = await ok('DELETE', `/user/projects/file/${file.id}`, { key: keys.ann })
  assert.deepEqual(answer, { has_associations: false, project_names: [], assistant_names: [] })
  for (const path of ['/user/projects/file', '/chat/file']) {
    assert.equal((await ask('GET', `${path}/${file.id}`, { key: keys.ann })).status, 404)
  }
  assert.equal(stored().length, before.length - 1)
  assert.deepEqual(incoming(), [])
})

test('content shared with another upload is kept', async () => {
  const content = `twice ${Date.now()}`
  const [mine, yours] = [await upload({ ...png, content }), await upload({ ...png, content }, keys.bob)]
  await ok('DELETE', `/user/projects/file/${mine.id}`, { key: keys.ann })
  assert.equal((await download(yours.id, keys.bob)).bytes.toString(), content)
})

test('after concurrent uploads and deletions of one content, every remaining upload has its bytes', async () => {
  const content = `at once ${Date.now()}`
  const kept: string[] = []
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const { id } = await upload({ ...png, content })
      if (at % 2 === 0) await ok('DELETE', `/user/projects/file/${id}`, { key: keys.ann })
      else kept.push(id)
    }),
  )
  for (const id of kept) assert.equal((await download(id)).bytes.toString(), content)
  assert.deepEqual(incoming(), [])
})

test('an upload of another user is 404, for administrators too [L4]', async () => {
  const { id } = await upload(png)
  for (const key of [keys.bob, server.key, await makeKey({ role: 'curator' })]) {
    const asked: [method: string, path: (id: string) => string][] = [
      ['GET', (it) => `/user/projects/file/${it}`],
      ['DELETE', (it) => `/user/projects/file/${it}`],
      ['GET', (it) => `/chat/file/${it}`],
    ]
    for (const [method, path] of asked) {
      const [foreign, missing] = [
        await ask(method, path(id), { key }),
        await ask(method, path('00000000-0000-4000-8000-000000000000'), { key }),
      ]
      assert.deepEqual([foreign.status, foreign.text], [404, missing.text])
    }
    const body = { file_ids: [id] }
    assert.deepEqual(await ok('POST', '/user/projects/file/statuses', { key, body }), [])
  }
  assert.equal((await download(id)).status, 200)
})

test('the image of a persona must be an image, whatever its name', async () => {
  const path = '/admin/persona/upload-image'
  const send = (part: Part) => ask('POST', path, { key: keys.ann, headers, bytes: form(part) })
  const { status, body } = await send({ ...png, name: 'x.txt', type: 'text/plain' })
  assert.deepEqual([status, Object.keys(body)], [200, ['file_id']])
  assert.equal((await download(body.file_id)).headers.get('content-type'), 'image/png')
  const before = stored().length
  for (const part of [page, { ...png, content: `<svg ${Date.now()}/>`, type: 'image/svg+xml' }]) {
    const refused = await send({ ...part, name: 'x.png' })
    assert.deepEqual([refused.status, refused.body.error_code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
  }
  assert.equal((await ask('POST', path, { key: keys.ann, headers, bytes: form() })).status, 422)
  assert.equal(stored().length, before)
})

const fileConnector = async (name: string, config: object = {}) => {
  const body = {
    name,
    source: 'file',
    input_type: 'load_state',
    access_type: 'public',
    connector_specific_config: config,
  }
  const { id } = await ok('POST', '/manage/admin/connector', { body })
  return id
}
const asForm = (...parts: Part[]): Question => ({ headers, bytes: form(...parts) })

test('files of a connector are uploaded, listed, added and removed', async () => {
  const first = { ...png, field: 'files', name: 'one.png' }
  const sent = await ok(
    'POST',
    '/manage/admin/connector/file/upload?unzip=true',
    asForm(first, { ...first, name: 'two.png' }),
  )
  assert.deepEqual([sent.file_names, sent.zip_metadata_file_id], [['one.png', 'two.png'], null])
  const [one, two] = sent.file_paths
  const id = await fileConnector('Files', { file_locations: [one, two], file_names: sent.file_names, other: 1 })
  await ok('PUT', `/manage/admin/connector/${id}/credential/0`)
  const { files } = await ok('GET', `/manage/admin/connector/${id}/files`)
  const [{ upload_date, ...file }] = files
  assert.deepEqual([file, files.length], [{ file_id: one, file_name: 'one.png', file_size: 4 }, 2])
  assert.ok(Math.abs(Date.parse(upload_date) - Date.now()) < 60_000)

  const change = asForm(
    { ...first, name: 'three.png' },
    { field: 'file_ids_to_remove', content: JSON.stringify([one]) },
  )
  const updated = await ok('POST', `/manage/admin/connector/${id}/files/update`, change)
  assert.deepEqual(updated.file_names, ['two.png', 'three.png'])
  assert.equal(updated.file_paths[0], two)
  const { connector_specific_config } = await ok('GET', `/manage/connector/${id}`)
  assert.deepEqual(connector_specific_config, {
    file_locations: updated.file_paths,
    file_names: updated.file_names,
    other: 1,
  })
})

test('a rejected change of connector files gives the reason and stores no upload', async () => {
  const kept = { ...png, field: 'files', name: 'a.txt' }
  const [a] = (await ok('POST', '/manage/admin/connector/file/upload', asForm(kept))).file_paths
  const id = await fileConnector('More files', { file_locations: [a], file_names: ['a.txt'] })
  const update = (connector: unknown, ...parts: Part[]) =>
    ask('POST', `/manage/admin/connector/${connector}/files/update`, asForm(...parts))
  const ids = (content: string) => ({ field: 'file_ids_to_remove', content })
  const files = { ...png, field: 'files', content: `never kept ${Date.now()}` }
  const before = stored().length
  const answers = async () => [await update(id, files), await ask('GET', `/manage/admin/connector/${id}/files`)]
  for (const { status, body } of await answers())
    assert.deepEqual([status, body.error_code], [404, 'CONNECTOR_WITHOUT_PAIR'])
  await ok('PUT', `/manage/admin/connector/${id}/credential/0`)
  for (const [parts, status, detail] of [
    [[ids(JSON.stringify([a]))], 400, 'Cannot remove all files from connector. At least one file must remain.'],
    [[ids('["a"'), files], 400, '`file_ids_to_remove` must be a JSON array of file ids.'],
    [[ids('[1]'), files], 400, '`file_ids_to_remove` must be a JSON array of file ids.'],
  ] as const) {
    const answer = await update(id, ...parts)
    assert.deepEqual([answer.status, answer.body.detail], [status, detail])
  }
  assert.equal((await update(999_999, files)).status, 404)
  const other = (
    await ok('POST', '/manage/admin/connector', {
      body: { name: 'W', source: 'intranet', input_type: 'poll', access_type: 'public', connector_specific_config: {} },
    })
  ).id
  await ok('PUT', `/manage/admin/connector/${other}/credential/0`)
  assert.equal((await update(other, files)).body.error_code, 'NOT_A_FILE_CONNECTOR')
  assert.equal(stored().length, before)
  assert.deepEqual(incoming(), [])
  assert.deepEqual((await ok('POST', `/manage/admin/connector/${id}/files/update`)).file_names, ['a.txt'])
})

const fresh = (name: string): Part => ({ field: 'files', name, content: `${name} ${Date.now()} ${Math.random()}` })

/** Asserts that no upload is in progress and no file was added. */
async function leavesNothing(action: () => Promise<unknown>): Promise<void> {
  const before = stored().sort()
  await action()
  await waitFor(() => incoming().length === 0, 'no file on its way in')
  assert.deepEqual(stored().sort(), before)
  assert.equal((await upload(png)).name, 'chart.png')
}

const whole = form(fresh('one'), fresh('two'))
const BROKEN: [what: string, bytes: () => Buffer, type?: string][] = [
  ['no boundary', () => whole, 'multipart/form-data'],
  ['no end', () => whole.subarray(0, -40)],
  ['an end in its second file', () => whole.subarray(0, whole.indexOf('two') + 30)],
  ['the head of a part of 1 MB', () => form({ ...fresh('x'), type: `text/${'x'.repeat(1_000_000)}` })],
  ['100,000 parts', () => form(...Array.from({ length: 100_000 }, () => ({ field: 'x', content: '' })), fresh('last'))],
  ['1,001 files', () => form(...Array.from({ length: 1_001 }, (_, at) => fresh(`${at}`)))],
]
for (const [what, bytes, type = headers['content-type']] of BROKEN) {
  test(`a form with ${what} stores nothing [Z11]`, () =>
    leavesNothing(async () => {
      const { status } = await ask('POST', '/user/file/upload', { headers: { 'content-type': type }, bytes: bytes() })
      assert.ok([400, 413, 422].includes(status), `answered ${status}`)
    }))
}

test('two files with the same name are two files [Z11]', async () => {
  const { user_files } = await ok('POST', '/user/file/upload', { headers, bytes: form(fresh('a'), fresh('a')) })
  assert.deepEqual([user_files.length, new Set(user_files.map((it: { id: string }) => it.id)).size], [2, 2])
})

test('200 uploads that are interrupted near their end store nothing [Z12]', () =>
  leavesNothing(async () => {
    const body = form(fresh('first'), { ...fresh('second'), content: Buffer.alloc(20_000, 'x') })
    const head = `POST /user/file/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${body.length}\r\n\r\n`
    const cut = Buffer.concat([Buffer.from(head), body.subarray(0, -200)])
    for (let round = 0; round < 20; round++) {
      const ends = Array.from({ length: 10 }, () => new AbortController())
      const gone = ends.map((it) => sendRaw(server, cut, it.signal))
      await waitFor(() => incoming().length > 0, 'a file on its way in')
      for (const it of ends) it.abort()
      await Promise.all(gone)
    }
  }))

test('after these tests the log has no error', () => {
  assert.doesNotMatch(server.output(), /"level":(?:50|60)/)
})

test('a configuration may name only files of its author or files that its connector already reads', async () => {
  const curator = await makeKey({ role: 'curator' })
  const private_ = (await upload({ ...page, content: 'ANN PRIVATE SALARY 123456' })).id
  const bodyOf = (name: string, connector_specific_config: object, source = 'file') => ({
    ...{ name, source, input_type: 'load_state', access_type: 'public', connector_specific_config },
  })
  const connector = '/manage/admin/connector'
  const own = (await upload({ ...page, content: 'own' }, curator)).id
  const { id } = await ok('POST', connector, { key: curator, body: bodyOf('Own', { file_locations: [own] }) })
  const pushed = { ...bodyOf('Pushed', { file_locations: [private_] }), source: 'intranet' }
  const { id: disguised } = await ok('POST', connector, { key: curator, body: pushed })
  for (const config of [
    { file_locations: [own, private_] },
    { file_locations: [own], zip_metadata_file_id: private_ },
  ]) {
    for (const key of [curator, server.key]) {
      for (const [method, path, body] of [
        ['POST', `${connector}/preview`, bodyOf('x', config)],
        ['POST', connector, bodyOf('Other', config)],
        ['PATCH', `${connector}/${id}`, bodyOf('Own', config)],
        ['PATCH', `${connector}/${disguised}`, bodyOf('Disguised', config)],
      ] as const) {
        const reply = await ask(method, path, { key, body })
        const missing = `File "${private_}" does not exist.`
        const said = reply.body.detail.map((it: { msg: string }) => it.msg)
        assert.equal(reply.status, 422, reply.text)
        assert.ok(said.includes(missing), `${method} ${path} ${reply.text}`)
        const { text } = await ask(method, path, {
          key,
          body: JSON.parse(JSON.stringify(body).replaceAll(private_, 'none')),
        })
        assert.ok(text.includes('File \\"none\\" does not exist.'), text)
      }
    }
  }
  await ok('PATCH', `${connector}/${id}`, { body: bodyOf('By the administrator', { file_locations: [own] }) })
})
