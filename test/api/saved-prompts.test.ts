import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './setup.ts'

const { ask, ok, makeKey } = await start()
const SUMMARY = { prompt: 'Summary', content: 'Sum up in three sentences:' }
const create = (body: object, key: string) => ok('POST', '/input_prompt', { body, key })

test('a prompt is created, listed, changed and deleted', async () => {
  const key = await makeKey({ role: 'basic' })
  const { id: user_id } = await ok('GET', '/me', { key })
  const made = await create(SUMMARY, key)
  assert.deepEqual(made, { ...SUMMARY, id: made.id, active: true, is_public: false, user_id })
  assert.deepEqual(await ok('GET', '/input_prompt', { key }), [made])
  const body = { prompt: 'Short', content: 'Be short.', active: false }
  const changed = await ok('PATCH', `/input_prompt/${made.id}`, { body, key })
  assert.deepEqual(changed, { ...made, ...body })
  assert.deepEqual(await ok('GET', '/input_prompt', { key }), [changed])
  await ok('DELETE', `/input_prompt/${made.id}`, { key })
  assert.deepEqual(await ok('GET', '/input_prompt', { key }), [])
  const { status, body: gone } = await ask('DELETE', `/input_prompt/${made.id}`, { key })
  assert.deepEqual([status, gone.error_code], [404, 'INPUT_PROMPT_NOT_FOUND'])
})

test('administrators do not see the prompts of others', async () => {
  const [ann, admin] = [await makeKey({ role: 'basic' }), await makeKey({ role: 'admin' })]
  const { id } = await create(SUMMARY, ann)
  assert.deepEqual(await ok('GET', '/input_prompt', { key: admin }), [])
  assert.equal((await ask('DELETE', `/input_prompt/${id}`, { key: admin })).status, 404)
})

test('a prompt needs a name and a text, and cannot be public', async () => {
  const key = await makeKey({ role: 'basic' })
  for (const wrong of [{ prompt: ' ' }, { content: '' }, { content: ' ' }, { is_public: true }]) {
    const { status } = await ask('POST', '/input_prompt', { body: { ...SUMMARY, ...wrong }, key })
    assert.equal(status, 422, JSON.stringify(wrong))
  }
})

test('a user has at most 500 prompts', async () => {
  const key = await makeKey({ role: 'basic' })
  await Promise.all(Array.from({ length: 500 }, () => create(SUMMARY, key)))
  const { status, body } = await ask('POST', '/input_prompt', { body: SUMMARY, key })
  assert.deepEqual([status, body.error_code], [409, 'TOO_MANY_INPUT_PROMPTS'])
})

test('prompts move to the person, are in the export, and go with the person', async () => {
  const email = 'ann@example.com'
  const key = await makeKey({ role: 'basic', user_email: email })
  await create({ prompt: 'Mine', content: 'CANARY-PROMPT' }, key)
  const exported = await ask('GET', `/admin/person/${encodeURIComponent(email)}/export`)
  assert.match(exported.text, /"kind":"saved_prompt".*CANARY-PROMPT/)
})
