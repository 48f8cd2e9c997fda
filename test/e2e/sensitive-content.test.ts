import assert from 'node:assert/strict'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { type Server, waitFor } from '../server.ts'
import { assertAccessible, openBrowser } from './browser.ts'

let steps: ReturnType<typeof createSetup>
const inBrowser = await openBrowser(async (server: Server) => {
  steps = createSetup(createRequester(server))
})

inBrowser(
  'a finding is dismissed, and a document released, on the page and from its document',
  {},
  async ({ page, url }) => {
    await steps.push(documentOf('Use password: k8Tz4qWmZp today.', { id: 'guide', semantic_identifier: 'The guide' }))
    await steps.push(documentOf('Pay to DE91500105173456789012.', { id: 'bill', semantic_identifier: 'The bill' }))
    await steps.ok('PATCH', '/admin/settings', { body: { sensitive_content: 'quarantine' } })
    await page.goto(`${url}/admin/sensitive-content`)
    const guide = page.getByRole('listitem').filter({ hasText: 'The guide' })
    await guide.getByRole('button', { name: 'Password or key: no problem' }).waitFor()
    await assertAccessible(page)
    const bill = page.getByRole('listitem').filter({ hasText: 'The bill' })
    await bill.getByRole('button', { name: 'Bank account (IBAN): no problem' }).click()
    await bill.waitFor({ state: 'detached' })
    await page.goto(`${url}/admin/sensitive-content`)
    await guide.getByRole('button', { name: 'Release', exact: true }).click()
    await guide.getByText('Released until its text changes').waitFor()
    await waitFor(async () => (await steps.found('password')).join() === 'guide', 'the released document is found')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    assert.equal((await download).suggestedFilename(), 'sensitive-content.csv')
    await page.goto(`${url}/admin/documents/guide`)
    await page.getByRole('heading', { name: 'Sensitive content' }).waitFor()
    await page.getByRole('button', { name: 'Take the release back' }).waitFor()
  },
)
