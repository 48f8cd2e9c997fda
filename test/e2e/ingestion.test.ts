import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { form, formHeaders } from '../api/multipart-form.ts'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import { type Server, settled, waitFor } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

/** A run that has ended removes older notes of skipped documents a moment later. */
const LATER = Date.now() + 3_600_000

let steps: ReturnType<typeof createSetup>
let server: Server

const inBrowser = await openBrowser(async (started: Server) => {
  server = started
  steps = createSetup(createRequester(server))
  for (const id of ['fine', 'given-up']) {
    await steps.ok('POST', '/service-api/ingestion', {
      body: { document: documentOf('x', { id, semantic_identifier: id }) },
    })
  }
  await settled(server)
  await alterRecord(
    server.dataDir,
    `update receipt set error = 'too odd', attempts = 3, indexed_at = null where document_id = 'given-up'`,
  )
  await showPictures()
  await skipScan()
  await failRecording()
  await steps.makeKey({ name: 'Nightly export', role: 'limited', scopes: ['ingest'] })
})

/** One document with a picture that has text, and one with a damaged picture. */
async function showPictures(): Promise<void> {
  const notice = readFileSync('test/extract/pictures/harbour-notice.jpg')
  for (const [id, name, content] of [
    ['notice', 'notice.jpg', notice],
    ['damaged', 'damaged.jpg', notice.subarray(0, 100)],
  ] as const) {
    const bytes = form({ field: 'file', name, type: 'image/jpeg', content })
    const file = await steps.ok('POST', '/user/file/upload', { headers: formHeaders, bytes })
    const sections = [{ image_file_id: file.id }]
    await steps.ok('POST', '/service-api/ingestion', { body: { document: documentOf('', { id, sections }) } })
  }
  await waitFor(
    async () => (await steps.ok('GET', '/admin/recognition')).waiting === 0,
    'the pictures to be read',
    300_000,
  )
  await waitFor(async () => (await steps.receipt('notice')).recognition.read === 1, 'the text of the notice')
}

/** A connector that skipped a picture, as one does without text recognition. */
async function skipScan(): Promise<void> {
  const bytes = form({ field: 'files', name: 'old.jpg', type: 'image/jpeg', content: 'no picture' })
  const upload = { headers: formHeaders, bytes }
  const { file_paths } = await steps.ok('POST', '/manage/admin/connector/file/upload', upload)
  const config = { source: 'file', connector_specific_config: { file_locations: file_paths } }
  const pair = await steps.makePair('Old scans', {}, config)
  await waitFor(async () => {
    const [found] = await steps.listed()
    return found.last_finished_status === 'success'
  }, 'the run to end')
  await alterRecord(
    server.dataDir,
    `insert into skipped_document (cc_pair_id, key, document_id, reason, index_attempt_id, time_created)
      select ${pair}, 'key', 'old', 'old.pdf: 2 of 2 pages are images without text.', max(id), ${LATER} from index_attempt`,
  )
}

/** A recording that a server refused, and one that a connector skipped without a model. */
async function failRecording(): Promise<void> {
  await alterRecord(
    server.dataDir,
    `insert into model_text (blob, kind, name, state, queued_at, finished_at, error)
      values ('${'a'.repeat(64)}', 'transcript', 'talk.mp3', 'failed', 1, 1, 'refused')`,
  )
  await alterRecord(
    server.dataDir,
    `insert into skipped_document (cc_pair_id, key, document_id, reason, index_attempt_id, time_created)
      select max(cc_pair_id), 'talk', 'talk', 'No transcription model is set up.', max(id), ${LATER} from index_attempt`,
  )
}

inBrowser(
  'a transcription model is set up, recordings are tried again, and it is removed',
  {},
  async ({ page, url }) => {
    await page.goto(`${url}/admin/ingestion`)
    const card = page.getByRole('region', { name: 'Transcripts of recordings' })
    await card.getByText('No transcription model is set up').waitFor()
    await card.getByRole('button', { name: 'Set up' }).click()
    await card.getByLabel('Address').fill('https://speech.example.com/v1')
    await card.getByLabel('Model', { exact: true }).fill('whisper-1')
    await card.getByLabel('Key', { exact: true }).fill('a-key-that-nobody-sees')
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByText('whisper-1').waitFor()
    const tried = page.waitForResponse((it) => it.url().endsWith('/admin/transcription/retry') && it.ok())
    await card.getByRole('button', { name: 'Try failed recordings again' }).click()
    await tried
    const read = page.waitForResponse((it) => it.url().endsWith('/admin/transcription/reread') && it.ok())
    await card.getByRole('button', { name: 'Read 1 skipped recording' }).click()
    await read
    await card.getByRole('button', { name: 'Change' }).click()
    await card.getByText('The key a-ke...sees is stored. Empty keeps it.').waitFor()
    await card.getByRole('button', { name: 'Cancel' }).click()
    await card.getByRole('button', { name: 'Remove the model' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the model' }).click()
    await card.getByText('No transcription model is set up').waitFor()
  },
)

inBrowser(
  'the text of a picture is shown with its state, and what failed is tried again',
  {},
  async ({ page, url }) => {
    await page.goto(`${url}/admin/ingestion`)
    const states = page.getByRole('region', { name: 'Text in pictures and scans' })
    const failed = states.getByText('Failed files').locator('xpath=..').getByText('1', { exact: true })
    await failed.waitFor()
    const tried = page.waitForResponse((it) => it.url().endsWith('/admin/recognition/retry') && it.ok())
    await states.getByRole('button', { name: 'Try failed files again' }).click()
    await tried
    await failed.waitFor()
    await states.getByRole('button', { name: 'Read 1 skipped scan' }).click()
    await states.getByText('1 file is read again from its source.').waitFor()
    await page.goto(`${url}/admin/documents/damaged`)
    await page.getByText('1 failed').waitFor()
    await page.getByText(/^damaged\.jpg: /).waitFor()
    await page.goto(`${url}/admin/documents/notice`)
    await page.getByText('1 file read').waitFor()
    await page.getByRole('link', { name: 'Text', exact: true }).click()
    await page.getByText('Recognised in a picture', { exact: true }).waitFor()
    await page.getByText('The northern crane is worn').waitFor()
  },
)

for (const scheme of SCHEMES) {
  for (const width of [1_440, NARROW]) {
    inBrowser(
      `the ingestion page is accessible, ${scheme}, ${width} wide`,
      { scheme, width },
      async ({ page, url }) => {
        await page.goto(`${url}/admin/ingestion`)
        await page.getByText('Nightly export').waitFor()
        await page.getByRole('row').filter({ hasText: 'given-up' }).waitFor()
        await assertAccessible(page)
        await assertFits(page)
        await page.getByRole('button', { name: 'New key' }).click()
        await page.getByRole('dialog', { name: 'New key' }).waitFor()
        await assertAccessible(page)
      },
    )
  }
}

inBrowser(
  'a key created by keyboard is shown once, works, and stops working when deleted',
  {},
  async ({ page, url }) => {
    await page.goto(`${url}/admin/ingestion`)
    await page.getByRole('button', { name: 'New key' }).press('Enter')
    await page.getByLabel('Name').fill('Wiki export')
    await page.getByLabel('Name').press('Enter')
    const shown = page.getByRole('dialog', { name: 'Copy the key now' })
    const key = await shown.getByRole('figure', { name: 'The new key' }).locator('pre').innerText()
    assert.match(key, /^pharos_/)
    const { role, scopes } = await steps.ok('GET', '/me', { key })
    assert.deepEqual([role, scopes], ['limited', ['ingest']])
    await shown.getByRole('button', { name: 'Done' }).click()
    await shown.waitFor({ state: 'detached' })
    const row = page.getByRole('row').filter({ hasText: 'Wiki export' })
    await row.getByText('in 90 days').waitFor()
    assert.equal(await page.getByText(key).count(), 0)
    await row.getByRole('button', { name: 'Delete Wiki export' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click()
    await row.waitFor({ state: 'detached' })
    const { status } = await server.api('GET', '/me', undefined, { authorization: `Bearer ${key}` })
    assert.equal(status, 401)
  },
)

inBrowser('Escape closes the dialog without creating a key', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('Never')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const keys = await steps.ok('GET', '/admin/api-key')
  assert.ok(!keys.some((it: { api_key_name: string }) => it.api_key_name === 'Never'))
})

inBrowser('the example request works as shown, and its receipt appears', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  const request = await page.getByRole('figure', { name: 'Request that pushes a document' }).locator('pre').innerText()
  const env = { PATH: process.env.PATH, PHAROS_API_KEY: server.key }
  const answer = execFileSync('sh', ['-c', request], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] })
  assert.equal(JSON.parse(answer).document_id, 'handbook-1')
  const row = page.getByRole('row').filter({ hasText: 'handbook-1' })
  await row.getByText('Indexed').waitFor()
})

inBrowser('failed documents can be listed, with the reason and the fix', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  await page.getByRole('combobox', { name: 'Filter receipts' }).selectOption('failed')
  const table = page.getByRole('region', { name: 'Receipts' })
  await table.getByText('last error: too odd').waitFor()
  await page.getByRole('cell', { name: 'fine' }).waitFor({ state: 'detached' })
})

inBrowser(
  'a key without administrator access sees no keys and no other pages',
  { key: null },
  async ({ page, url }) => {
    const key = await steps.makeKey({ role: 'limited', scopes: ['ingest'] })
    await page.goto(url)
    await page.getByRole('button', { name: 'Use a key' }).click()
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'You do not have access to search' }).waitFor()
    assert.deepEqual(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents(), [
      'Search',
      'Administration',
    ])
    await page.getByRole('link', { name: 'Administration' }).click()
    await page.waitForURL(`${url}/admin/ingestion`)
    assert.deepEqual(
      await page.getByRole('navigation', { name: 'Administration' }).getByRole('link').allTextContents(),
      ['Ingestion', 'Documents', 'Trash'],
    )
    await page.getByText('Only administrators create keys.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'New key' }).count(), 0)
    await page.goto(`${url}/admin/connectors`)
    await page.getByRole('heading', { name: 'You do not have access to the page “Connectors”' }).waitFor()
  },
)

inBrowser('a key is edited and renewed: the new secret works, and the old one stops', {}, async ({ page, url }) => {
  const old = await steps.makeKey({ name: 'Old name', role: 'limited', scopes: ['ingest'] })
  await page.goto(`${url}/admin/ingestion`)
  await page.getByRole('button', { name: 'Edit Old name' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Old name' })
  await dialog.getByLabel('Name').fill('Ticket export')
  await dialog.getByLabel('Permissions').selectOption('Push documents and search')
  await dialog.getByLabel('Acts for').fill('ann@example.com')
  await dialog.getByLabel('Expires').selectOption('in 30 days')
  await dialog.getByLabel('Tokens of language models a day').fill('5000')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('row').filter({ hasText: 'Ticket export' })
  await row.getByText('push documents, search').waitFor()
  await row.getByText('in 30 days').waitFor()
  const keys = await steps.ok('GET', '/admin/api-key')
  const changed = keys.find((it: { api_key_name: string }) => it.api_key_name === 'Ticket export')
  assert.deepEqual(
    [changed.scopes, changed.user_email, changed.daily_token_limit],
    [['ingest', 'search'], 'ann@example.com', 5_000],
  )
  await row.getByRole('button', { name: 'Renew Ticket export' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Renew key' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy the key now' })
  const key = await shown.getByRole('figure', { name: 'The new key' }).locator('pre').innerText()
  await shown.getByRole('button', { name: 'Done' }).click()
  assert.equal((await steps.ok('GET', '/me', { key })).email, 'ann@example.com')
  const { status } = await server.api('GET', '/me', undefined, { authorization: `Bearer ${old}` })
  assert.equal(status, 401)
})

inBrowser('an edited key that another person changed meanwhile shows the difference', {}, async ({ page, url }) => {
  await steps.makeKey({ name: 'Wiki export', role: 'limited', scopes: ['ingest'] })
  const find = async () =>
    (await steps.ok('GET', '/admin/api-key')).find((it: { api_key_name: string }) => it.api_key_name === 'Wiki export')
  await page.goto(`${url}/admin/ingestion`)
  await page.getByRole('button', { name: 'Edit Wiki export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Wiki export' })
  await dialog.getByLabel('Tokens of language models a day').fill('7000')
  const { api_key_id } = await find()
  await steps.ok('PATCH', `/admin/api-key/${api_key_id}`, { body: { user_email: 'bob@example.com' } })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('row').filter({ hasText: 'bob@example.com' }).waitFor()
  await assertAccessible(page)
  assert.equal((await find()).daily_token_limit, null)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { user_email, daily_token_limit } = await find()
  assert.deepEqual([user_email, daily_token_limit], ['bob@example.com', 7_000])
})

inBrowser('the receipt of one document is found by its id', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  const lookup = page.getByRole('region', { name: 'Receipt of one document' })
  await lookup.getByLabel('Id of the document').fill('fine')
  await lookup.getByRole('button', { name: 'Find' }).click()
  await lookup.getByText('Indexed', { exact: true }).waitFor()
  await lookup.getByRole('link', { name: 'fine' }).waitFor()
  await lookup.getByLabel('Id of the document').fill('never')
  await lookup.getByRole('button', { name: 'Find' }).click()
  await lookup.getByText('There is no receipt with this id.', { exact: false }).waitFor()
})

inBrowser('receipts are filtered and exported, and failed documents are indexed again', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  const receipts = page.getByRole('region', { name: 'Receipts' })
  await receipts.getByLabel('Filter by title').fill('given')
  await receipts.getByRole('cell', { name: 'fine' }).waitFor({ state: 'detached' })
  await receipts.getByRole('link', { name: 'given-up' }).waitFor()
  const download = page.waitForEvent('download')
  await receipts.getByRole('link', { name: 'Export CSV' }).click()
  const rows = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\r\n')
  assert.deepEqual([rows.length, rows[1]?.startsWith('given-up,')], [2, true])
  await receipts.getByLabel('Filter by title').fill('')
  await page.getByRole('combobox', { name: 'Filter receipts' }).selectOption('failed')
  await receipts.getByRole('button', { name: 'Index all failed documents again' }).click()
  await receipts.getByText('No document has failed.').waitFor()
})
