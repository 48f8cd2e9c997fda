// Lists that a page saves as CSV from what it has read.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { openBrowser } from './browser.ts'

const FORMULA = '=HYPERLINK("http://x","y")'
const ESCAPED = `"'=HYPERLINK(""http://x"",""y"")"`
let webhook: number
const inBrowser = await openBrowser(async (server) => {
  const ask = createRequester(server)
  const { ok, makePair } = createSetup(ask)
  const set = { name: FORMULA, description: 'One, two', cc_pair_ids: [await makePair('Handbook')], is_public: true }
  const document_set_ids = [await ok('POST', '/manage/admin/document-set', { body: set })]
  const agent = { name: FORMULA, description: '-', tool_ids: [], system_prompt: '', task_prompt: '' }
  await ok('POST', '/persona', { body: { ...agent, document_set_ids, datetime_aware: true } })
  await ok('POST', '/admin/egress/approval', { body: { host: '10.1.2.3', port: 8080, reason: FORMULA } })
  webhook = (await ok('POST', '/admin/webhook', { body: { url: 'https://8.8.8.8/hook' } })).id
  const moved = await ask('PATCH', `/admin/webhook/${webhook}`, { body: { url: 'http://10.9.8.7:8090/hook' } })
  assert.equal(moved.status, 422)
  await ok('POST', `/admin/webhook/${webhook}/test`)
})

/** The lines of the file that a button saves. */
async function saved(page: Page, button: string, name: string): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  assert.equal(download.suggestedFilename(), name)
  return readFileSync(await download.path(), 'utf8')
    .split('\r\n')
    .slice(0, -1)
}

inBrowser('agents are saved, those that the filter finds, and a name is no formula [Z13]', {}, async (visit) => {
  const { page, url } = visit
  await page.goto(`${url}/admin/agents`)
  await page.getByRole('row', { name: 'Assistant' }).waitFor()
  const [headings, ...agents] = await saved(page, 'Export CSV', 'agents.csv')
  assert.equal(
    headings,
    'id,name,description,owner,is_public,is_listed,is_featured,is_deleted,users,groups,document_sets',
  )
  assert.equal(agents.length, 2)
  const agent = String(agents.find((it) => it.includes('HYPERLINK')))
  assert.ok(agent.includes(`,${ESCAPED},'-,`) && agent.endsWith(`,false,true,false,false,,,${ESCAPED}`), agent)
  await page.getByLabel('Find an agent').fill('hyperlink')
  await page.getByRole('row', { name: 'Assistant' }).waitFor({ state: 'detached' })
  assert.equal((await saved(page, 'Export CSV', 'agents.csv')).length, 2)
})

inBrowser('document sets are saved with their connectors and agents', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/document-sets`)
  await page.getByRole('row', { name: FORMULA }).getByText('Handbook').waitFor()
  // The agents are read on their own.
  await page.getByRole('row', { name: FORMULA }).getByRole('listitem').filter({ hasText: FORMULA }).waitFor()
  const [headings, line] = await saved(page, 'Export CSV', 'document-sets.csv')
  assert.equal(headings, 'id,name,description,is_public,connectors,users,groups,agents')
  assert.equal(line?.slice(line.indexOf(',')), `,${ESCAPED},"One, two",true,Handbook,,,${ESCAPED}`)
})

inBrowser('refused addresses and allowed hosts are saved', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/egress`)
  const [headings, refusal] = await saved(page, 'Export CSV: Refused addresses', 'egress-refusals.csv')
  assert.equal(headings, 'host,port,rule,profile,asker,asker_id,count,first_time,last_time,is_approvable')
  assert.match(
    String(refusal),
    new RegExp(`^10\\.9\\.8\\.7,8090,private,admin-target,webhook,${webhook},1,2.*,2.*,true$`),
  )
  const [, approval] = await saved(page, 'Export CSV: Allowed hosts', 'egress-approvals.csv')
  assert.ok(approval?.includes(`,10.1.2.3,8080,${ESCAPED},`), approval)
})

inBrowser('webhooks and their deliveries are saved', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/webhooks`)
  const [headings, line] = await saved(page, 'Export CSV', 'webhooks.csv')
  assert.equal(headings, 'id,url,status,reason,events,cc_pair_ids,time_created,time_updated')
  assert.ok(line?.startsWith(`${webhook},https://8.8.8.8/hook,active,,`), line)
  await page.goto(`${url}/admin/webhooks/${webhook}`)
  const [names, delivery] = await saved(page, 'Export CSV', `webhook-${webhook}-deliveries.csv`)
  assert.match(String(names), /^id,message_id,event,documents,status,attempts,.*,answer,error$/)
  assert.match(String(delivery), /^\d+,[^,]+,test,0,failed,1,/)
})
