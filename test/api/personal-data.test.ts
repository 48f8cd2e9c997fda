import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled, waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, makeKey, push, found } = await start()

const owner = (email: string) => ({ display_name: 'Somebody', email })
const exported = async (email: string) => {
  const { status, headers, text } = await ask('GET', `/admin/person/${encodeURIComponent(email)}/export`)
  assert.deepEqual([status, headers['content-type']], [200, 'application/x-ndjson'])
  return text
    .trimEnd()
    .split('\n')
    .map((it) => JSON.parse(it))
}
const kinds = (lines: { kind: string }[]) => lines.map((it) => it.kind)
const upload = async (key: string, text: string): Promise<string> => {
  const head =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="mine.txt"\r\nContent-Type: text/plain\r\n\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  return (await ok('POST', '/user/file/upload', { key, bytes: `${head}${text}\r\n--b--\r\n`, headers })).id
}

async function makeAnn(email: string) {
  const key = await makeKey({ role: 'admin', name: 'Her key', user_email: email })
  await ok('POST', '/user/pats', { key, body: { name: 'her token' } })
  await upload(key, `the file of ${email}`)
  await ok('POST', '/manage/credential', {
    key,
    body: { credential_json: { secret: 'CANARYSECRET' }, admin_public: true, source: 'zendesk', name: 'hers' },
  })
  await ok('POST', '/admin/egress/approval', {
    key,
    body: { host: `wiki.${email.length}${email[4]}.corp`, reason: 'ours' },
  })
  await push(documentOf('primary', { id: `${email}/1`, primary_owners: [owner(email), owner('bob@example.com')] }))
  await push(
    documentOf('reader of zebras', {
      id: `${email}/2`,
      secondary_owners: [owner(email.toUpperCase())],
      external_access: { is_public: false, external_user_emails: [email, 'bob@example.com'] },
    }),
  )
  await push(documentOf('somebody else', { id: `${email}/3`, primary_owners: [owner('bob@example.com')] }))
  return key
}

test('the export contains all data of a person and no secret', async () => {
  const email = 'Ann.One@example.com'
  await makeAnn(email)
  const lines = await exported('ann.one@EXAMPLE.com')
  assert.deepEqual(
    kinds(lines).filter((it) => it !== 'audit_entry'),
    ['person', 'account', 'api_key', 'token', 'file', 'credential', 'egress_approval', 'document', 'document', 'end'],
  )
  const of = (kind: string) => lines.filter((it) => it.kind === kind)
  assert.deepEqual([of('api_key')[0].name, of('api_key')[0].user_email], ['Her key', email])
  assert.deepEqual(
    [of('token')[0].name, of('file')[0].name, of('credential')[0].name],
    ['her token', 'mine.txt', 'hers'],
  )
  assert.deepEqual(
    of('document').map((it) => [it.document_id, it.as]),
    [
      [`${email}/1`, ['primary_owner']],
      [`${email}/2`, ['secondary_owner', 'reader']],
    ],
  )
  assert.deepEqual(
    of('audit_entry')
      .map((it) => it.action)
      .sort(),
    ['api_key.create', 'credential.create', 'egress_approval.create', 'person.export', 'token.create'],
  )
  assert.equal(of('end')[0].lines, lines.length)
  const text = JSON.stringify(lines)
  for (const it of ['CANARYSECRET', 'secret_hash', '"kid"', 'owner_kid']) assert.ok(!text.includes(it), it)
})

test('the export of an unknown person is empty', async () => {
  assert.deepEqual(kinds(await exported('nobody@example.com')), ['person', 'end'])
})

test('deleting a person revokes their keys and removes the address from all data', async () => {
  const email = 'ann.two@example.com'
  const key = await makeAnn(email)
  const { body: pat } = await ask('POST', '/user/pats', { key, body: { name: 'another' } })
  const bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  assert.deepEqual(await found('zebras', key), [`${email}/2`])
  const { pseudonym, ...gone } = await ok('DELETE', `/admin/person/${email}`)
  assert.deepEqual(gone, {
    deleted: { api_keys: 1, tokens: 2, files: 0 },
    anonymised: { documents: 2, credentials: 1, document_sets: 0, egress_approvals: 1 },
    kept: { files: 1, tools: 0, personas: 0, cc_pairs: 0 },
  })
  for (const dead of [key, pat.token]) assert.equal((await ask('GET', '/me', { key: dead })).status, 401)
  await settled(server)
  const again = await makeKey({ role: 'basic', user_email: email })
  assert.deepEqual(await found('zebras', again), [])
  assert.ok((await found('zebras', bob)).includes(`${email}/2`))
  await ok('DELETE', `/admin/person/${email}`)
  assert.deepEqual(kinds(await exported(email)), ['person', 'end'])
  const entries = await ok('GET', `/admin/audit?object_id=${pseudonym}`)
  assert.deepEqual(
    entries.map((it: { action: string; object_type: string }) => [it.action, it.object_type]),
    [['person.delete', 'person']],
  )
  const hers = await ok('GET', `/admin/audit?actor=${pseudonym}`)
  assert.ok(hers.length > 0 && hers.every((it: { actor_email: null }) => it.actor_email === null))
  assert.equal((await ok('GET', '/admin/audit/check')).is_whole, true)
})

test('pushing the same version again does not restore the person, another version does', async () => {
  const email = 'ann.three@example.com'
  const document = documentOf('comes back', { id: 'again', primary_owners: [owner(email)] })
  await push(document)
  assert.equal((await ok('DELETE', `/admin/person/${email}`)).anonymised.documents, 1)
  await push(document)
  assert.ok(!kinds(await exported(email)).includes('document'))
  await push({ ...document, sections: [{ text: 'newer' }] })
  assert.ok(kinds(await exported(email)).includes('document'))
})

test('files are deleted on request, except files that another user has too', async () => {
  const [ann, bob] = [
    await makeKey({ role: 'basic', user_email: 'ann.four@example.com' }),
    await makeKey({ role: 'basic', user_email: 'bob.four@example.com' }),
  ]
  await upload(ann, 'only hers')
  await upload(ann, 'of both')
  await upload(bob, 'of both')
  const { deleted, kept } = await ok('DELETE', '/admin/person/ann.four@example.com?files=delete')
  assert.deepEqual([deleted.files, kept.files], [2, 0])
  assert.equal((await exported('bob.four@example.com')).filter((it) => it.kind === 'file').length, 1)
})

test('a key cannot delete the person it acts for', async () => {
  const key = await makeKey({ role: 'admin', user_email: 'self@example.com' })
  const { status, body } = await ask('DELETE', '/admin/person/SELF@example.com', { key })
  assert.deepEqual([status, body.error_code], [400, 'INVALID_INPUT'])
  assert.equal((await ask('GET', '/me', { key })).status, 200)
})

test('only administrators export and delete, and a refusal does not name the person', async () => {
  const key = await makeKey({ role: 'curator' })
  for (const [method, path] of [
    ['GET', '/admin/person/canary@example.com/export'],
    ['DELETE', '/admin/person/canary@example.com'],
  ] as const) {
    assert.equal((await ask(method, path, { key })).status, 403)
  }
  const refused = await waitFor(async () => {
    const entries = await ok('GET', '/admin/audit?object_type=person&outcome=refused')
    return entries.length === 2 && entries
  }, 'the refusals to be written down')
  assert.ok(!JSON.stringify(refused).includes('canary'))
  assert.ok(!server.output().includes('canary@'))
})
