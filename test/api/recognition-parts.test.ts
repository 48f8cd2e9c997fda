// Text recognition in pictures of Office documents, in members of archives and in attachments of mails, with the real model.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { documentXml, docx, p, relationships } from '../extract/office-files.ts'
import { zip } from '../extract/zip-writer.ts'
import { waitFor } from '../server.ts'
import { form, formHeaders } from './multipart-form.ts'
import { start } from './setup.ts'

/** The recognition has a low priority, and the other tests run beside it. */
const BUSY_MS = 300_000

const { ok, receipt, found, makePair } = await start()

const fileOf = (name: string) => readFileSync(join(import.meta.dirname, '../extract/pictures', name))
const scan = fileOf('harbour-scan.pdf')
const notice = fileOf('harbour-notice.jpg')

const drawing =
  '<w:p><w:r><w:drawing><wp:docPr descr="A board with rules"/><a:blip r:embed="r1"/></w:drawing></w:r></w:p>'
const handbook = docx(documentXml(`${p('Rules of the pier', '<w:pStyle w:val="berschrift1"/>')}${drawing}`), {
  'word/_rels/document.xml.rels': relationships(['r1', 'image', 'media/board.jpg']),
  'word/media/board.jpg': notice,
})
const mail = [
  'From: ada@example.com',
  'Date: Mon, 2 Mar 2026 10:00:00 +0000',
  'Subject: The board',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'See the attachment.',
  '--b',
  'Content-Type: image/jpeg; name=board.jpg',
  'Content-Disposition: attachment; filename=board.jpg',
  'Content-Transfer-Encoding: base64',
  '',
  notice.toString('base64').replace(/.{76}/g, '$&\r\n'),
  '--b--',
  '',
].join('\r\n')

const FILES = [
  { name: 'handbook.docx', content: handbook },
  { name: 'papers.zip', content: zip({ 'in/scan.pdf': scan, 'in/board.jpg': notice }) },
  { name: 'board.eml', content: Buffer.from(mail) },
]

const paths: string[] = []
for (const file of FILES) {
  const bytes = form({ field: 'files', type: 'application/octet-stream', ...file })
  paths.push(...(await ok('POST', '/manage/admin/connector/file/upload', { headers: formHeaders, bytes })).file_paths)
}
await makePair('Papers', {}, { source: 'file', connector_specific_config: { file_locations: paths } })
const [book = '', papers = '', message = ''] = paths.map((it) => `FILE_CONNECTOR__${it}`)

const isFound = (query: string, id: string) =>
  waitFor(async () => (await found(query)).includes(id), `${id} to be found by "${query}"`, BUSY_MS)

test('a picture in a text document is found in its section, behind its alternative text', async () => {
  await isFound('northern crane', book)
  const { items } = await ok('GET', `/manage/admin/document/sections?document_id=${book}`)
  const section = items.find((it: { recognition_confidence: number | null }) => it.recognition_confidence !== null)
  assert.equal(section.heading, 'Rules of the pier')
  assert.match(section.text, /^A board with rules\n[\s\S]*northern crane/)
  assert.deepEqual((await receipt(book)).recognition, { waiting: 0, read: 1, failed: 0, reasons: [] })
})

test('members of an archive and attachments of a mail are found', async () => {
  await isFound('Rettungsinseln', `${papers}/in/scan.pdf`)
  await isFound('northern crane', `${papers}/in/board.jpg`)
  await isFound('northern crane', `${message}/board.jpg`)
  const { items } = await ok('GET', `/manage/admin/document/sections?document_id=${papers}/in/scan.pdf`)
  assert.match(items[1].text, /Größere Mängel: keine/)
})

test('a content that is in three files is read once', async () => {
  const { waiting, read, failed } = await ok('GET', '/admin/recognition')
  assert.deepEqual([waiting, read, failed], [0, 2, 0])
})
