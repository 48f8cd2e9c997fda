// Image sections: which parts are searchable, and what the receipt reports.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { form, formHeaders, png } from './multipart-form.ts'
import { documentOf, start } from './setup.ts'

const { server, ok, push, receipt, search, found, makeKey } = await start()

const upload = async (name: string, key = server.key): Promise<string> =>
  (await ok('POST', '/user/file/upload', { headers: formHeaders, bytes: form({ ...png, name }), key })).id
const illustrated = (id: string, ...sections: object[]) => documentOf('', { id, sections })

test('an image is found by its file name, its caption and its link', async () => {
  const [plan, map] = [await upload('floorplan-annex.png'), await upload('treasure.png')]
  await push(
    illustrated(
      'images',
      { text: 'Words before the pictures.', link: 'https://example.com/page' },
      { image_file_id: plan, link: 'https://example.com/gallery/basement' },
      { image_file_id: map, text: 'A sketch by the cartographer', link: 'https://example.com/map' },
    ),
  )
  for (const word of ['annex', 'basement', 'treasure', 'cartographer']) assert.deepEqual(await found(word), ['images'])
  const [hit] = (await search('floorplan annex')).results
  assert.equal(hit.link, 'https://example.com/gallery/basement')
  assert.deepEqual((await receipt('images')).unknown_image_file_ids, [])
})

test('a missing image is accepted, named in the receipt, and found after another push', async () => {
  const document = (image_file_id: string) =>
    illustrated('unknown', { image_file_id, text: 'A wombat' }, { image_file_id: 'gone', link: 'https://example.com' })
  await push(document('lost'))
  assert.deepEqual(await found('wombat'), ['unknown'])
  assert.deepEqual((await receipt('unknown')).unknown_image_file_ids, ['lost', 'gone'])
  const { items } = await ok('GET', '/service-api/receipts')
  const listed = items.find((it: { document_id: string }) => it.document_id === 'unknown')
  assert.deepEqual(listed.unknown_image_file_ids, ['lost', 'gone'])
  await push(document(await upload('marsupial.png')))
  assert.deepEqual(await found('marsupial'), ['unknown'])
  assert.deepEqual((await receipt('unknown')).unknown_image_file_ids, ['gone'])
})

test("another user's image is treated as missing", async () => {
  const [ann, bob] = [await makeKey({ role: 'curator' }), await makeKey({ role: 'curator' })]
  const id = await upload('confidential-merger.png', ann)
  await push(illustrated('stolen', { image_file_id: id, text: 'A numbat' }), {}, { key: bob })
  assert.deepEqual(await found('numbat'), ['stolen'])
  assert.deepEqual(await found('merger'), [])
  assert.deepEqual((await receipt('stolen')).unknown_image_file_ids, [id])
})

test('a text that looks like an image marker does not reference an image', async () => {
  await push(documentOf('say "image_file_id":"x" to name one', { id: 'quoted' }))
  assert.deepEqual((await receipt('quoted')).unknown_image_file_ids, [])
})
