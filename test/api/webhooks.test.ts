// Webhooks, from the view of the receiving program.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startServer, waitFor } from '../server.ts'
import { createRequester } from './request.ts'
import { createSetup, documentOf, start } from './setup.ts'

const ALLOW = { EGRESS_ALLOW: '127.0.0.1' }
const { server, ask, ok, push, makePair, alterRecord } = await start(ALLOW)
const WEBHOOK = '/admin/webhook'
/** An unresolvable name can be stored, because it may resolve when it is called. */
const NOWHERE = 'https://hooks.invalid/'
/** An unused address. It is not a name, so it needs no resolver. */
const CLOSED = 'http://127.0.0.1:1/'

type Json = Record<string, unknown>
interface Message {
  headers: IncomingHttpHeaders
  text: string
  type: string
  documents: Json[]
}

/** A receiving program. `answers` are its next responses; all later ones are 204. */
async function listen(...answers: { status: number; headers?: Record<string, string>; text?: string }[]) {
  const messages: Message[] = []
  const listener = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    const { type, data } = JSON.parse(text)
    messages.push({ headers: request.headers, text, type, documents: data.documents })
    const { status, headers = {}, text: answer = '' } = answers.shift() ?? { status: 204 }
    response.writeHead(status, headers).end(answer)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  after(() => {
    listener.close()
    listener.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`,
    messages,
    documents: () => messages.flatMap((it) => it.documents),
    ids: () => messages.flatMap((it) => it.documents.map((document) => document.document_id)),
  }
}

/** Without the alerts, which come when the service notices them. */
const create = (body: Json) => ok('POST', WEBHOOK, { body: { events: ['indexed', 'failed'], ...body } })
const find = async (id: number) => (await ok('GET', WEBHOOK)).find((it: Json) => it.id === id)
const deliveries = (id: number) => ok('GET', `${WEBHOOK}/${id}/deliveries`)
const update = (id: number, body: Json) => ok('PATCH', `${WEBHOOK}/${id}`, { body })
const remove = (id: number) => ok('DELETE', `${WEBHOOK}/${id}`)

/** As the receiver's guide of https://www.standardwebhooks.com has it. */
function isSigned({ headers, text }: Message, secret: string): boolean {
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  return String(headers['webhook-signature']).split(' ').includes(signature)
}

/** Writes a state that no real document can cause: the index has refused it six times. */
async function fail(document_id: string): Promise<void> {
  await alterRecord(`update sequence set value = value + 1 where name = 'mark'`)
  await alterRecord(`update receipt set error = 'the index refused it', attempts = 6, indexed_at = null,
    chunk_count = null, mark = (select value from sequence where name = 'mark') where document_id = '${document_id}'`)
}

test('an indexed document is reported with its receipt, without its text, and signed', async () => {
  const { url, messages, documents } = await listen()
  const { id, secret, ...webhook } = await create({ url, events: ['indexed'] })
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const { time_created, time_updated, ...rest } = webhook
  assert.deepEqual(rest, { url, events: ['indexed'], cc_pair_ids: null, status: 'active', reason: null })
  assert.ok(Date.parse(time_created) > 0 && time_created === time_updated)
  const cc_pair_id = await makePair('Told pair')
  await push(documentOf('nobodyshallreadthis', { id: 'told' }), { cc_pair_id })
  await waitFor(() => messages.length > 0, 'the message')
  const [message] = messages
  assert.ok(isSigned(message!, secret))
  assert.ok(!isSigned({ ...message!, text: `${message!.text} ` }, secret))
  assert.ok(Math.abs(Number(message!.headers['webhook-timestamp']) * 1_000 - Date.now()) < 60_000)
  assert.match(String(message!.headers['webhook-id']), /^msg_[0-9a-f]{32}$/)
  assert.equal(message!.headers['content-type'], 'application/json')
  assert.deepEqual(Object.keys(JSON.parse(message!.text)), ['type', 'timestamp', 'data'])
  assert.equal(message!.type, 'indexed')
  assert.ok(!message!.text.includes('nobodyshallreadthis'))
  const { accepted_at, indexed_at, ...document } = documents()[0]!
  assert.deepEqual(document, {
    document_id: 'told',
    status: 'indexed',
    reason: null,
    attempts: 0,
    retry_at: null,
    chunk_count: 1,
    cc_pairs: [{ id: cc_pair_id, name: 'Told pair' }],
    warnings: [],
  })
  assert.ok(Date.parse(String(accepted_at)) <= Date.parse(String(indexed_at)))
  await remove(id)
})

test('a failed document is reported with its reason to subscribed webhooks', async () => {
  const [both, only] = [await listen(), await listen()]
  const webhooks = [
    await create({ url: both.url, events: ['indexed', 'failed'] }),
    await create({ url: only.url, events: ['failed'] }),
  ]
  await push(documentOf('x', { id: 'fails' }))
  await waitFor(() => both.messages.length === 1, 'the first message')
  await fail('fails')
  for (const { id } of webhooks) await update(id, { status: 'active' })
  await waitFor(() => both.messages.length === 2 && only.messages.length === 1, 'the messages')
  assert.deepEqual(
    both.messages.map((it) => it.type),
    ['indexed', 'failed'],
  )
  const { status, reason, attempts, indexed_at } = only.documents()[0]!
  assert.deepEqual([status, attempts, indexed_at], ['failed', 6, null])
  assert.match(String(reason), /gave up after 6 attempts.*the index refused it/)
  for (const { id } of webhooks) await remove(id)
})

test('only documents of the selected pairs are reported', async () => {
  const { url, ids } = await listen()
  const pair = await makePair('Wanted pair')
  const { id } = await create({ url, cc_pair_ids: [pair] })
  await push(documentOf('x', { id: 'unwanted' }))
  await push(documentOf('x', { id: 'wanted' }), { cc_pair_id: pair })
  await waitFor(() => ids().length > 0, 'the message')
  assert.deepEqual(ids(), ['wanted'])
  await remove(id)
})

test('many documents are reported in few messages, each once', async () => {
  const { url, messages, ids } = await listen()
  const { id } = await create({ url })
  const wanted = Array.from({ length: 700 }, (_, at) => `many ${at}`)
  const body = wanted.map((it) => JSON.stringify({ document: documentOf('x', { id: it }) })).join('\n')
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/x-ndjson' }
  const { status } = await fetch(`${server.url}/service-api/ingestion/batch`, { method: 'POST', headers, body })
  assert.equal(status, 200)
  await waitFor(() => ids().length >= wanted.length, 'all of them', 30_000)
  assert.deepEqual(ids().sort(), wanted.sort())
  assert.ok(messages.every((it) => it.documents.length <= 100))
  assert.ok(messages.length < wanted.length / 2)
  assert.equal(new Set(messages.map((it) => it.headers['webhook-id'])).size, messages.length)
  await remove(id)
})

test('events before the webhook was created and deletions are not reported', async () => {
  await push(documentOf('x', { id: 'earlier' }))
  const { url, ids } = await listen()
  const { id } = await create({ url })
  await ok('DELETE', '/service-api/ingestion/earlier')
  await push(documentOf('x', { id: 'later' }))
  await waitFor(() => ids().length > 0, 'the message')
  assert.deepEqual(ids(), ['later'])
  await remove(id)
})

test('a custom secret signs from the next message on', async () => {
  const { url, messages } = await listen()
  const mine = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const { id, secret } = await create({ url, secret: mine })
  assert.equal(secret, mine)
  await ok('POST', `${WEBHOOK}/${id}/test`)
  const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
  assert.ok(!('secret' in (await update(id, { secret: other }))))
  await ok('POST', `${WEBHOOK}/${id}/test`)
  assert.deepEqual([isSigned(messages[0]!, mine), isSigned(messages[1]!, other)], [true, true])
  await remove(id)
})

test('a rejected message is retried with the same id, and deliveries show it', async () => {
  const { url, messages } = await listen({ status: 503, text: 'later, please' })
  const { id } = await create({ url })
  await push(documentOf('x', { id: 'again' }))
  await waitFor(() => messages.length === 1, 'the first try')
  const waiting = await waitFor(async () => {
    const [delivery] = await deliveries(id)
    return delivery.attempts === 1 && delivery
  }, 'the delivery to tell of it')
  const { message_id, created_at, next_attempt_at, ...rest } = waiting
  const deliveryId = rest.id
  assert.deepEqual(rest, {
    id: deliveryId,
    event: 'indexed',
    documents: 1,
    status: 'pending',
    attempts: 1,
    delivered_at: null,
    response_status: 503,
    answer: 'later, please',
    error: 'The endpoint answered with status 503. A status from 200 to 299 confirms delivery.',
  })
  assert.ok(Date.parse(next_attempt_at) > Date.parse(created_at))
  await waitFor(() => messages.length === 2, 'the second try', 30_000)
  assert.deepEqual(
    messages.map((it) => [it.headers['webhook-id'], it.text]),
    [0, 1].map(() => [message_id, messages[0]!.text]),
  )
  const [delivered] = await waitFor(async () => {
    const all = await deliveries(id)
    return all[0].status === 'delivered' && all
  }, 'the delivery')
  assert.deepEqual([delivered.attempts, delivered.response_status, delivered.error], [2, 204, null])
  await remove(id)
})

test('an endpoint that responds 410 is paused with a reason and resumes where it stopped', async () => {
  const { url, messages, ids } = await listen({ status: 410 })
  const { id } = await create({ url })
  await push(documentOf('x', { id: 'gone first' }))
  const paused = await waitFor(async () => {
    const webhook = await find(id)
    return webhook.status === 'paused' && webhook
  }, 'the pause')
  assert.match(
    paused.reason,
    /^The endpoint answered with status 410\. .*Resume the webhook when the endpoint accepts messages again\.$/,
  )
  await push(documentOf('x', { id: 'gone second' }))
  assert.equal(messages.length, 1)
  const resumed = await update(id, { status: 'active' })
  assert.deepEqual([resumed.status, resumed.reason], ['active', null])
  await waitFor(() => ids().length === 3, 'both')
  assert.deepEqual(ids().slice(1).sort(), ['gone first', 'gone second'])
  await remove(id)
})

test('a redirect is a failure and is not followed', async () => {
  const other = await listen()
  const { url } = await listen({ status: 302, headers: { location: other.url } })
  const { id } = await create({ url })
  const { status, error } = await ok('POST', `${WEBHOOK}/${id}/test`)
  assert.equal(status, 'failed')
  assert.match(error, /redirects/)
  assert.equal(other.messages.length, 0)
  await remove(id)
})

test('an unresponsive endpoint delays neither indexing nor other webhooks', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  after(() => {
    silent.close()
    silent.closeAllConnections()
  })
  const { url, ids } = await listen()
  const dead = await create({ url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/` })
  const alive = await create({ url })
  await push(documentOf('x', { id: 'undelayed a' }))
  await push(documentOf('x', { id: 'undelayed b' }))
  await waitFor(() => ids().length === 2, 'both documents')
  assert.equal((await find(dead.id)).status, 'active')
  for (const { id } of [dead, alive]) await remove(id)
})

/** Returns the only error of a 422. */
async function misfitOf(reply: ReturnType<typeof ask>) {
  const { status, body } = await reply
  assert.equal(status, 422)
  const [{ loc, type, msg }, ...others] = body.detail
  assert.deepEqual([loc, type, others], [['body', 'url'], 'egress_refused', []])
  return msg
}

test('a host on a private network is rejected when stored, and the reason names the setting', async () => {
  const { url, messages } = await listen()
  const { ask: askHere, ok: okHere } = await start()
  const reason = /127\.0\.0\.1 is not on the public internet.*EGRESS_ALLOW=127\.0\.0\.1:\d+/
  assert.match(await misfitOf(askHere('POST', WEBHOOK, { body: { url } })), reason)
  const { id } = await okHere('POST', WEBHOOK, { body: { url: NOWHERE } })
  assert.match(await misfitOf(askHere('PATCH', `${WEBHOOK}/${id}`, { body: { url } })), reason)
  assert.equal((await okHere('GET', WEBHOOK))[0].url, NOWHERE)
  assert.equal((await askHere('PATCH', `${WEBHOOK}/99`, { body: { url } })).status, 404)
  assert.equal(messages.length, 0)
})

test('a host forbidden after it was stored is not called, and the reason names the setting', async () => {
  const { url, messages } = await listen()
  const open = await startServer({ keep: true, env: ALLOW })
  await createRequester(open)('POST', WEBHOOK, { body: { url } })
  await open.kill()
  const closed = await startServer({ dataDir: open.dataDir })
  const { ok: okHere, push: pushHere } = createSetup(createRequester(closed))
  const { status, error, response_status } = await okHere('POST', `${WEBHOOK}/1/test`)
  assert.deepEqual([status, response_status], ['failed', null])
  assert.match(error, /127\.0\.0\.1 is not on the public internet.*EGRESS_ALLOW=127\.0\.0\.1:\d+/)
  await pushHere(documentOf('x', { id: 'private' }))
  const reason = await waitFor(async () => (await okHere('GET', WEBHOOK))[0].reason ?? undefined, 'the pause')
  assert.match(reason, /EGRESS_ALLOW/)
  assert.equal(messages.length, 0)
  await closed.stop()
  await open.stop()
})

test('the service itself is always rejected', async () => {
  const url = `${server.url}/health`
  assert.match(await misfitOf(ask('POST', WEBHOOK, { body: { url } })), /is this service/)
})

test('events that were undelivered at a kill are delivered after the restart', async () => {
  const first = await startServer({ keep: true, env: ALLOW })
  const { url, ids } = await listen({ status: 500 }, { status: 500 })
  const here = createRequester(first)
  await here('POST', WEBHOOK, { body: { url } })
  const path = '/service-api/ingestion?wait_for=indexed&timeout_ms=30000'
  await here('POST', path, { body: { document: documentOf('x', { id: 'survivor' }) } })
  await waitFor(() => ids().length > 0, 'the first try')
  await first.kill()
  const before = ids().length
  const second = await startServer({ dataDir: first.dataDir, env: ALLOW })
  await waitFor(() => ids().length > before, 'the delivery after the start', 60_000)
  assert.deepEqual([...new Set(ids())], ['survivor'])
  await second.stop()
  await first.stop()
})

test('a test returns its delivery and is listed among the deliveries', async () => {
  const { url, messages } = await listen({ status: 200, text: 'thank you' })
  const { id } = await create({ url })
  const delivery = await ok('POST', `${WEBHOOK}/${id}/test`)
  const { event, documents, status, attempts, response_status, answer } = delivery
  assert.deepEqual([event, documents, status, attempts], ['test', 0, 'delivered', 1])
  assert.deepEqual([response_status, answer], [200, 'thank you'])
  assert.deepEqual([messages[0]!.type, messages[0]!.documents], ['test', []])
  assert.deepEqual(await deliveries(id), [delivery])
  await remove(id)
})

test('the secret is shown once', async () => {
  const { id, secret } = await create({ url: NOWHERE })
  for (const path of [WEBHOOK, `${WEBHOOK}/${id}/deliveries`]) {
    assert.ok(!(await ask('GET', path)).text.includes(secret))
  }
  assert.ok(!('secret' in (await find(id))))
  await remove(id)
})

test('an update changes only the given fields', async () => {
  const { id } = await create({ url: 'https://a.invalid/', events: ['failed'], cc_pair_ids: [1] })
  const narrowed = await update(id, { url: 'https://b.invalid/' })
  assert.deepEqual([narrowed.url, narrowed.events, narrowed.cc_pair_ids], ['https://b.invalid/', ['failed'], [1]])
  const widened = await update(id, { cc_pair_ids: null, events: ['indexed', 'indexed'] })
  assert.deepEqual([widened.url, widened.events, widened.cc_pair_ids], ['https://b.invalid/', ['indexed'], null])
  const paused = await update(id, { status: 'paused' })
  assert.deepEqual([paused.status, paused.reason], ['paused', 'Paused by an administrator.'])
  await remove(id)
})

for (const [what, body] of [
  ['no address', {}],
  ['an address that is none', { url: 'example.com' }],
  ['an address of a file', { url: 'file:///etc/passwd' }],
  ['an address with a password', { url: 'https://user:secret@example.com' }],
  ['an unknown event', { url: 'https://example.com', events: ['deleted'] }],
  ['no event', { url: 'https://example.com', events: [] }],
  ['a secret that is too short', { url: 'https://example.com', secret: 'whsec_c2hvcnQ=' }],
] as const) {
  test(`${what} is 422`, async () => {
    const { status, text } = await ask('POST', WEBHOOK, { body })
    assert.equal(status, 422)
    assert.ok(!text.includes('secret@'))
  })
}

test('a pair that does not exist is 404', async () => {
  const { status, body } = await ask('POST', WEBHOOK, { body: { url: 'https://example.com', cc_pair_ids: [99_999] } })
  assert.deepEqual([status, body.error_code], [404, 'CC_PAIR_NOT_FOUND'])
})

test('a deleted webhook is 404 everywhere', async () => {
  const { id } = await create({ url: NOWHERE })
  await remove(id)
  for (const [method, path, body] of [
    ['PATCH', '', { status: 'active' }],
    ['DELETE', '', undefined],
    ['POST', '/test', undefined],
    ['GET', '/deliveries', undefined],
  ] as const) {
    const reply = await ask(method, `${WEBHOOK}/${id}${path}`, { body })
    assert.deepEqual([reply.status, reply.body.error_code], [404, 'WEBHOOK_NOT_FOUND'])
  }
})

test('a webhook that is deleted while it is tested is 404', async () => {
  const made = { id: 0 }
  const listener = createServer(async (_request, response) => {
    await remove(made.id)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  after(() => {
    listener.close()
    listener.closeAllConnections()
  })
  made.id = (await create({ url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/` })).id
  const { status, body } = await ask('POST', `${WEBHOOK}/${made.id}/test`)
  assert.deepEqual([status, body.error_code], [404, 'WEBHOOK_NOT_FOUND'])
})

test('more than a hundred webhooks are 409', async () => {
  const { length } = await ok('GET', WEBHOOK)
  const made: number[] = []
  for (let at = length; at < 100; at++) made.push((await create({ url: CLOSED })).id)
  const { status, body } = await ask('POST', WEBHOOK, { body: { url: CLOSED } })
  assert.deepEqual([status, body.error_code], [409, 'TOO_MANY_WEBHOOKS'])
  for (const id of made) await remove(id)
})

test('an invalid setting stops the start with an error that names it', async () => {
  await assert.rejects(startServer({ env: { EGRESS_ALLOW: '10.0.0.0/99' } }), /ended with 78[\s\S]*EGRESS_ALLOW/)
})
