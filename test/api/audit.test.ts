import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectorOf, documentOf, start } from './setup.ts'

const { server, ask, ok, makeKey, alterRecord } = await start({ LOG_LEVEL: 'info' })

let lastId = 0
const fresh = (name: string) => `${name}-${++lastId}`
/** The entries of one request. */
const entries = (request_id: string) => ok('GET', `/admin/audit?request_id=${request_id}`)
const named = (request_id: string) => ({ headers: { 'x-request-id': request_id } })

test('an entry records actor, action, object, time, fields and outcome', async () => {
  const before = Date.now()
  const id = fresh('make')
  const body = { name: 'CANARYNAME', role: 'basic', unheard_of: 1 }
  const { api_key_id } = await ok('POST', '/admin/api-key', { body, ...named(id) })
  const [{ id: entryId, at, hash, ...entry }, ...more] = await entries(id)
  assert.deepEqual(entry, {
    actor_id: '00000000-0000-4000-8000-000000000000',
    api_key_id: null,
    actor_email: null,
    action: 'api_key.create',
    object_type: 'api_key',
    object_id: String(api_key_id),
    object_email: null,
    outcome: 'success',
    error_code: null,
    fields: ['name', 'role'],
    request_id: id,
  })
  assert.deepEqual(more, [])
  assert.ok(Number.isInteger(entryId) && Date.parse(at) >= before)
  assert.match(hash, /^[0-9a-f]{64}$/)
})

test('an entry does not contain the values of the fields', async () => {
  const id = fresh('secret')
  await ok('POST', '/manage/credential', {
    body: {
      credential_json: { CANARYKEY: 'CANARYSECRET' },
      admin_public: true,
      source: 'web',
      name: 'CANARYCREDENTIAL',
    },
    ...named(id),
  })
  const [{ fields }] = await entries(id)
  assert.deepEqual(fields, ['credential_json', 'admin_public', 'source', 'name'])
  const { text } = await ask('GET', '/admin/audit?limit=1000')
  for (const canary of ['CANARYSECRET', 'CANARYKEY', 'CANARYCREDENTIAL', 'CANARYNAME', server.key]) {
    assert.ok(!text.includes(canary) && !server.output().includes(canary), canary)
  }
})

const ACTS: [action: string, act: (headers: object) => Promise<string>][] = [
  ['token.create', async (it) => String((await ok('POST', '/user/pats', { body: { name: 'x' }, ...it })).id)],
  [
    'connector.create',
    async (it) => String((await ok('POST', '/manage/admin/connector', { body: connectorOf(fresh('c')), ...it })).id),
  ],
  [
    'document_set.create',
    async (it) => {
      const body = { name: fresh('set'), description: '', cc_pair_ids: [1], is_public: true }
      return String(await ok('POST', '/manage/admin/document-set', { body, ...it }))
    },
  ],
  [
    'settings.update',
    async (it) => {
      await ok('PATCH', '/admin/settings', { body: { trash_retention_days: 30 }, ...it })
      return 'null'
    },
  ],
  [
    'document.delete',
    async (it) => {
      await ok('POST', '/service-api/ingestion', { body: { document: documentOf('x', { id: 'to delete' }) } })
      await ok('DELETE', '/service-api/ingestion/to%20delete', it)
      return 'to delete'
    },
  ],
  [
    'cc_pair.create',
    async (it) => {
      const { id } = await ok('POST', '/manage/admin/connector', { body: connectorOf(fresh('c')) })
      return String((await ok('PUT', `/manage/admin/connector/${id}/credential/0`, it)).data)
    },
  ],
]
for (const [action, act] of ACTS) {
  test(`${action} is audited with its object`, async () => {
    const id = fresh('act')
    const object = await act(named(id))
    const [entry] = await entries(id)
    assert.deepEqual([entry.action, String(entry.object_id), entry.outcome], [action, object, 'success'])
  })
}

test('a document id that was generated from the title is hashed', async () => {
  const id = fresh('untitled')
  const document = documentOf('x', { semantic_identifier: 'CANARYTITLE' })
  const { document_id } = await ok('POST', '/service-api/ingestion', { body: { document } })
  await ok('DELETE', `/service-api/ingestion/${encodeURIComponent(document_id)}`, named(id))
  const [{ object_id }] = await entries(id)
  assert.match(object_id, /^sha256:[0-9a-f]{64}$/)
})

test('pushes and deletions by an ingestion key are not audited', async () => {
  const id = fresh('work')
  const key = await makeKey({ role: 'limited', scopes: ['ingest'] })
  const body = { document: documentOf('x', { id: 'mine' }) }
  await ok('POST', '/service-api/ingestion', { key, body, ...named(id) })
  await ok('DELETE', '/service-api/ingestion/mine', { key, ...named(id) })
  assert.deepEqual(await entries(id), [])
})

test('an entry about a person has their address, and is found by it until the person is deleted', async () => {
  await makeKey({ role: 'basic', user_email: 'Fay@example.com' })
  await ok('PATCH', '/manage/set-user-role', { body: { user_email: 'fay@example.com', new_role: 'curator' } })
  const { items } = await ok('GET', '/manage/users/accepted?q=fay@example.com')
  await ok('DELETE', `/manage/admin/users/${items[0].id}/sessions`)
  const about = async () =>
    (await ok('GET', '/admin/audit?object_id=FAY@example.com')).map(
      (it: { action: string; object_email: string }) => `${it.action} ${it.object_email}`,
    )
  assert.deepEqual(await about(), ['person.end_sessions Fay@example.com', 'person.role fay@example.com'])
  // Another object with the same id is not the person.
  const document = documentOf('x', { id: items[0].id })
  await ok('POST', '/service-api/ingestion', { body: { document } })
  const id = fresh('same-id')
  await ok('DELETE', `/service-api/ingestion/${items[0].id}`, named(id))
  assert.equal((await entries(id))[0].object_email, null)
  await ok('DELETE', '/admin/person/fay@example.com')
  assert.deepEqual(await about(), [])
})

test('requests without the required right are audited once a minute', async () => {
  const key = await makeKey({ role: 'basic', user_email: 'Eve@example.com' })
  const ids = [fresh('eve'), fresh('eve')]
  for (const id of ids) assert.equal((await ask('DELETE', '/admin/api-key/7', { key, ...named(id) })).status, 403)
  const [entry] = await entries(ids[0]!)
  assert.deepEqual(
    [entry.action, entry.object_id, entry.outcome, entry.error_code, entry.actor_email],
    ['api_key.delete', '7', 'refused', 'INSUFFICIENT_PERMISSIONS', 'eve@example.com'],
  )
  assert.deepEqual(await entries(ids[1]!), [])
})

test('a rejection inside the handler is audited likewise', async () => {
  const { id: tool } = await ok('POST', '/admin/tool/custom', {
    body: {
      name: 'a tool',
      definition: {
        openapi: '3.0.0',
        info: { title: 't', version: '1', description: 'd' },
        servers: [{ url: 'https://example.com' }],
        paths: { '/x': { get: { operationId: 'x', summary: 'x' } } },
      },
      custom_headers: [],
      passthrough_auth: false,
    },
  })
  const id = fresh('not-owner')
  const key = await makeKey({ role: 'basic' })
  assert.equal((await ask('DELETE', `/admin/tool/custom/${tool}`, { key, ...named(id) })).status, 403)
  const [entry] = await entries(id)
  assert.deepEqual([entry.outcome, entry.error_code, entry.object_id], ['refused', 'NOT_OWNER', String(tool)])
})

test('requests that fail for other reasons are not audited', async () => {
  const id = fresh('nothing')
  assert.equal((await ask('DELETE', '/admin/api-key/999999', named(id))).status, 404)
  assert.equal((await ask('POST', '/admin/api-key', { body: { role: 'king' }, ...named(id) })).status, 422)
  assert.equal((await ask('DELETE', '/admin/api-key/1', { key: 'bad', ...named(id) })).status, 401)
  assert.deepEqual(await entries(id), [])
})

test('the list is sorted newest first, paged and filterable', async () => {
  const all = await ok('GET', '/admin/audit?limit=1000')
  const ids = all.map((it: { id: number }) => it.id)
  assert.deepEqual(
    ids,
    ids.toSorted((a: number, b: number) => b - a),
  )
  const paged: number[] = []
  for (let after = ''; ; ) {
    const page = await ok('GET', `/admin/audit?limit=3${after}`)
    paged.push(...page.map((it: { id: number }) => it.id))
    if (page.length < 3) break
    after = `&after=${page.at(-1).id}`
  }
  assert.deepEqual(paged, ids)
  const refused = await ok('GET', '/admin/audit?outcome=refused')
  assert.ok(refused.length > 0 && refused.every((it: { outcome: string }) => it.outcome === 'refused'))
  const byEve = await ok('GET', '/admin/audit?actor=EVE@example.com')
  assert.deepEqual(
    byEve.map((it: { action: string }) => it.action),
    ['api_key.delete'],
  )
  assert.deepEqual(await ok('GET', `/admin/audit?actor=${byEve[0].actor_id}`), byEve)
  const keys = await ok('GET', '/admin/audit?object_type=api_key&action=api_key.create')
  assert.ok(keys.length > 0 && keys.every((it: { action: string }) => it.action === 'api_key.create'))
  const { at } = all[2]
  const [since, before] = [await ok('GET', `/admin/audit?from=${at}`), await ok('GET', `/admin/audit?until=${at}`)]
  assert.ok(since.length >= 3 && since.every((it: { at: string }) => it.at >= at))
  assert.ok(before.every((it: { at: string }) => it.at < at))
  assert.equal((await ask('GET', '/admin/audit?outcome=maybe')).status, 422)
})

test('exports contain the same entries and are audited themselves', async () => {
  const query = 'object_type=api_key'
  const listed = await ok('GET', `/admin/audit?limit=1000&${query}`)
  const ndjson = await ask('GET', `/admin/audit/ndjson?${query}`)
  assert.equal(ndjson.headers['content-type'], 'application/x-ndjson')
  const lines = ndjson.text.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((it) => JSON.parse(it)),
    listed,
  )
  const id = fresh('export')
  const csv = await ask('GET', `/admin/audit/csv?${query}`, named(id))
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8')
  const rows = csv.text.trimEnd().split('\r\n')
  assert.equal(
    rows[0],
    'id,at,actor_id,api_key_id,actor_email,action,object_type,object_id,object_email,outcome,error_code,fields,request_id,hash',
  )
  assert.equal(rows.length, listed.length + 1)
  assert.equal((await entries(id))[0].action, 'audit.export')
})

test('a cell that a spreadsheet would evaluate is escaped [Z13]', async () => {
  const body = { document: documentOf('x', { id: '=HYPERLINK("http://x","y")' }) }
  await ok('POST', '/service-api/ingestion', { body })
  const id = fresh('formula')
  await ok('DELETE', `/service-api/ingestion/${encodeURIComponent(body.document.id as string)}`, named(id))
  const { text } = await ask('GET', `/admin/audit/csv?request_id=${id}`)
  assert.ok(text.includes(`"'=HYPERLINK(""http://x"",""y"")"`), text)
})

test('only administrators can read the audit log, and nobody can change it', async () => {
  for (const path of ['/admin/audit', '/admin/audit/csv', '/admin/audit/ndjson', '/admin/audit/check']) {
    assert.equal((await ask('GET', path, { key: await makeKey({ role: 'curator' }) })).status, 403)
    assert.equal((await ask('GET', path, { key: null })).status, 401)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) assert.equal((await ask(method, path)).status, 405)
  }
})

test('a filter with NUL is refused by its name, whichever database is used', async () => {
  for (const name of ['actor', 'action', 'object_type', 'object_id', 'request_id']) {
    const { status, body } = await ask('GET', `/admin/audit?${name}=a%00b`)
    assert.equal(status, 422, name)
    assert.deepEqual(body.detail[0].loc, ['query', name])
  }
})

test('concurrent actions form one hash chain', async () => {
  const id = fresh('many')
  await Promise.all(Array.from({ length: 40 }, () => ok('PATCH', '/admin/settings', { body: {}, ...named(id) })))
  assert.equal((await entries(id)).length, 40)
  const check = await ok('GET', '/admin/audit/check')
  assert.deepEqual([check.is_whole, check.broken_at], [true, null])
  assert.equal(check.last_hash, (await ok('GET', '/admin/audit?limit=1'))[0].hash)
  assert.ok(server.output().includes(check.last_hash), 'the hash is not in the log')
})

test('a changed entry is detected', async () => {
  const [{ id }] = await entries('make-1')
  await alterRecord(`update audit set outcome = 'failed' where id = ${id}`)
  assert.deepEqual((await ok('GET', '/admin/audit/check')).broken_at, id)
  await alterRecord(`update audit set outcome = 'success' where id = ${id}`)
  assert.equal((await ok('GET', '/admin/audit/check')).is_whole, true)
})

test('a removed entry is detected', async () => {
  const [{ id }] = await entries('make-1')
  await alterRecord(`delete from audit where id = ${id}`)
  const { is_whole, broken_at, first_id } = await ok('GET', '/admin/audit/check')
  // If the removed entry is the oldest one, there is no gap.
  assert.deepEqual([is_whole, broken_at], first_id > id ? [true, null] : [false, id + 1])
})
