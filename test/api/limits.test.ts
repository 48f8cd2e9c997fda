// Limits of requests per minute and of tokens: to whom they apply, what a client sees, and that administrators stay able to act.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { says, startModelServer } from '../model/model-server.ts'
import { startServer } from '../server.ts'
import { createRequester } from './request.ts'
import { documentOf, start } from './setup.ts'

const model = await startModelServer()
const dataDir = await mkdtemp(join(tmpdir(), 'pharos-limits-'))
const { server, ask, ok, makeKey, push, alterRecord } = await start(
  {
    ...model.env('scripted'),
    EGRESS_ALLOW: '127.0.0.1',
  },
  { dataDir },
)

let ann: string
let bob: string
before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'ann@example.com', user_group_ids: ['sales', 'staff'] })
  bob = await makeKey({ role: 'basic', user_email: 'bob@example.com', user_group_ids: ['staff'] })
  await push(documentOf('The capital of France is Paris.'))
})

const create = (body: object) => ok('POST', '/admin/limits', { body })
const withLimits = async (limits: readonly object[], perform: (ids: number[]) => Promise<void>) => {
  const made: { id: number }[] = []
  for (const it of limits) made.push(await create(it))
  try {
    await perform(made.map((it) => it.id))
  } finally {
    for (const { id } of made) await ok('DELETE', `/admin/limits/${id}`)
  }
}
const search = (key: string) => ask('POST', '/search', { key, body: { query: 'capital' } })
/** Searches repeatedly and returns the statuses. */
const searches = async (key: string, times: number): Promise<number[]> => {
  const statuses: number[] = []
  for (let at = 0; at < times; at++) statuses.push((await search(key)).status)
  return statuses
}
const groupId = async (name: string): Promise<string> =>
  String((await ok('GET', '/manage/admin/user-group')).find((it: { name: string }) => it.name === name).id)
const idOf = async (key: string): Promise<string> => (await ok('GET', '/me', { key })).id

test('without limits no header names one', async () => {
  const { headers } = await search(ann)
  assert.equal(headers['ratelimit-limit'], undefined)
})

test('a client sees how many requests remain, and when it may go on', async () => {
  await withLimits([{ applies_to: 'user', requests_per_minute: 2 }], async ([id]) => {
    const [first, second, third] = [await search(ann), await search(ann), await search(ann)]
    assert.deepEqual(
      [first, second, third].map((it) => [
        it?.status,
        it?.headers['ratelimit-limit'],
        it?.headers['ratelimit-remaining'],
      ]),
      [
        [200, '2', '1'],
        [200, '2', '0'],
        [429, '2', '0'],
      ],
    )
    const seconds = Number(third.headers['retry-after'])
    assert.ok(seconds >= 1 && seconds <= 60)
    assert.equal(third.headers['ratelimit-reset'], String(seconds))
    assert.equal(third.body.error_code, 'RATE_LIMITED')
    assert.deepEqual(await searches(bob, 1), [200], 'each person has requests of their own')
    const usage = await ok('GET', '/admin/limits/usage')
    assert.deepEqual(usage, [{ limit_id: id, used: 2, allowed: 2 }])
  })
  assert.deepEqual(await searches(ann, 3), [200, 200, 200], 'without the limit the requests go on at once')
})

test('all keys of a person share the limit of the person, and a key has one of its own', async () => {
  const second = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  const { data: _, ...key } = await ok('POST', '/admin/api-key', { body: { role: 'basic' } })
  const limits = [
    { applies_to: 'person', target_id: await idOf(ann), requests_per_minute: 2 },
    { applies_to: 'key', target_id: String(key.api_key_id), requests_per_minute: 1 },
  ]
  await withLimits(limits, async () => {
    assert.deepEqual([...(await searches(ann, 1)), ...(await searches(second, 2))], [200, 200, 429])
    assert.deepEqual(await searches(key.api_key, 2), [200, 429])
    assert.deepEqual(await searches(bob, 4), [200, 200, 200, 200])
  })
})

test('a group shares its limit, and of several limited groups one with requests left is enough', async () => {
  const staff = { applies_to: 'user_group', target_id: await groupId('staff'), requests_per_minute: 2 }
  const sales = { applies_to: 'user_group', target_id: await groupId('sales'), requests_per_minute: 3 }
  await withLimits([staff], async () => {
    assert.deepEqual([...(await searches(ann, 1)), ...(await searches(bob, 2))], [200, 200, 429])
  })
  await withLimits([staff, sales], async () => {
    assert.deepEqual(await searches(ann, 4), [200, 200, 200, 429])
    assert.deepEqual(await searches(bob, 1), [429])
  })
})

test('a request without rights does not count', async () => {
  await withLimits([{ applies_to: 'user', requests_per_minute: 1 }], async () => {
    assert.equal((await ask('GET', '/admin/api-key', { key: ann })).status, 403)
    assert.deepEqual(await searches(ann, 2), [200, 429])
  })
})

test('a used-up limit of all callers does not keep administrators from changing it', async () => {
  await withLimits([{ applies_to: 'global', requests_per_minute: 1 }], async ([id]) => {
    assert.deepEqual([...(await searches(server.key, 1)), ...(await searches(ann, 1))], [200, 429])
    assert.equal((await ask('GET', '/manage/admin/user-group')).status, 429)
    for (const path of ['/me', '/admin/limits', '/admin/limits/usage', '/admin/token-rate-limits/global']) {
      assert.equal((await ask('GET', path)).status, 200, path)
    }
    const changed = await ok('PUT', `/admin/limits/${id}`, { body: { requests_per_minute: 5, enabled: false } })
    assert.deepEqual([changed.requests_per_minute, changed.enabled], [5, false])
    assert.deepEqual(await searches(ann, 2), [200, 200])
  })
})

test('a limit that is missing, names nothing or counts nothing is refused', async () => {
  for (const [body, status] of [
    [{ applies_to: 'global' }, 400],
    [{ applies_to: 'global', requests_per_minute: 1, token_budget: 1 }, 400],
    [{ applies_to: 'global', requests_per_minute: 0 }, 422],
    [{ applies_to: 'user', requests_per_minute: 1, target_id: '1' }, 400],
    [{ applies_to: 'key', requests_per_minute: 1 }, 400],
    [{ applies_to: 'key', requests_per_minute: 1, target_id: 'x' }, 400],
    [{ applies_to: 'key', requests_per_minute: 1, target_id: '999999' }, 404],
    [{ applies_to: 'user_group', requests_per_minute: 1, target_id: '999999' }, 404],
    [{ applies_to: 'person', requests_per_minute: 1, target_id: 'nobody' }, 404],
    [{ applies_to: 'everybody', requests_per_minute: 1 }, 422],
    [{ applies_to: 'global', token_budget: 1, period_hours: 8_761 }, 422],
  ] as const) {
    assert.equal((await ask('POST', '/admin/limits', { body })).status, status, JSON.stringify(body))
  }
  assert.equal((await ask('PUT', '/admin/limits/999999', { body: { requests_per_minute: 1 } })).status, 404)
  assert.equal((await ask('DELETE', '/admin/limits/999999')).status, 404)
  assert.deepEqual(await ok('GET', '/admin/limits'), [])
})

test('token limits have the paths and shapes of the wire', async () => {
  const body = { enabled: true, token_budget: 100, period_hours: 24 }
  const staff = await groupId('staff')
  const paths = ['global', 'users', `user-group/${staff}`].map((it) => `/admin/token-rate-limits/${it}`)
  const made: { token_id: number }[] = []
  for (const path of paths) {
    const limit = await ok('POST', path, { body })
    assert.deepEqual(limit, { token_id: limit.token_id, ...body })
    assert.deepEqual(await ok('GET', path), [limit])
    made.push(limit)
  }
  assert.deepEqual(await ok('GET', '/admin/token-rate-limits/user-groups'), { staff: [made[2]] })
  const change = { enabled: false, token_budget: 5, period_hours: 1 }
  for (const { token_id } of made) {
    const path = `/admin/token-rate-limits/rate-limit/${token_id}`
    assert.deepEqual(await ok('PUT', path, { body: change }), { token_id, ...change })
    await ok('DELETE', path)
    assert.equal((await ask('DELETE', path)).body.error_code, 'LIMIT_NOT_FOUND')
  }
  await withLimits([{ applies_to: 'global', requests_per_minute: 1_000 }], async ([id]) => {
    const reply = await ask('PUT', `/admin/token-rate-limits/rate-limit/${id}`, { body: change })
    assert.equal(reply.status, 404, 'a limit of requests is none of tokens')
  })
})

const question = { message: 'What is the capital of France?', stream: false }
const asksModel = async (key: string): Promise<boolean> => {
  const earlier = model.requests.length
  const { status } = await ask('POST', '/chat/send-chat-message', { key, body: question })
  const isAsked = model.requests.length > earlier
  assert.equal(status, isAsked ? 200 : 429)
  return isAsked
}

test('tokens of the last hours count, by person, group and in total, and older ones do not', async () => {
  model.script([says('Paris.')])
  const hour = Math.floor(Date.now() / 3_600_000)
  const spend = (user: string, at: number, tokens: number) =>
    alterRecord(`insert into token_hour (hour, user_id, tokens) values (${at}, '${user}', ${tokens})
      on conflict (hour, user_id) do update set tokens = ${tokens}`)
  const person = await idOf(ann)
  const forAnn = { applies_to: 'person', target_id: person, token_budget: 1_000 }
  await spend(person, hour - 24, 1_000_000)
  await withLimits([forAnn], async () => assert.equal(await asksModel(ann), true))
  await spend(person, hour - 23, 1_000_000)
  const shared = { applies_to: 'user_group', target_id: await groupId('sales'), token_budget: 1_000 }
  for (const [limit, isAnnLimited, isBobLimited] of [
    [forAnn, true, false],
    [{ applies_to: 'user', token_budget: 1_000 }, true, false],
    [shared, true, false],
    [{ ...shared, target_id: await groupId('staff') }, true, true],
    [{ applies_to: 'global', token_budget: 1_000 }, true, true],
    [{ ...forAnn, token_budget: 100_000 }, false, false],
    [{ ...forAnn, period_hours: 12 }, false, false],
    [{ ...forAnn, enabled: false }, false, false],
  ] as const) {
    await withLimits([limit], async () => {
      const asked = [await asksModel(ann), await asksModel(bob)]
      assert.deepEqual(asked, [!isAnnLimited, !isBobLimited], JSON.stringify(limit))
    })
  }
  const limits = [forAnn, { applies_to: 'user', token_budget: 1_000, period_hours: 24 }]
  await withLimits(limits, async () => {
    const usage: { used: number; allowed: number }[] = await ok('GET', '/admin/limits/usage')
    for (const { used, allowed } of usage) assert.ok(used > 1_000_000 && allowed === 1_000_000)
  })
})

test('a client without tokens learns when they return', async () => {
  const hour = Math.floor(Date.now() / 3_600_000)
  const key = await makeKey({ role: 'basic', user_email: 'cora@example.com' })
  const person = await idOf(key)
  for (const [at, tokens] of [
    [hour - 20, 600],
    [hour - 10, 600],
    [hour - 5, 900],
  ] as const)
    await alterRecord(`insert into token_hour (hour, user_id, tokens) values (${at}, '${person}', ${tokens})`)
  const seconds = (until: number) => until * 3_600 - Date.now() / 1_000
  const limitOf = (period_hours: number) => ({ applies_to: 'person', target_id: person, token_budget: 1, period_hours })
  // Of 2,100 tokens more than 1,100 must grow older than the period; of 1,500, more than 500.
  for (const [limits, until] of [
    [[limitOf(24)], hour - 10 + 24],
    [[limitOf(12)], hour - 10 + 12],
    [[limitOf(12), limitOf(24)], hour - 10 + 24],
  ] as const) {
    await withLimits(limits, async () => {
      const reply = await ask('POST', '/chat/send-chat-message', { key, body: { ...question, stream: true } })
      assert.deepEqual([reply.status, reply.body.error_code], [429, 'RATE_LIMITED'])
      assert.match(
        reply.body.detail,
        /^The 1000 tokens in \d+ hours that you may use are used up\..* Try again in \d+ s\.$/,
      )
      const after = Number(reply.headers['retry-after'])
      assert.ok(Math.abs(after - seconds(until)) < 30, `${after} s instead of ${seconds(until)} s`)
      assert.deepEqual(
        ['limit', 'remaining', 'reset'].map((it) => reply.headers[`ratelimit-${it}`]),
        ['1000', '0', String(after)],
      )
    })
  }
})

test('the tokens of a day of a key are limited likewise', async () => {
  const key = await makeKey({ role: 'basic', daily_token_limit: 1 })
  assert.equal(await asksModel(key), true)
  const reply = await ask('POST', '/chat/send-chat-message', { key, body: question })
  assert.deepEqual([reply.status, reply.headers['ratelimit-limit']], [429, '1'])
  assert.match(reply.body.detail, /^The 1 tokens per day of this key are used up/)
  const day = 86_400
  assert.ok(Math.abs(Number(reply.headers['retry-after']) - (day - ((Date.now() / 1_000) % day))) < 30)
})

test('a client that accepts quotations gets documents and the name of the limit', async () => {
  await withLimits([{ applies_to: 'global', token_budget: 1 }], async () => {
    const body = { ...question, quotes_without_tokens: true }
    const { status, text } = await ask('POST', '/chat/send-chat-message', { key: bob, body })
    assert.equal(status, 200)
    assert.match(text, /Paris/)
    assert.match(text, /The 1000 tokens in 24 hours of this service are used up/)
  })
})

test('limits and tokens outlast a restart, and end with what they limit', async () => {
  const { id } = await create({ applies_to: 'person', target_id: await idOf(bob), requests_per_minute: 1 })
  await server.stop()
  const again = await startServer({ dataDir, env: { LOG_LEVEL: 'warn' } })
  const request = createRequester(again)
  const statuses = []
  for (let at = 0; at < 2; at++) {
    statuses.push((await request('POST', '/search', { key: bob, body: { query: 'x' } })).status)
  }
  assert.deepEqual(statuses, [200, 429])
  assert.equal((await request('GET', '/admin/limits')).body[0].id, id)
  assert.equal((await request('DELETE', '/admin/person/bob%40example.com')).status, 200)
  assert.deepEqual((await request('GET', '/admin/limits')).body, [])
  await again.stop()
  await rm(dataDir, { recursive: true, force: true })
})
