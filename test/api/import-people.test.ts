// Administrators import people from a table.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { form, formHeaders } from './multipart-form.ts'
import { start } from './setup.ts'

const { ask, ok, makeKey, alterRecord } = await start()

const PATH = '/manage/admin/users/csv'

interface Sent {
  csv: string | Buffer
  dryRun?: string
  key?: string
}

function send({ csv, dryRun, key }: Sent) {
  const flag = dryRun === undefined ? [] : [{ field: 'dry_run', content: dryRun }]
  const body = form({ field: 'file', name: 'people.csv', type: 'text/csv', content: csv }, ...flag)
  return ask('POST', PATH, { headers: formHeaders, bytes: body, ...(key !== undefined && { key }) })
}

async function find(email: string) {
  const [person] = (await ok('GET', `/manage/users/accepted?q=${encodeURIComponent(email)}`)).items
  if (person === undefined) return undefined
  const { personal_name, role, is_active, groups } = person
  return { personal_name, role, is_active, groups: groups.map((it: { name: string }) => it.name) }
}

const refused = async (sent: Sent): Promise<string> => {
  const { status, body } = await send(sent)
  assert.deepEqual([status, body.error_code], [400, 'INVALID_INPUT'])
  return body.detail
}

test('a table creates and changes people, and says how many', async () => {
  await makeKey({ user_email: 'ann@example.com', user_group_ids: ['reef', 'dune'] })
  const csv = [
    'email,name,role,groups,active,verified,last_seen',
    'ANN@example.com,"Ann, the first",basic,reef;lagoon,true,false,',
    '',
    "bob@example.com,'=Bob,,,no,,",
  ].join('\r\n')
  const planned = await send({ csv, dryRun: 'true' })
  assert.deepEqual(planned.body, { applied: false, created: 1, updated: 1, unchanged: 0, problems: [] })
  assert.equal(await find('bob@example.com'), undefined)
  const done = await send({ csv })
  assert.deepEqual(done.body, { applied: true, created: 1, updated: 1, unchanged: 0, problems: [] })
  assert.deepEqual(await find('ann@example.com'), {
    ...{ personal_name: 'Ann, the first', role: 'basic', is_active: true },
    groups: ['lagoon', 'reef'],
  })
  assert.deepEqual(await find('bob@example.com'), {
    personal_name: '=Bob',
    role: 'basic',
    is_active: false,
    groups: [],
  })
  assert.deepEqual((await send({ csv })).body, { applied: true, created: 0, updated: 0, unchanged: 2, problems: [] })
})

test('an exported table changes nothing', async () => {
  const { text } = await ask('GET', PATH)
  const { body } = await send({ csv: `\uFEFF${text.replaceAll('\r\n', '\n')}` })
  assert.deepEqual([body.applied, body.created, body.updated, body.problems], [true, 0, 0, []])
})

test('a column that is absent changes nothing', async () => {
  await send({ csv: 'email;name\nann@example.com;Ann' })
  assert.deepEqual((await find('ann@example.com'))?.groups, ['lagoon', 'reef'])
  await send({ csv: 'email,groups\nann@example.com,' })
  assert.deepEqual(await find('ann@example.com'), { personal_name: 'Ann', role: 'basic', is_active: true, groups: [] })
})

test('one bad line keeps all others out, and each problem is named', async () => {
  await ok('POST', '/manage/admin/user-group', { body: { name: 'directory', user_ids: [], cc_pair_ids: [] } })
  await alterRecord("update user_group set origin = 'scim' where name = 'directory'")
  const csv = [
    'email,role,groups,active,name',
    'carl@example.com,basic,,true,Carl',
    'CARL@example.com,basic,,true,Carl',
    'no address,basic,,true,',
    'dora@example.com,king,,true,',
    'eve@example.com,basic,,perhaps,',
    'fay@example.com,basic,Admin,true,',
    'gil@example.com,basic,directory,true,',
    `hal@example.com,basic,,true,${'x'.repeat(201)}`,
    'ian@example.com,basic,,true,Ian,more',
  ].join('\n')
  const { body } = await send({ csv, dryRun: 'true' })
  assert.deepEqual(
    body.problems.map((it: { line: number }) => it.line),
    [3, 4, 5, 6, 7, 8, 9, 10],
  )
  assert.match(await refused({ csv }), /^Line 3: Line 2 has the same address\. Line 4: .*Nothing was changed\.$/)
  assert.equal(await find('carl@example.com'), undefined)
})

test('a table that cannot be read is refused with the reason', async () => {
  assert.match(await refused({ csv: '' }), /empty/)
  assert.match(await refused({ csv: 'mail\nx@example.com' }), /column "mail"/)
  assert.match(await refused({ csv: 'name\nx' }), /lacks the column email/)
  assert.match(await refused({ csv: 'email,email\nx,y' }), /email twice/)
  assert.match(await refused({ csv: Buffer.from([0x65, 0xff]) }), /not UTF-8/)
  assert.match(await refused({ csv: 'email\nx@example.com', dryRun: 'maybe' }), /dry_run/)
  const many = Array.from({ length: 10_001 }, (_, n) => `p${n}@example.com`)
  assert.match(await refused({ csv: ['email', ...many].join('\n') }), /more than 10000/)
})

test('an import leaves an administrator who can sign in, and never demotes its own', async () => {
  const key = await makeKey({ user_email: 'root@example.com', role: 'admin' })
  await alterRecord("update person set is_verified = 1 where email_key = 'root@example.com'")
  const csv = 'email,role\nroot@example.com,basic'
  assert.match(await refused({ csv, key }), /own role/)
  const { status, body } = await send({ csv })
  assert.deepEqual([status, body.error_code], [409, 'LAST_ADMIN'])
  assert.equal((await find('root@example.com'))?.role, 'admin')
  const swap = await send({ csv: `${csv}\nsuccessor@example.com,admin` })
  assert.equal(swap.status, 409)
})

test('a suspension takes effect with the next request, and the audit names each change', async () => {
  const key = await makeKey({ user_email: 'kim@example.com' })
  assert.equal((await ask('GET', '/me', { key })).status, 200)
  await send({ csv: 'email,active\nkim@example.com,false' })
  assert.equal((await ask('GET', '/me', { key })).status, 401)
  const [entry] = await ok('GET', '/admin/audit?action=person.update&limit=1')
  assert.deepEqual(entry.fields, ['is_active'])
})

test('ten thousand people are imported at once', async () => {
  const many = Array.from({ length: 10_000 }, (_, n) => `p${n}@example.com,g${n % 50}`)
  const { body } = await send({ csv: ['email,groups', ...many].join('\n') })
  assert.deepEqual([body.applied, body.created], [true, 10_000])
  assert.deepEqual((await find('p9999@example.com'))?.groups, ['g49'])
})
