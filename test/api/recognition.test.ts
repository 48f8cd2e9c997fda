// Text recognition, from the picture to the search result, with the real model.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pngHeader, pngOf } from '../extract/png-writer.ts'
import { zip } from '../extract/zip-writer.ts'
import { waitFor } from '../server.ts'
import { form, formHeaders } from './multipart-form.ts'
import { documentOf, start } from './setup.ts'

/** The recognition has a low priority, and the other tests run beside it. */
const BUSY_MS = 300_000

const fileOf = (name: string) => readFileSync(join(import.meta.dirname, '../extract/pictures', name))
const SCAN = { name: 'harbour-scan.pdf', type: 'application/pdf' }
const NOTICE = { name: 'harbour-notice.jpg', type: 'image/jpeg' }

const uploadTo = ({ ok }: Pick<typeof before, 'ok'>, path: string, field: string, { name, type }: typeof SCAN) =>
  ok('POST', path, { headers: formHeaders, bytes: form({ field, name, type, content: fileOf(name) }) })

const before = await start({ OCR: 'off' }, { dataDir: mkdtempSync(join(tmpdir(), 'pharos-recognition-')) })
const { dataDir } = before.server
after(() => rmSync(dataDir, { recursive: true }))
/** Skipped and waiting where no text is recognised. */
const old = await fillWithout(before)
await before.server.stop()
const { ok, push, receipt, search, found, makePair } = await start({}, { dataDir })

const upload = (path: string, field: string, file: typeof SCAN) => uploadTo({ ok }, path, field, file)

const isFound = (query: string, id: string) =>
  waitFor(async () => (await found(query)).includes(id), `${id} to be found by "${query}"`, BUSY_MS)

test('the text of an image section is recognised, and its state is on the receipt', async () => {
  const { id } = await upload('/user/file/upload', 'file', SCAN)
  await push(documentOf('', { id: 'pushed', sections: [{ image_file_id: id }] }))
  await isFound('Rettungsinseln', 'pushed')
  const { recognition, warnings } = await receipt('pushed')
  assert.deepEqual([recognition, warnings], [{ waiting: 0, read: 1, failed: 0, reasons: [] }, []])
  const { items } = await ok('GET', '/manage/admin/document/sections?document_id=pushed')
  const [section] = items
  assert.match(section.text, /Amount due: 1,284\.50 EUR/)
  assert.match(section.text, /Die Rettungsinseln sind geprüft/)
  assert.ok(section.recognition_confidence > 0.9, section.recognition_confidence)
  const { off_reason, ...counts } = await ok('GET', '/admin/recognition')
  assert.deepEqual([off_reason, counts.waiting, counts.failed], [null, 0, 0])
})

test('the same picture in another document has its text at once', async () => {
  const { id } = await upload('/user/file/upload', 'file', SCAN)
  await push(documentOf('', { id: 'again', sections: [{ image_file_id: id }] }))
  assert.ok((await found('Rettungsinseln')).includes('again'))
})

test('a picture that cannot be read says why', async () => {
  const content = Buffer.from([0x89, 0x50, 0x4e, 0x47])
  const part = { field: 'file', name: 'broken.png', type: 'image/png', content }
  const { id } = await ok('POST', '/user/file/upload', { headers: formHeaders, bytes: form(part) })
  await push(documentOf('', { id: 'broken', sections: [{ image_file_id: id }] }))
  const failed = await waitFor(
    async () => {
      const { recognition } = await receipt('broken')
      return recognition.failed === 1 && recognition
    },
    'the picture to fail',
    BUSY_MS,
  )
  assert.match(failed.reasons[0], /^broken\.png: /)
})

test('scanned pages and pictures of a connector are found, each at its page', async () => {
  const paths = [
    ...(await upload('/manage/admin/connector/file/upload', 'files', SCAN)).file_paths,
    ...(await upload('/manage/admin/connector/file/upload', 'files', NOTICE)).file_paths,
  ]
  await makePair('Scans', {}, { source: 'file', connector_specific_config: { file_locations: paths } })
  const [scan = '', notice = ''] = paths.map((it: string) => `FILE_CONNECTOR__${it}`)
  await isFound('Größere Mängel Rettungsinseln', scan)
  await isFound('northern crane', notice)
  const { items } = await ok('GET', `/manage/admin/document/sections?document_id=${scan}`)
  assert.equal(items.length, 2)
  assert.match(items[0].text, /Crane inspection at pier 9/)
  assert.match(items[1].text, /Größere Mängel: keine/)
  const { results } = await search('Rettungsinseln geprüft')
  const hit = results.find((it: { document_id: string }) => it.document_id === scan)
  assert.match(hit.content ?? hit.blurb, /Rettungsinseln/)
})

async function fillWithout(there: typeof before) {
  const path = '/manage/admin/connector/file/upload'
  const content = zip({ 'scan.pdf': fileOf(SCAN.name), 'sign.png': pngOf([['IHDR', pngHeader(40, 40)]]) })
  const archive = form({ field: 'files', name: 'scans.zip', type: 'application/zip', content })
  const file_paths = [
    ...(await uploadTo(there, path, 'files', SCAN)).file_paths,
    ...(await there.ok('POST', path, { headers: formHeaders, bytes: archive })).file_paths,
  ]
  await there.makePair('Old scans', {}, { source: 'file', connector_specific_config: { file_locations: file_paths } })
  await waitFor(async () => (await there.ok('GET', '/admin/recognition')).skipped === 2, 'the scans to be skipped')
  const { id } = await uploadTo(there, '/user/file/upload', 'file', NOTICE)
  await there.push(documentOf('', { id: 'waited', sections: [{ image_file_id: id }] }))
  const { recognition } = await there.receipt('waited')
  assert.deepEqual(recognition, { waiting: 1, read: 0, failed: 0, reasons: ['Text recognition is off (OCR=off).'] })
  return { scan: `FILE_CONNECTOR__${file_paths[0]}`, member: `FILE_CONNECTOR__${file_paths[1]}/scan.pdf` }
}

test('pictures that came while no text was recognised are read later: pushed ones at once, skipped scans when asked', async () => {
  await isFound('northern crane', 'waited')
  assert.deepEqual(await ok('POST', '/admin/recognition/reread'), { runs: 1, documents: 2 })
  await isFound('Rettungsinseln', old.scan)
  await isFound('Rettungsinseln', old.member)
  assert.equal((await ok('GET', '/admin/recognition')).skipped, 0)
})
