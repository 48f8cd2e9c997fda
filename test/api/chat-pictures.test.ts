// Pictures of chats, over the whole way from the upload to a model server; only the server is a script.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { fails, type ModelRequest, says, startModelServer } from '../model/model-server.ts'
import { withoutRoot } from './chat-client.ts'
import { form, formHeaders } from './multipart-form.ts'
import { start } from './setup.ts'

// biome-ignore lint/suspicious/noExplicitAny: a body that is about to be looked at.
type Json = any
const imagesOf = ({ body }: ModelRequest): string[] =>
  body.messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.flatMap((it: Json) => it.image_url?.url ?? []) : [],
  )

const plain = await startModelServer([says('Only text.')])
const eyes = await startModelServer([says('A picture.')])
const { ok, ask, makeKey } = await start({ ...plain.env('plain'), EGRESS_ALLOW: '127.0.0.1' })

let ann: string
let bob: string
let provider: Json
const models = [{ name: 'eyes', supports_image_input: true, max_input_tokens: 100_000 }]
before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  const body = { name: 'Eyes', provider: 'vllm', api_base: eyes.url, model_configurations: models }
  provider = await ok('PUT', '/admin/llm/provider?is_creation=true', { body })
  await ok('POST', '/admin/llm/default', { body: { provider_id: 0, model_name: 'plain' } })
})
const chooseEyes = () =>
  ok('POST', '/admin/llm/default-vision', { body: { provider_id: provider.id, model_name: 'eyes' } })

const HEADS: Record<string, number[]> = {
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  'image/jpeg': [0xff, 0xd8, 0xff, 0xe0],
}
let made = 0
/** Every picture has other bytes. */
const pictureOf = (type: string, size = 32) =>
  Buffer.concat([Buffer.from(HEADS[type]!), Buffer.from(`${++made}`), Buffer.alloc(size, 1)])
async function upload(name: string, { type = 'image/png', size = 32, key = ann } = {}) {
  const content = pictureOf(type, size)
  const bytes = form({ field: 'file', name, type, content })
  const { id } = await ok('POST', '/user/file/upload', { headers: formHeaders, bytes, key })
  return { id: id as string, url: `data:${type};base64,${content.toString('base64')}` }
}
const send = (message: string, files: readonly { id: string }[], more: object = {}, key = ann): Promise<Json> => {
  const file_descriptors = files.map(({ id }) => ({ id, type: 'image' }))
  return ok('POST', '/chat/send-chat-message', { key, body: { message, stream: false, file_descriptors, ...more } })
}

test('without a model that reads pictures, the model of the chat answers from text', async () => {
  const answer = await send('What is it?', [await upload('first.png')])
  assert.deepEqual([answer.answer, answer.error_msg, eyes.requests.length], ['Only text.', null, 0])
  assert.deepEqual(imagesOf(plain.requests.at(-1)!), [])
})

test('the default vision model gets the pictures, and the next questions send the newest again', async () => {
  await chooseEyes()
  const [cat, dog] = [await upload('cat.png'), await upload('dog.jpg', { type: 'image/jpeg' })]
  const { answer, chat_session_id } = await send('What are they?', [cat, dog])
  assert.equal(answer, 'A picture.')
  assert.deepEqual(imagesOf(eyes.requests.at(-1)!), [cat.url, dog.url])
  const owl = await upload('owl.png')
  await send('And this?', [owl], { chat_session_id })
  assert.deepEqual(imagesOf(eyes.requests.at(-1)!), [owl.url, cat.url, dog.url])
  for (const message of ['One?', 'Two?', 'Three?', 'Four?']) await send(message, [], { chat_session_id })
  assert.deepEqual(imagesOf(plain.requests.at(-1)!), [])
  assert.match(JSON.stringify(plain.requests.at(-1)!.body), /Four\?/)
  const { messages } = withoutRoot(await ok('GET', `/chat/get-chat-session/${chat_session_id}`, { key: ann }))
  assert.deepEqual(messages[0].files, [
    { id: cat.id, type: 'image', name: 'cat.png' },
    { id: dog.id, type: 'image', name: 'dog.jpg' },
  ])
})

test('a model of the chat that reads pictures answers itself', async () => {
  await ok('DELETE', '/admin/llm/default-vision')
  const before = eyes.requests.length
  const cat = await upload('cat.png')
  await send('What is it?', [cat], { llm_override: { model_provider: 'Eyes', model_version: 'eyes' } })
  assert.deepEqual(imagesOf(eyes.requests.at(-1)!), [cat.url])
  assert.equal(eyes.requests.length, before + 1)
  await chooseEyes()
})

test('the pictures of another person are never sent', async () => {
  const cat = await upload('cat.png')
  const file_descriptors = [{ id: cat.id, type: 'image' }]
  const { status, body } = await ask('POST', '/chat/send-chat-message', {
    key: bob,
    body: { message: 'What is it?', stream: false, file_descriptors },
  })
  assert.deepEqual([status, body.error_code], [404, 'FILE_NOT_FOUND'])
})

test('a deleted picture is not sent again', async () => {
  const cat = await upload('cat.png')
  const { chat_session_id } = await send('What is it?', [cat])
  await ok('DELETE', `/user/projects/file/${cat.id}`, { key: ann })
  const before = eyes.requests.length
  const { answer } = await send('And now?', [], { chat_session_id })
  assert.deepEqual([answer, eyes.requests.length], ['Only text.', before])
})

test('pictures that are too large or too many are left out, and the answer says so', async () => {
  const large = await upload('large.png', { size: 3_750_000 })
  const small = []
  for (let at = 0; at < 6; at++) small.push(await upload(`${at}.png`))
  const { answer, error_msg } = await send('What are they?', [large, ...small])
  assert.equal(answer, 'A picture.')
  assert.match(error_msg, /^2 pictures were not sent to the model: a picture may have 3\.75 MB, a question 5 pictures/)
  assert.deepEqual(
    imagesOf(eyes.requests.at(-1)!),
    small.slice(0, 5).map((it) => it.url),
  )
})

test('if the server refuses pictures, the model of the chat answers and the person learns why', async () => {
  const blind = await startModelServer([fails(400, 'eyes is not a multimodal model')])
  await ok('PUT', '/admin/llm/provider', { body: { ...provider, api_base: blind.url, expected_version: null } })
  const { answer, error_msg } = await send('What is it?', [await upload('cat.png')])
  assert.equal(answer, 'Only text.')
  assert.equal(error_msg, 'The pictures were not read: eyes does not read pictures. The answer uses text only.')
})
