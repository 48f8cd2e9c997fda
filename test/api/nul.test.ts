// B11: PostgreSQL cannot store U+0000. It is refused in names and removed from content, on both databases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectorOf, documentOf, start } from './setup.ts'

const { ask, ok, push, makePair } = await start()
const NUL = 'a\0b'

const cc_pair_id = await makePair('A pair')
const set = { name: 'A set', description: '', cc_pair_ids: [cc_pair_id], is_public: true }
const credential = { credential_json: {}, admin_public: true, source: 'web', name: 'A credential' }

const REFUSED: [what: string, method: string, path: string, body?: unknown][] = [
  ['id of a document', 'POST', '/service-api/ingestion', { document: documentOf('x', { id: NUL }) }],
  ['id of a document in a path', 'GET', '/service-api/ingestion/a%00b'],
  ['id of a document to delete', 'DELETE', '/service-api/ingestion/a%00b'],
  ['key of metadata', 'POST', '/service-api/ingestion', { document: documentOf('x', { metadata: { [NUL]: 'x' } }) }],
  ['id that a page begins after', 'GET', '/service-api/ingestion?after=a%00b'],
  ['id that a page of a pair begins after', 'GET', `/service-api/connector-docs/${cc_pair_id}?after=a%00b`],
  ['document set of a search', 'POST', '/search', { query: 'x', document_sets: [NUL] }],
  ['document set of an administrator', 'POST', '/admin/search', { query: 'x', filters: { document_set: [NUL] } }],
  ['name of a connector', 'POST', '/manage/admin/connector', connectorOf(NUL)],
  ['source of a connector', 'POST', '/manage/admin/connector', connectorOf('x', { source: NUL })],
  ['group of a pair', 'PUT', '/manage/admin/connector/0/credential/0', { groups: [NUL] }],
  ['name of a pair', 'PUT', `/manage/admin/cc-pair/${cc_pair_id}/name?new_name=a%00b`],
  ['name of a credential', 'POST', '/manage/credential', { ...credential, name: NUL }],
  ['source of a credential', 'POST', '/manage/credential', { ...credential, source: NUL }],
  ['source in a path', 'GET', '/manage/admin/similar-credentials/a%00b'],
  ['name of a document set', 'POST', '/manage/admin/document-set', { ...set, name: NUL }],
  ['description of a document set', 'POST', '/manage/admin/document-set', { ...set, description: NUL }],
  ['group of a document set', 'POST', '/manage/admin/document-set', { ...set, groups: [NUL] }],
  ['name of a key', 'POST', '/admin/api-key', { name: NUL }],
  ['e-mail of a key', 'POST', '/admin/api-key', { user_email: NUL }],
  ['group of a key', 'POST', '/admin/api-key', { user_group_ids: [NUL] }],
  ['name of a token', 'POST', '/user/pats', { name: NUL }],
]
for (const [what, method, path, body] of REFUSED) {
  test(`a NUL in the ${what} is 422 [B11]`, async () => {
    const { status, text } = await ask(method, path, body === undefined ? {} : { body })
    assert.equal(status, 422, text)
  })
}

test('a NUL in the text of a document is removed, and the words around it are found [B11]', async () => {
  await push({
    id: 'with-nul',
    semantic_identifier: `Title ${NUL}`,
    title: `Title ${NUL}`,
    sections: [{ text: `heliotrope\0 peri\0winkle`, link: `https://example.com/${NUL}`, heading: NUL }],
    source: 'we\0b',
    metadata: { team: NUL, tags: [NUL] },
    external_access: { is_public: true, external_user_emails: [NUL], external_user_group_ids: [NUL] },
  })
  for (const query of ['heliotrope', 'periwinkle', 'ab']) {
    const { results } = await ok('POST', '/search', { body: { query } })
    const [{ document_id, link, metadata, source_type }] = results
    assert.deepEqual(
      [document_id, link, metadata, source_type],
      ['with-nul', 'https://example.com/ab', { team: 'ab', tags: ['ab'] }, 'web'],
    )
  }
})

test('a NUL in stored JSON is preserved [B11]', async () => {
  const id = (await ok('POST', '/manage/admin/connector', { body: connectorOf('x', configOf(NUL)) })).id
  assert.deepEqual((await ok('GET', `/manage/connector/${id}`)).connector_specific_config, { [NUL]: NUL })
  const body = { ...credential, credential_json: { [NUL]: true } }
  const made = await ok('POST', '/manage/credential', { body })
  assert.deepEqual((await ok('GET', `/manage/credential/${made.id}`)).credential_json, { [NUL]: true })
})

const configOf = (text: string) => ({ connector_specific_config: { [text]: text } })

test('a NUL in a query or a filter matches nothing of its own [B11]', async () => {
  for (const more of [
    { query: NUL },
    { query: 'x', sources: [NUL] },
    { query: 'x', tags: [{ tag_key: NUL, tag_value: NUL }] },
  ]) {
    await ok('POST', '/search', { body: more })
  }
})
