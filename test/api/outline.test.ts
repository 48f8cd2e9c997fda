// Headings and sections of a document, and copies folded into one result.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, makeKey, makePair } = await start()

const outlinePath = (id: string, section?: number) =>
  `/search/outline?document_id=${encodeURIComponent(id)}${section === undefined ? '' : `&section=${section}`}`

test('the outline lists the headings, and returns one section', async () => {
  const sections = [
    { text: 'What this is about.' },
    { heading: 'Before the journey', text: 'Ask your manager.', link: 'https://wiki.example.com/travel#before' },
    { heading: ' ', text: 'More.' },
    { heading: 'After the journey', text: 'x'.repeat(30_000) },
  ]
  await push(documentOf('', { id: 'a/travel', sections }))
  const outline = await ok('GET', outlinePath('a/travel'))
  assert.deepEqual(outline, {
    document_id: 'a/travel',
    headings: [
      { section: 1, heading: 'Before the journey' },
      { section: 3, heading: 'After the journey' },
    ],
    has_more: false,
    section: null,
  })
  assert.deepEqual((await ok('GET', outlinePath('a/travel', 1))).section, {
    heading: 'Before the journey',
    text: 'Ask your manager.',
    link: 'https://wiki.example.com/travel#before',
    is_shortened: false,
  })
  const { section } = await ok('GET', outlinePath('a/travel', 3))
  assert.deepEqual([section.text.length, section.is_shortened], [20_000, true])
  assert.equal((await ok('GET', outlinePath('a/travel', 99))).section, null)
})

test('a document that the key may not read has no outline, like one that does not exist', async () => {
  const cc_pair_id = await makePair('Board', { access_type: 'private', groups: ['board'] })
  await push(documentOf('The merger.', { id: 'minutes' }), { cc_pair_id })
  const member = await makeKey({ role: 'basic', user_group_ids: ['board'] })
  const stranger = await makeKey({ role: 'basic' })
  await ok('GET', outlinePath('minutes'), { key: member })
  const foreign = await ask('GET', outlinePath('minutes'), { key: stranger })
  const missing = await ask('GET', outlinePath('never'), { key: stranger })
  assert.deepEqual([foreign.status, foreign.text], [404, missing.text])
})

test('copies are folded on request, and each keeps its rank', async () => {
  const text = 'The canteen serves soup, salad, bread and a warm meal on every day of the week except on Sunday.'
  for (const id of ['soup-1', 'soup-2', 'soup-3']) await push(documentOf(text, { id, title: 'Canteen' }))
  const plain = await search('canteen soup')
  assert.deepEqual(
    plain.results.map((it: { similar: unknown }) => it.similar),
    [null, null, null],
  )
  const { results, total } = await search('canteen soup', { fold_similar: true })
  const ids = (all: { document_id: string }[]) => all.map((it) => it.document_id)
  assert.equal(total, 3)
  assert.equal(results.length, 1)
  assert.deepEqual([...ids(results), ...ids(results[0].similar)], ids(plain.results))
  assert.deepEqual(
    results[0].similar.map((it: { citation_id: number }) => it.citation_id),
    [2, 3],
  )
})
