// Alerts about conditions that are made for real: over the API, by webhook and by mail, once each, with an end.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startWithConnectors } from '../connectors/setup.ts'
import { openSite, pageOf } from '../connectors/site.ts'
import { linkIn, openSmtpServer } from '../mail/smtp.ts'
import { fails, says, startModelServer } from '../model/model-server.ts'
import { waitFor } from '../server.ts'
import { PASSWORD } from './people.ts'
import { createGroupSetup } from './people-of-groups.ts'

// biome-ignore lint/suspicious/noExplicitAny: each test checks the response.
type Json = any

const smtp = await openSmtpServer()
const model = await startModelServer()
const site = await openSite()
const setup = await startWithConnectors({
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'pharos@example.com',
  PUBLIC_URL: 'https://pharos.example.com',
  LLM_URL: model.env('scripted').LLM_URL ?? '',
  LLM_MODEL: 'scripted',
})
const { ask, ok, pull, ended, runAgain, prune, makeKey, makePair, alterRecord } = setup
const ANN = 'ann@example.com'
const BROKEN = { status: 404, body: 'broken' }
const REFUSED = { status: 403, body: 'closed' }

const web = (path: string) => ({
  source: 'web',
  connector_specific_config: { base_url: `${site.url}${path}` },
  refresh_freq: 86_400,
  prune_freq: null,
})
const alerts = (key?: string): Promise<Json> => ok('GET', '/admin/alerts', key === undefined ? {} : { key })
const opened = (kind: string, id: number | string): Promise<Json> =>
  waitFor(
    async () => (await alerts()).open.find((it: Json) => it.kind === kind && it.object_id === String(id)),
    `the alert ${kind} of ${id}`,
    30_000,
  )
const over = (kind: string, id: number | string): Promise<Json> =>
  waitFor(
    async () => {
      const { open, ended: old } = await alerts()
      const isOne = (it: Json) => it.kind === kind && it.object_id === String(id)
      return !open.some(isOne) && old.find(isOne)
    },
    `the end of ${kind} of ${id}`,
    30_000,
  )

async function listen(body: Json = {}) {
  const told: Json[] = []
  const listener = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    told.push(JSON.parse(Buffer.concat(pieces).toString()))
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  after(() => {
    listener.close()
    listener.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`
  await ok('POST', '/admin/webhook', { body: { url, events: ['alert.opened', 'alert.closed'], ...body } })
  const about = (kind: string) => told.filter((it) => it.data.alert.kind === kind)
  const until = (kind: string, types: string[]) =>
    waitFor(() => about(kind).length >= types.length, `${types} of ${kind}`, 30_000).then(() =>
      assert.deepEqual(
        about(kind).map((it) => it.type),
        types,
      ),
    )
  return { told, about, until }
}

/** Ann is an administrator, who gets mails. */
await ok('PUT', '/manage/admin/users', { body: { emails: [ANN], role: 'admin' } })
const token = linkIn(await smtp.next(ANN)).split('#')[1]
assert.equal((await ask('POST', '/auth/register', { key: null, body: { token, password: PASSWORD } })).status, 201)
const mailWith = (words: RegExp) =>
  waitFor(() => smtp.mails.find((it) => it.to.includes(ANN) && words.test(it.text)), `a mail with ${words}`, 30_000)
const mailsWith = (words: RegExp) => smtp.mails.filter((it) => words.test(it.text))

test('a source that fails is one alert until it works again, with one mail and one message for each', async () => {
  const all = await listen()
  const others = await listen({ cc_pair_ids: [1] })
  site.pages.set('/docs', pageOf('Handbook', 'welcome'))
  const pair = await pull('Handbook <b>', web('/docs'))
  await ended(pair)
  site.pages.set('/docs', BROKEN)
  const failed = await runAgain(pair)
  const alert = await opened('source_failing', pair)
  const { id, since, ...facts } = alert
  assert.deepEqual(facts, {
    ...{ kind: 'source_failing', object_id: String(pair), cc_pair_id: pair, name: 'Handbook <b>' },
    ...{
      reason: failed.error_msg,
      count: null,
      due_at: null,
      ended_at: null,
      page: `/admin/connector/${pair}`,
      dismissed: null,
    },
  })
  assert.ok(Date.parse(since) >= Date.parse(failed.time_started), since)
  const mail = await mailWith(/Subject: Pharos: The runs of a connector fail/)
  assert.ok(mail.text.includes('https://pharos.example.com/admin/overview'))
  assert.doesNotMatch(mail.text, /Handbook|broken/)
  await runAgain(pair)
  assert.equal((await opened('source_failing', pair)).id, id)

  site.pages.set('/docs', pageOf('Handbook', 'welcome back'))
  await runAgain(pair)
  assert.equal((await over('source_failing', pair)).id, id)
  await all.until('source_failing', ['alert.opened', 'alert.closed'])
  const [first, second] = all.about('source_failing').map((it) => it.data.alert)
  assert.deepEqual([first.id, first.page, first.ended_at, second.id], [id, `/admin/connector/${pair}`, null, id])
  assert.ok(Date.parse(second.ended_at) >= Date.parse(first.since))
  await mailWith(/Subject: Over: The runs of a connector fail/)
  assert.equal(mailsWith(/The runs of a connector fail/).length, 2)
  assert.deepEqual(others.told, [])

  // It fails again within a day: the second end is seen at once, and reported only if it lasts.
  site.pages.set('/docs', BROKEN)
  await runAgain(pair)
  const again = await opened('source_failing', pair)
  site.pages.set('/docs', pageOf('Handbook', 'and once more'))
  await runAgain(pair)
  assert.equal((await over('source_failing', pair)).id, again.id)
  site.pages.set('/docs', BROKEN)
  await runAgain(pair)
  assert.equal((await opened('source_failing', pair)).id, again.id)
  await all.until('source_failing', ['alert.opened', 'alert.closed', 'alert.opened'])
})

test('a refused credential, a held deletion and a forgotten pause are alerts of their own', async () => {
  site.pages.set('/closed', pageOf('Closed', 'soon'))
  const closed = await pull('Closed', web('/closed'))
  await ended(closed)
  site.pages.set('/closed', REFUSED)
  await runAgain(closed)
  const failing = await opened('source_failing', closed)
  // Pages need no credential; run-attempt.test.ts shows which failures are noted as one of the credential.
  await alterRecord(`update cc_pair_schedule set failure_kind = 'credential' where cc_pair_id = ${closed}`)
  assert.equal((await opened('credential_refused', closed)).reason, failing.reason)
  await over('source_failing', closed)

  const links = Array.from({ length: 14 }, (_, at) => `/many/${at}`)
  site.pages.set('/many', pageOf('Many', 'pages', links))
  for (const it of links) site.pages.set(it, pageOf(it, `page ${it}`))
  const many = await pull('Many', {
    ...web('/many'),
    connector_specific_config: { base_url: `${site.url}/many`, web_connector_type: 'recursive' },
  })
  await ended(many)
  for (const it of links) site.pages.delete(it)
  site.pages.set('/many', pageOf('Many', 'pages gone'))
  assert.equal((await prune(many)).state, 'held')
  assert.equal((await opened('prune_held', many)).name, 'Many')
  await ok('POST', `/manage/admin/cc-pair/${many}/prune`, { body: { confirm: false } })
  await over('prune_held', many)

  await ok('PUT', `/manage/admin/cc-pair/${many}/status`, { body: { status: 'PAUSED' } })
  await alterRecord(`update cc_pair set paused_at = paused_at - ${8 * 86_400_000} where id = ${many}`)
  const paused = await opened('source_paused', many)
  assert.ok(Date.parse(paused.since) < Date.now() - 7 * 86_400_000)
  await ok('PUT', `/manage/admin/cc-pair/${many}/status`, { body: { status: 'ACTIVE' } })
  await over('source_paused', many)
})

test('a language model that fails twice is an alert, until it answers or a test succeeds', async () => {
  const send = () => ask('POST', '/chat/send-chat-message', { body: { message: 'Are you there?', stream: false } })
  model.script(() => says('Here I am.'))
  await send()
  model.script(() => fails(500, 'no'))
  await send()
  assert.equal((await alerts()).open.filter((it: Json) => it.kind === 'model_failing').length, 0)
  await send()
  const alert = await opened('model_failing', '0/scripted')
  assert.deepEqual([alert.name, alert.page], ['scripted', '/admin/models'])
  model.script(() => says('Here I am again.'))
  await send()
  await over('model_failing', '0/scripted')
})

test('a webhook that the program paused is an alert, one that an administrator paused is not', async () => {
  const gone = createServer((_, response) => void response.writeHead(410).end())
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
  after(() => gone.close())
  const url = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/`
  const { id } = await ok('POST', '/admin/webhook', { body: { url, events: ['indexed'] } })
  await setup.push({ semantic_identifier: 'News', sections: [{ text: 'news' }], source: 'web', metadata: {} })
  const alert = await opened('webhook_paused', id)
  assert.deepEqual([alert.name, alert.page], [new URL(url).host, `/admin/webhooks/${id}`])
  await ok('PATCH', `/admin/webhook/${id}`, { body: { status: 'active' } })
  await ok('PATCH', `/admin/webhook/${id}`, { body: { status: 'paused' } })
  await over('webhook_paused', id)
})

test('keys that expire, unknown people and held removals are alerts with counts', async () => {
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const key = await makeKey({ role: 'basic', name: 'Nightly' })
  await ok('GET', '/me', { key })
  const [row] = (await ok('GET', '/admin/api-key')).filter((it: Json) => it.api_key_name === 'Nightly')
  const times = `last_used_at = ${Date.now()}, expires_at = ${Date.parse(soon)}`
  await alterRecord(`update api_key set ${times} where id = ${row.api_key_id}`)
  const expiring = await opened('key_expiring', row.api_key_id)
  assert.deepEqual([expiring.name, expiring.due_at, expiring.page], ['Nightly', soon, '/admin/ingestion'])
  await alterRecord(`update api_key set expires_at = ${Date.now() - 1} where id = ${row.api_key_id}`)
  await opened('key_expired', row.api_key_id)
  await over('key_expiring', row.api_key_id)

  const pair = await makePair('Wiki', {}, {})
  await alterRecord(`update cc_pair set access_type = 'sync' where id = ${pair}`)
  for (const email of [ANN, 'zoe@example.com', 'yan@example.com'])
    await alterRecord(`insert into source_group_member (cc_pair_id, group_id, email) values (${pair}, 'g', '${email}')`)
  const unmatched = await opened('unmatched_people', pair)
  assert.deepEqual([unmatched.count, unmatched.page], [2, '/admin/access'])
  const [{ id: person }] = (await ok('GET', '/manage/users/accepted')).items
  await alterRecord(
    `insert into scim_removal (person_id, kind, state, asked_at, is_in_effect) values ('${person}', 'suspend', 'held', 1, 0)`,
  )
  const held = await opened('removal_held', '')
  assert.deepEqual([held.count, held.page], [1, '/admin/scim'])
})

test('a curator sees the alerts of their pairs, and dismissing is for one or for all, with a way back', async () => {
  const curt = await createGroupSetup(setup).makePerson('curt', { curated: ['board'] })
  site.pages.set('/own', pageOf('Own', 'one'))
  site.pages.set('/other', pageOf('Other', 'one'))
  const own = await pull('Own', web('/own'), { association: { access_type: 'private', groups: ['board'] } })
  const other = await pull('Other', web('/other'))
  for (const [path, pair] of [
    ['/own', own],
    ['/other', other],
  ] as const) {
    await ended(pair)
    site.pages.set(path, REFUSED)
    await runAgain(pair)
  }
  const kindOf = async (pair: number) => (await alerts()).open.find((it: Json) => it.cc_pair_id === pair)
  const [mine, theirs] = [
    await waitFor(() => kindOf(own), 'an alert of the own pair'),
    await waitFor(() => kindOf(other), 'an alert of the other pair'),
  ]
  const seen = await alerts(curt.key)
  assert.deepEqual(
    seen.open.map((it: Json) => it.id),
    [mine.id],
  )
  assert.ok(!JSON.stringify(seen).includes('Other'))
  const dismissal = (id: number) => `/admin/alerts/${id}/dismissal`
  for (const method of ['PUT', 'DELETE']) {
    const body = method === 'PUT' ? { body: {} } : {}
    const [hidden, missing] = [
      await ask(method, dismissal(theirs.id), { key: curt.key, ...body }),
      await ask(method, dismissal(999_999), { key: curt.key, ...body }),
    ]
    assert.deepEqual([hidden.status, hidden.body.error_code], [404, 'ALERT_NOT_FOUND'])
    assert.equal(hidden.text.replace(String(theirs.id), 'N'), missing.text.replace('999999', 'N'))
  }
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const snoozed = await ok('PUT', dismissal(mine.id), { key: curt.key, body: { until } })
  assert.deepEqual(snoozed.dismissed, { for: 'me', until })
  const ofAdmin = async () => (await alerts()).open.find((it: Json) => it.id === mine.id).dismissed
  assert.equal(await ofAdmin(), null)
  const forAll = await ask('PUT', dismissal(mine.id), { key: curt.key, body: { for: 'everybody' } })
  assert.deepEqual([forAll.status, forAll.body.error_code], [403, 'INSUFFICIENT_PERMISSIONS'])
  await ok('PUT', dismissal(mine.id), { body: { for: 'everybody' } })
  assert.deepEqual(await ofAdmin(), { for: 'everybody', until: null })
  assert.deepEqual((await alerts(curt.key)).open[0].dismissed, { for: 'everybody', until: null })
  await ok('DELETE', `${dismissal(mine.id)}?for=everybody`)
  assert.equal(await ofAdmin(), null)
  const past = await ok('PUT', dismissal(mine.id), { body: { until: '2020-01-01T00:00:00Z' } })
  assert.equal(past.dismissed, null)
  await ok('DELETE', '/admin/person/curt%40example.com')
})
