// Documents that people chose, and new ones, rank higher by default.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { waitFor } from '../server.ts'
import type { Reply } from './request.ts'
import { documentOf, start } from './setup.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-popularity-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

const DEFAULTS = { click_weight: null, link_weight: null, freshness_weight: null }
const idsOf = ({ results }: Reply['body']): string[] => results.map((it: { document_id: string }) => it.document_id)
const found = async (query: string, key?: string) =>
  idsOf(await service.search(query, { record: false }, key === undefined ? {} : { key }))
const partOf = async (query: string, id: string, name: string) => {
  const { results } = await service.search(query, { explain: true, record: false })
  const result = results.find((it: { document_id: string }) => it.document_id === id)
  return result.explanation.parts.find((it: { name: string }) => it.name === name)
}
const set = (body: object) => service.ok('PATCH', '/admin/ranking', { body })

const keys: Record<string, string> = {}
const people = ['ann', 'bob', 'cid', 'dan']
const programs = ['one', 'two', 'three']

/** Clicks are counted when the program starts, and every hour. So they are made before it starts again. */
async function startWithClicks() {
  const first = await start({}, { dataDir })
  for (const word of ['harbour', 'ferry', 'bridge']) {
    await first.push(documentOf(`The ${word} opens at six.`, { id: `${word} 1` }))
    await first.push(documentOf(`The ${word} opens at six or at seven.`, { id: `${word} 2` }))
    const long = `The ${word} is mentioned once in this text. ${'Nothing else is said of it here. '.repeat(9)}`
    await first.push(documentOf(long, { id: `${word} 3` }))
  }
  for (const name of people) keys[name] = await first.makeKey({ role: 'basic', user_email: `${name}@example.com` })
  for (const name of programs) keys[name] = await first.makeKey({ role: 'basic', name })
  const click = async (query: string, document_id: string, names: readonly string[]) => {
    for (const key of names.flatMap((it) => keys[it] ?? [])) {
      const { search_id } = await first.search(query, {}, { key })
      await first.ok('POST', '/search/feedback', { key, body: { search_id, document_id, kind: 'click' } })
    }
  }
  await click('Harbour', 'harbour 2', ['ann', 'bob', 'cid'])
  await click('bridge', 'bridge 2', ['ann', 'bob', 'dan'])
  await click('ferry', 'ferry 2', ['ann', 'ann', 'ann', 'bob', ...programs])
  assert.equal((await first.search('harbour', { record: false })).results[0].document_id, 'harbour 1')
  await first.server.stop()
  return start({}, { dataDir })
}

const service = await startWithClicks()
afterEach(() => set(DEFAULTS))

test('three people count, each once, and service keys do not', async () => {
  await waitFor(async () => (await found('harbour'))[0] === 'harbour 2', 'the clicks to count')
  assert.deepEqual(await found('ferry'), ['ferry 1', 'ferry 2', 'ferry 3'])
  assert.deepEqual(await found(' HARBOUR ', keys.dan), ['harbour 2', 'harbour 1', 'harbour 3'])
  assert.ok((await partOf('harbour', 'harbour 2', 'chosen')).value > 0)
  assert.equal(await partOf('harbour opens', 'harbour 2', 'chosen'), undefined)
  assert.ok((await partOf('harbour opens', 'harbour 2', 'opened')).value > 0)
})

test('without the weight of clicks the order is that of the words', async () => {
  await set({ click_weight: 0 })
  assert.deepEqual(await found('harbour'), ['harbour 1', 'harbour 2', 'harbour 3'])
  assert.equal(await partOf('harbour', 'harbour 2', 'chosen'), undefined)
})

test('a document that people chose stays behind the one with the title', async () => {
  const titled = { id: 'titled', semantic_identifier: 'Harbour', title: 'Harbour' }
  await service.push(documentOf(`${'Something about ships. '.repeat(9)} The harbour.`, titled))
  assert.deepEqual((await found('harbour')).slice(0, 2), ['titled', 'harbour 2'])
})

test('the count ends when a person deletes what the person opened', async () => {
  await service.ok('DELETE', '/search/feedback', { key: keys.cid! })
  assert.equal(await partOf('harbour', 'harbour 2', 'chosen'), undefined)
  assert.equal(await partOf('harbour', 'harbour 2', 'opened'), undefined)
})

test('the count ends when the data of a person is erased', async () => {
  assert.equal((await found('bridge'))[0], 'bridge 2')
  await service.ok('DELETE', '/admin/person/dan@example.com')
  assert.deepEqual(await found('bridge'), ['bridge 1', 'bridge 2', 'bridge 3'])
})

test('a new document rises if something recent is asked for, and a new mail always', async () => {
  const [old, now] = ['2020-01-01T00:00:00Z', new Date().toISOString()]
  const push = (id: string, source: string, more: object) =>
    service.push(
      documentOf(`The ${source} price list${'.'.repeat(3)} ${id}`, { id: `${source} ${id}`, source, ...more }),
    )
  for (const source of ['wiki', 'imap']) {
    await push('a a', source, { doc_updated_at: old, sections: [{ text: 'The price list is here.' }] })
    await push('b b', source, { doc_updated_at: now, sections: [{ text: 'The price list is here or there.' }] })
    await push('c c', source, { sections: [{ text: `Price list. ${'Nothing more is in this text. '.repeat(9)}` }] })
  }
  const first = async (query: string, source: string) =>
    (await service.search(query, { sources: [source], record: false })).results[0].document_id
  assert.equal(await first('price list', 'wiki'), 'wiki a a')
  assert.equal(await first('latest price list', 'wiki'), 'wiki b b')
  assert.equal(await first('price list', 'imap'), 'imap b b')
  assert.equal((await partOf('latest price list', 'wiki b b', 'freshness')).from > 0.9, true)
  assert.equal(await partOf('latest price list', 'wiki c c', 'freshness'), undefined)
  await set({ freshness_weight: 0 })
  assert.equal(await first('latest price list', 'wiki'), 'wiki a a')
  assert.equal(await first('price list', 'imap'), 'imap a a')
})

for (const name of ['click_weight', 'link_weight', 'freshness_weight'])
  test(`${name} is from 0 to 1`, async () => {
    for (const value of [-0.1, 1.1]) {
      const reply = await service.ask('PATCH', '/admin/ranking', { body: { [name]: value } })
      assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, ['body', name]])
    }
    assert.equal((await set({ [name]: 1 }))[name], 1)
  })
