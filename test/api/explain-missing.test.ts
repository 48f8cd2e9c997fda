// Why a document is not found: the step that lost it is named.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, makeKey } = await start()

const why = (document_id: string, query: string, as_user?: string) =>
  ok('GET', `/admin/search/why?${new URLSearchParams({ document_id, query, ...(as_user && { as_user }) })}`)

const MINUTES = 'The board met in the harbour and spoke of penguins.'
before(async () => {
  const external_access = {
    is_public: false,
    external_user_emails: ['boss@example.com'],
    external_user_group_ids: ['board'],
  }
  await push(documentOf(MINUTES, { id: 'minutes', semantic_identifier: 'Minutes', source: 'wiki', external_access }))
  await push(documentOf('Everybody may read this.', { id: 'open', source: 'file' }))
  await push(documentOf('', { id: 'bare', semantic_identifier: 'Titleonly', sections: [] }))
  for (let at = 0; at < 12; at++) {
    await push(documentOf(`crowded ${'word '.repeat(at)}`, { id: `crowd-${String(at).padStart(2, '0')}` }))
  }
  await ok('PATCH', '/admin/settings', { body: { view_as_enabled: true } })
  await makeKey({ role: 'basic', user_email: 'boss@example.com' })
  await makeKey({ role: 'basic', user_email: 'clerk@example.com' })
  await makeKey({ role: 'basic', user_email: 'chair@example.com', user_group_ids: ['board'] })
})

const CASES: [document: string, query: string, as: string | undefined, lost: string | null, detail: RegExp | null][] = [
  ['never', 'penguins', undefined, 'accepted', /was never accepted/],
  ['minutes', 'penguins', 'clerk@example.com', 'access', /may not read/],
  ['minutes', 'penguins', 'boss@example.com', null, null],
  ['minutes', 'penguins', 'Chair@example.com', null, null],
  ['open', 'everybody source:wiki', undefined, 'filters', /source_types/],
  ['open', 'everybody -read', undefined, 'filters', /excluded words/],
  ['open', '"board met" everybody', 'boss@example.com', 'filters', /phrases/],
  ['open', '"board met" everybody', 'clerk@example.com', null, null],
  ['open', '"read everybody"', undefined, null, null],
  ['open', 'xylophone', undefined, 'meaning', /no word of the query|similarity/],
  ['open', 'everybody', undefined, null, null],
  ['bare', 'titleonly', undefined, null, null],
  ['crowd-11', 'crowded', undefined, 'rank', /first page ends at 10/],
]
for (const [document, query, as, lost, detail] of CASES) {
  test(`"${query}" ${lost === null ? 'finds' : 'loses'} ${document}${as ? ` for ${as}` : ''}${lost ? ` at ${lost}` : ''}`, async () => {
    const answer = await why(document, query, as)
    assert.equal(answer.lost_at, lost, JSON.stringify(answer.steps))
    if (detail !== null) assert.match(answer.steps.at(-1).detail, detail)
    if (lost === null) assert.ok(answer.place >= 1)
  })
}

test('the explanation has its steps in order, with matched and missing words', async () => {
  const { steps } = await why('open', 'everybody xylophone')
  assert.deepEqual(
    steps.map((it: { step: string }) => it.step),
    ['accepted', 'extracted', 'chunked', 'text_index', 'vectors', 'access', 'filters', 'words', 'meaning', 'rank'],
  )
  assert.equal(steps[7].detail, 'The document contains everybody, but not xylophone.')
})

test('the rank equals that of the search', async () => {
  const { results } = await search('crowded', { num_hits: 100 })
  const at = results.findIndex((it: { document_id: string }) => it.document_id === 'crowd-05')
  assert.equal((await why('crowd-05', 'crowded')).place, at + 1)
})

test('neither text nor title is revealed', async () => {
  for (const query of ['penguins', 'harbour board', 'x']) {
    for (const as of [undefined, 'clerk@example.com', 'boss@example.com']) {
      const text = JSON.stringify((await why('minutes', query, as)).steps)
      assert.doesNotMatch(text, /spoke of|Minutes/)
    }
  }
})

test('another person is only looked at while this is allowed, and it is audited without the query', async () => {
  const asked = (as_user: string) =>
    ask('GET', `/admin/search/why?${new URLSearchParams({ document_id: 'minutes', query: 'penguins', as_user })}`)
  assert.equal((await asked('nobody@example.com')).body.error_code, 'PERSON_NOT_FOUND')
  const audited = (await ask('GET', '/admin/audit?action=access.explain_missing&limit=100')).text
  assert.doesNotMatch(audited, /penguins/)
  assert.match(audited, /as_user/)
  await ok('PATCH', '/admin/settings', { body: { view_as_enabled: false } })
  assert.equal((await asked('clerk@example.com')).body.error_code, 'VIEW_AS_DISABLED')
  assert.equal((await ask('GET', '/admin/search/why?document_id=open&query=everybody')).status, 200)
  const own = await makeKey({ role: 'admin', user_email: 'clerk@example.com' })
  const path = '/admin/search/why?document_id=open&query=everybody&as_user=Clerk%40example.com'
  assert.equal((await ask('GET', path, { key: own })).status, 200)
})

test('only an administrator may explain missing documents', async () => {
  const key = await makeKey({ role: 'curator' })
  assert.equal((await ask('GET', '/admin/search/why?document_id=open&query=x', { key })).status, 403)
})
