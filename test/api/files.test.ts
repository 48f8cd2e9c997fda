import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { BOUNDARY, form, formHeaders as headers, type Part, png } from './multipart-form.ts'
import { type Question, sendRaw } from './request.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, push } = await start()
const UPLOAD = '/user/file/upload'
const CONNECTOR_UPLOAD = '/manage/admin/connector/file/upload'
const upload = (...parts: Part[]) => ok('POST', UPLOAD, { headers, bytes: form(...parts) })

test('an upload returns the id of the file', async () => {
  const { id, file_id, user_files, rejected_files } = await upload(png)
  const [{ created_at, user_id, ...file }, ...rest] = user_files
  assert.deepEqual(file, {
    id,
    name: 'chart.png',
    project_id: null,
    file_id: id,
    last_accessed_at: null,
    status: 'COMPLETED',
    file_type: 'image/png',
    chat_file_type: 'image',
    token_count: null,
    chunk_count: null,
  })
  assert.deepEqual([file_id, rest, rejected_files], [id, [], []])
  assert.deepEqual([typeof id, typeof user_id], ['string', 'string'])
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
})

test('the id of an upload is an image_file_id', async () => {
  const { id } = await upload(png)
  const document = documentOf('', { id: 'illustrated', sections: [{ image_file_id: id, link: 'https://example.com' }] })
  assert.equal((await push(document)).document_id, 'illustrated')
})

test('the field may be named "files" and contain several files', async () => {
  const { id, user_files } = await upload(
    { ...png, field: 'files', name: 'a.png' },
    { ...png, field: 'files', name: 'b.png' },
  )
  assert.deepEqual(
    user_files.map((it: { name: string }) => it.name),
    ['a.png', 'b.png'],
  )
  assert.equal(id, user_files[0].file_id)
})

test('uploading the same content twice creates two files', async () => {
  assert.notEqual((await upload(png)).id, (await upload(png)).id)
})

test('a file that is not an image is a document', async () => {
  const { user_files } = await upload({ field: 'file', name: 'a.pdf', type: 'application/pdf', content: '%PDF' })
  assert.deepEqual([user_files[0].file_type, user_files[0].chat_file_type], ['application/pdf', 'document'])
})

test('an empty file is accepted', async () => {
  assert.equal((await upload({ ...png, content: '' })).user_files.length, 1)
})

test('other form fields are ignored', async () => {
  const { user_files } = await upload({ field: 'incognito', content: '5' }, { ...png, field: 'other' }, png, {
    field: 'temp_id_map',
    content: '{}',
  })
  assert.equal(user_files.length, 1)
})

test('the upload works under /api and under its alias', async () => {
  for (const path of [`/api${UPLOAD}`, '/user/projects/file/upload']) {
    const { user_files } = await ok('POST', path, { headers, bytes: form(png) })
    assert.equal(user_files.length, 1)
  }
})

for (const name of ['../../etc/passwd', 'C:\\\\temp\\\\x.png', 'ümläut 🚀.png', '.htaccess', 'a'.repeat(5_000)]) {
  test(`a file named ${name.slice(0, 20)} is stored`, async () => {
    assert.equal((await upload({ ...png, name })).user_files.length, 1)
  })
}

test('a file may be larger than a JSON body', async () => {
  const { user_files } = await upload({ ...png, content: Buffer.alloc(33 << 20) })
  assert.equal(user_files.length, 1)
})

test('a file over 250 MiB is rejected by name, and the others are stored', async () => {
  const large = { field: 'file', name: 'large.bin', content: Buffer.alloc((250 << 20) + 1) }
  const { id, user_files, rejected_files } = await upload(large, png)
  assert.deepEqual([user_files.length, user_files[0].file_id, rejected_files.length], [1, id, 1])
  assert.equal(rejected_files[0].file_name, 'large.bin')
  assert.match(rejected_files[0].reason, /^The file exceeds/)
})

test('a rejected file does not remain on disk', () => {
  const files = readdirSync(server.dataDir, { recursive: true, encoding: 'utf8' })
  const large = files.filter((it) => statSync(join(server.dataDir, it)).size > 100 << 20)
  assert.deepEqual(large, [])
})

const MISSING = { detail: [{ loc: ['body', 'files'], msg: 'Field required', type: 'missing' }] }

for (const [what, bytes] of [
  ['no parts', form()],
  ['no file', form({ field: 'project_id', content: '5' })],
  ['a file of another field', form({ ...png, field: 'attachment' })],
  ['a file without a name', form({ field: 'file', content: 'x' })],
] as const) {
  test(`a form of ${what} is rejected`, async () => {
    const { status, body } = await ask('POST', UPLOAD, { headers, bytes })
    assert.deepEqual([status, body.detail], [422, MISSING.detail])
  })
}

test('an upload without a body is rejected', async () => {
  const { status, body } = await ask('POST', UPLOAD)
  assert.deepEqual([status, body.detail], [422, MISSING.detail])
})

for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png']) {
  test(`an upload as ${type} is rejected [C3]`, async () => {
    const { status } = await ask('POST', UPLOAD, { headers: { 'content-type': type }, bytes: '{}' })
    assert.ok([415, 422].includes(status), `answered ${status}`)
  })
}

const BROKEN: [what: string, bytes: Buffer, type?: string][] = [
  ['cut in a file', form(png).subarray(0, -20)],
  ['cut in a head', form(png).subarray(0, 40)],
  ['with another boundary than it says', form(png), 'multipart/form-data; boundary=other'],
  ['without a boundary', form(png), 'multipart/form-data'],
  ['with an empty boundary', form(png), 'multipart/form-data; boundary='],
  ['without a name in its head', Buffer.from(`--${BOUNDARY}\r\n\r\nx\r\n--${BOUNDARY}--\r\n`)],
  ['of random bytes', Buffer.alloc(1_000, 0xff)],
  ['with a field named __proto__', form({ ...png, field: '__proto__' })],
  ['with 1,000 other fields', form(...Array.from({ length: 1_000 }, () => ({ field: 'x', content: 'y' })), png)],
  ['with a field of 2 MB', form({ field: 'x', content: 'y'.repeat(2_000_000) }, png)],
]
for (const [what, bytes, type = headers['content-type']] of BROKEN) {
  test(`a form ${what} is accepted or answered with a client error`, async () => {
    const { status } = await ask('POST', UPLOAD, { headers: { 'content-type': type }, bytes })
    assert.ok([200, 400, 413, 415, 422].includes(status), `answered ${status}`)
    assert.equal((await upload(png)).user_files.length, 1)
  })
}

test('a truncated form stores no file', async () => {
  const { status, body } = await ask('POST', UPLOAD, { headers, bytes: form(png).subarray(0, -20) })
  assert.ok(status >= 400 && body.user_files === undefined, `answered ${status}`)
})

/** Sends the first half of an upload and disconnects when `meanwhile` ends. */
async function disconnect(meanwhile: () => Promise<unknown>): Promise<void> {
  const head = `POST ${UPLOAD} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\n`
  const body = form({ ...png, content: Buffer.alloc(1_000_000) })
  const bytes = Buffer.concat([
    Buffer.from(`${head}Content-Type: ${headers['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n`),
    body.subarray(0, 500_000),
  ])
  const left = new AbortController()
  const gone = sendRaw(server, bytes, left.signal)
  await meanwhile()
  left.abort()
  await gone
}

test('a disconnect during the upload does no harm', async () => {
  await disconnect(() => upload(png))
  assert.equal((await upload(png)).user_files.length, 1)
})

test('without a key the body is not read', async () => {
  const { status } = await ask('POST', UPLOAD, { key: null, headers, bytes: form(png) })
  assert.equal(status, 401)
})

const descriptors = (): string[] =>
  readdirSync(`/proc/${server.pid}/fd`).flatMap((it) => {
    try {
      return [readlinkSync(`/proc/${server.pid}/fd/${it}`)]
    } catch {
      return []
    }
  })

const onLinux = { skip: existsSync('/proc/self/fd') ? false : 'needs Linux' }
const SETTINGS = '/admin/settings'
const tooLongHead = `POST ${UPLOAD} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: ${headers['content-type']}\r\nContent-Length: 9000000000\r\nExpect: 100-continue\r\n\r\n`

test('refused and interrupted uploads leave no descriptor', onLinux, async () => {
  const { user_file_max_upload_size_mb } = await ok('GET', '/settings')
  await ok('PATCH', SETTINGS, { body: { user_file_max_upload_size_mb: 1 } })
  const large = form({ ...png, content: Buffer.alloc(1_000_000) })
  const tooLarge = form({ ...png, content: Buffer.alloc(1_100_000) })
  const refusals: [status: number, question: Question, path?: string][] = [
    [401, { key: null, headers, bytes: large }],
    [422, { headers: { 'content-type': 'text/plain' }, bytes: large }],
    [422, { headers, bytes: form({ ...png, field: 'attachment' }) }],
    [400, { headers, bytes: large.subarray(0, -20) }],
    [413, { headers, bytes: tooLarge }, '/admin/persona/upload-image'],
    [413, { headers, bytes: form({ ...png, field: 'files', content: Buffer.alloc(1_100_000) }) }, CONNECTOR_UPLOAD],
  ]
  const before = descriptors()
  for (let round = 0; round < 25; round++) {
    for (const [status, question, path = UPLOAD] of refusals)
      assert.equal((await ask('POST', path, question)).status, status)
    assert.equal((await ok('POST', UPLOAD, { headers, bytes: tooLarge })).rejected_files.length, 1)
    assert.equal((await sendRaw(server, tooLongHead)).status, 413)
    await disconnect(() => waitFor(() => descriptors().some((it) => it.includes('/incoming/')), 'the upload to begin'))
  }
  await waitFor(() => !descriptors().some((it) => it.includes('/incoming/')), 'the files to be closed')
  // Far fewer than the 25 of one kind.
  await waitFor(() => descriptors().length < before.length + 10, `no more than ${before.length} descriptors`)
  await ok('PATCH', SETTINGS, { body: { user_file_max_upload_size_mb } })
})

const limitDescriptors = (limit: number) =>
  spawnSync('prlimit', ['--pid', String(server.pid), `--nofile=${limit}:`], { encoding: 'utf8' })

test('an upload whose file cannot be opened leaves no descriptor', onLinux, async (t) => {
  const { stdout, error } = spawnSync('prlimit', [
    '--pid',
    String(server.pid),
    '--nofile',
    '--noheadings',
    '-o',
    'SOFT',
  ])
  if (error !== undefined) return t.skip('needs prlimit')
  const limit = Number(stdout)
  const large = form({ ...png, content: Buffer.alloc(1_000_000) })
  await upload(png)
  const before = descriptors()
  for (let round = 0; round < 25; round++) {
    // The upload uses this connection, because the program cannot accept another one.
    await server.api('GET', '/health')
    const open = new Set(readdirSync(`/proc/${server.pid}/fd`).map(Number))
    // The lowest free number: the next file that the program opens fails with EMFILE.
    limitDescriptors(Array.from({ length: open.size + 1 }, (_, number) => number).find((it) => !open.has(it))!)
    const { status, body } = await server.api('POST', UPLOAD, round % 2 === 0 ? form(png) : large, headers)
    limitDescriptors(limit)
    assert.deepEqual([status, (body as { error_code: string }).error_code], [503, 'OUT_OF_FILES'])
  }
  assert.equal((await upload(png)).user_files.length, 1)
  await waitFor(() => descriptors().length < before.length + 10, `no more than ${before.length} descriptors`)
  assert.deepEqual(readdirSync(join(server.dataDir, 'blobs/incoming')), [])
})
