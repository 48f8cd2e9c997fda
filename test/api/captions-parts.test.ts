// Captions of pictures that connectors read inside files, with the real text recognition before.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { documentXml, docx, p, relationships } from '../extract/office-files.ts'
import { png } from '../extract/png-writer.ts'
import { zip } from '../extract/zip-writer.ts'
import { says, startModelServer } from '../model/model-server.ts'
import { waitFor } from '../server.ts'
import { form, formHeaders } from './multipart-form.ts'
import { start } from './setup.ts'

/** The recognition has a low priority, and the other tests run beside it. */
const BUSY_MS = 300_000

const eyes = await startModelServer([says('A drawing of a lighthouse.')])
const { ok, receipt, found, makePair } = await start({ EGRESS_ALLOW: '127.0.0.1', EMBEDDING: 'off' })

/** A picture that no compression makes too small for a caption. */
function noise(seed: number): Buffer {
  let state = seed
  const samples = Array.from({ length: 12_000 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 16) & 255
  })
  return png({ width: 120, height: 100, samples })
}

const drawing = '<w:p><w:r><w:drawing><a:blip r:embed="r1"/></w:drawing></w:r></w:p>'
const handbook = docx(documentXml(`${p('Rules of the pier')}${drawing}`), {
  'word/_rels/document.xml.rels': relationships(['r1', 'image', 'media/board.png']),
  'word/media/board.png': noise(1),
})
const scan = readFileSync(join(import.meta.dirname, '../extract/pictures/harbour-scan.pdf'))

async function makeFiles(name: string, content: Buffer): Promise<{ id: string; pair: number }> {
  const bytes = form({ field: 'files', type: 'application/octet-stream', name, content })
  const { file_paths } = await ok('POST', '/manage/admin/connector/file/upload', { headers: formHeaders, bytes })
  const config = { source: 'file', connector_specific_config: { file_locations: file_paths } }
  return { id: `FILE_CONNECTOR__${file_paths[0]}`, pair: await makePair(name, {}, config) }
}
const isFound = (query: string, id: string) =>
  waitFor(async () => (await found(query)).includes(id), `${id} to be found by "${query}"`, BUSY_MS)

test('a picture that was read before captions were on is sent after a run from the beginning', async () => {
  const { id, pair } = await makeFiles('handbook.docx', handbook)
  await waitFor(
    async () => (await found('Rules of the pier')).includes(id) && (await receipt(id)).recognition?.waiting === 0,
    'the picture to be read',
    BUSY_MS,
  )
  const models = [{ name: 'eyes', supports_image_input: true, max_input_tokens: 100_000 }]
  const body = { name: 'Eyes', provider: 'vllm', api_base: eyes.url, model_configurations: models }
  const { id: provider_id } = await ok('PUT', '/admin/llm/provider?is_creation=true', { body })
  await ok('POST', '/admin/llm/default-vision', { body: { provider_id, model_name: 'eyes' } })
  assert.equal((await ok('PUT', '/admin/captions', { body: { is_on: true } })).waiting, 0)
  const { connector } = await ok('GET', `/manage/admin/cc-pair/${pair}`)
  await ok('POST', '/manage/admin/connector/run-once', {
    body: { connector_id: connector.id, from_beginning: true },
  })
  await isFound('lighthouse', id)
  assert.equal((await receipt(id)).captions.read, 1)
})

test('the same picture in an archive has its caption at once, another one gets its own, and a scan gets none', async () => {
  eyes.script([says('A chart of the estuary.')])
  const { id } = await makeFiles('papers.zip', zip({ 'board.png': noise(1), 'plan.png': noise(2), 'scan.pdf': scan }))
  await isFound('lighthouse', `${id}/board.png`)
  await isFound('estuary', `${id}/plan.png`)
  assert.equal(eyes.requests.length, 2)
  await isFound('Rettungsinseln', `${id}/scan.pdf`)
  assert.equal((await receipt(`${id}/scan.pdf`)).captions, null)
})
