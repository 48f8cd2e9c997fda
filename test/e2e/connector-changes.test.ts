// Changes of a connector: its files, its schedule, its credential, its permissions, a run that is stopped, and two people
// who edit at the same time.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import { type Server, waitFor } from '../server.ts'
import { assertAccessible, openBrowser } from './browser.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API.
type Json = any
let steps: ReturnType<typeof createSetup>
let server: Server

/** A site whose first page answers at once, and the others never. */
const silent = createServer(({ url }, response) => {
  if (url === '/robots.txt') response.writeHead(404).end()
  if (url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Start <a href="/slow">next</a></p>')
})
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
after(() => {
  silent.close()
  silent.closeAllConnections()
})
const base_url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
const SILENT = { base_url, web_connector_type: 'recursive' }

const inBrowser = await openBrowser(
  async (started: Server) => {
    server = started
    steps = createSetup(createRequester(started))
  },
  { EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0' },
)

async function connect(name: string, body: Json, credential = 0): Promise<number> {
  const id = await steps.makeConnector(name, body)
  return (await steps.ok('PUT', `/manage/admin/connector/${id}/credential/${credential}`, { body: {} })).data
}
const pairOf = (pair: number): Promise<Json> => steps.ok('GET', `/manage/admin/cc-pair/${pair}`)
const open = async (page: Page, url: string, pair: number, name: string) => {
  await page.goto(`${url}/admin/connector/${pair}`)
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}
const choose = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const textFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

async function uploadFile(name: string): Promise<string> {
  const body = new FormData()
  body.append('files', new Blob([`The content of ${name}`], { type: 'text/plain' }), name)
  const answer = await fetch(`${server.url}/manage/admin/connector/file/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}` },
    body,
  })
  const { file_paths } = (await answer.json()) as { file_paths: string[] }
  return file_paths[0]!
}

inBrowser('files of a connector are added and removed, and their documents follow', {}, async ({ page, url }) => {
  const file_locations = [await uploadFile('first.txt')]
  const connector = { source: 'file', connector_specific_config: { file_locations, file_names: ['first.txt'] } }
  const pair = await connect('Papers', connector)
  await open(page, url, pair, 'Papers')
  const files = page.getByRole('region', { name: 'Files' })
  await files.getByRole('cell', { name: 'first.txt' }).waitFor()
  assert.equal(await files.getByRole('button', { name: 'Remove first.txt' }).count(), 0, 'the last file stays')
  await files.locator('input[type=file]').setInputFiles([textFile('second.txt', 'The second paper is about whales.')])
  await files.getByText('The files were changed. The connector reads them now.').waitFor()
  await files.getByRole('cell', { name: 'second.txt', exact: true }).waitFor()
  await waitFor(async () => (await steps.found('whales')).length === 1, 'the second file is indexed', 60_000)
  await files.getByRole('button', { name: 'Remove second.txt' }).click()
  await assertAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove file' }).click()
  await files.getByRole('cell', { name: 'second.txt', exact: true }).waitFor({ state: 'detached' })
  await waitFor(async () => (await steps.found('whales')).length === 0, 'its document is deleted', 60_000)
})

inBrowser('the schedule is changed by choosing intervals', {}, async ({ page, url }) => {
  const pair = await connect('Silent', { source: 'web', connector_specific_config: SILENT, refresh_freq: 7_777 })
  await open(page, url, pair, 'Silent')
  await choose(page, 'Change the schedule')
  const dialog = page.getByRole('dialog', { name: 'Change the schedule' })
  assert.equal(await dialog.getByLabel('Read the source').inputValue(), '7777')
  await dialog.getByLabel('Read the source').selectOption('21600')
  await dialog.getByLabel('Delete what the source no longer has').selectOption('604800')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { connector } = await pairOf(pair)
  assert.deepEqual([connector.refresh_freq, connector.prune_freq], [21_600, 604_800])

  await page.getByRole('button', { name: 'Cancel run' }).click()
  await page.getByRole('button', { name: 'Sync now' }).waitFor()
  assert.equal((await pairOf(pair)).last_index_attempt_status, 'canceled')
})

inBrowser('a connector gets another credential of its source', {}, async ({ page, url }) => {
  const makeCredential = async (name: string): Promise<number> => {
    const body = { credential_json: { token: `secret of ${name}` }, admin_public: true, source: 'zendesk', name }
    return (await steps.ok('POST', '/manage/credential', { body })).id
  }
  const [first, second] = [await makeCredential('First token'), await makeCredential('Second token')]
  const pair = await connect('Tickets', { source: 'zendesk' }, first)
  await open(page, url, pair, 'Tickets')
  await choose(page, 'Use another credential')
  const dialog = page.getByRole('dialog', { name: 'Use another credential' })
  await dialog.getByLabel('Credential').selectOption({ label: 'Second token' })
  await dialog.getByText(/^It belongs to/).waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Use this credential' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Second token').waitFor()
  assert.equal((await pairOf(pair)).credential.id, second)
})

inBrowser('the permissions of a source are read on request', {}, async ({ page, url }) => {
  const pair = await connect('Wiki with rights', { source: 'web', connector_specific_config: SILENT })
  await alterRecord(server.dataDir, `update cc_pair set access_type = 'sync' where id = ${pair}`)
  const synced = Date.parse('2026-01-31T12:00:00Z')
  await alterRecord(
    server.dataDir,
    `update cc_pair_schedule set access_freq = 86400, access_synced = ${synced} where cc_pair_id = ${pair}`,
  )
  await open(page, url, pair, 'Wiki with rights')
  const section = page.getByRole('region', { name: 'Permissions of the source' })
  await section.getByText(/were last read Jan 31, 2026/).waitFor()
  await section.getByRole('button', { name: 'Read permissions now' }).click()
  await section.getByText('The permissions and groups of the source are being read.').waitFor()
  await assertAccessible(page)
})

inBrowser('the later of two people who edit at once sees what the earlier one saved', {}, async ({ page, url }) => {
  const pair = await connect('Shared', { source: 'web', connector_specific_config: SILENT, refresh_freq: 86_400 })
  const context = await page.context().browser()!.newContext()
  const second = await context.newPage()
  const headers = { 'x-requested-with': 'test' }
  await second.request.post(`${url}/api/auth/session`, { data: { api_key: server.key }, headers })
  const edit = async (it: Page, text: string) => {
    await open(it, url, pair, 'Shared')
    await it.getByRole('button', { name: 'Edit configuration' }).click()
    await it.getByRole('dialog').getByLabel('Sync every … minutes').fill(text)
    await it.getByRole('dialog').getByRole('button', { name: 'Review changes' }).click()
  }
  await edit(second, '60')
  await edit(page, '120')
  await second.getByRole('dialog').getByRole('button', { name: 'Save changes' }).click()
  await second.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('dialog').getByRole('button', { name: 'Save changes' }).click()
  const conflict = page.getByRole('alert').filter({ hasText: 'Another person changed this connector meanwhile' })
  await conflict.getByRole('row', { name: 'Sync every … minutes 1440 60' }).waitFor()
  await assertAccessible(page)
  assert.equal((await pairOf(pair)).connector.refresh_freq, 3_600)
  await page.getByRole('dialog').getByRole('button', { name: 'Save my changes too' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal((await pairOf(pair)).connector.refresh_freq, 7_200)
  await context.close()
})
