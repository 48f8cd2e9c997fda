// The page of sources for everybody: counts of one's own documents, freshness, tags, and the way to a search.
import assert from 'node:assert/strict'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { type Server, settled } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)> \u202Egpj'
let ann: string

const inBrowser = await openBrowser(async (server: Server) => {
  const steps = createSetup(createRequester(server))
  ann = await steps.makeKey({ role: 'basic', user_email: 'ann@example.com' })
  const cara = await steps.makeKey({ role: 'admin', user_email: 'cara@example.com' })
  const connector = await steps.makeConnector('Port handbook')
  const { data: open } = await steps.ok('PUT', `/manage/admin/connector/${connector}/credential/0`, {
    key: cara,
    body: { access_type: 'public', name: 'Port handbook' },
  })
  const board = await steps.makePair('Board minutes', { access_type: 'private', groups: ['board'] })
  const hostile = await steps.makePair(HOSTILE, { access_type: 'public' }, { source: 'zendesk' })
  for (const id of ['cranes', 'quays'])
    await steps.push(documentOf(`The ${id} are new.`, { id, source: 'intranet', metadata: { team: 'port' } }), {
      cc_pair_id: open,
    })
  await steps.push(documentOf('Secret.', { id: 'minutes' }), { cc_pair_id: board })
  await steps.push(documentOf('Ticket.', { id: 'ticket', source: 'zendesk' }), { cc_pair_id: hostile })
  await steps.push(documentOf('Pushed.', { id: 'pushed', source: 'files' }))
  await settled(server)
})

inBrowser('a person sees their sources, and searches in one of them', {}, async ({ page, url }) => {
  await page.context().clearCookies()
  const answer = await page.request.post(`${url}/api/auth/session`, {
    data: { api_key: ann },
    headers: { 'x-requested-with': 'test' },
  })
  assert.ok(answer.ok())
  await page.goto(url)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Sources' }).click()
  await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor()
  const intranet = page.getByRole('region', { name: 'Intranet', exact: true })
  await intranet.getByText('You may read 2 documents.').waitFor()
  await intranet.getByRole('link', { name: 'cara@example.com' }).waitFor()
  await page.getByRole('region', { name: 'Zendesk' }).getByText('the administrators').waitFor()
  await page.getByRole('region', { name: 'Pushed by API' }).getByText('Pushed through the API').waitFor()
  assert.equal(await page.getByText('Board minutes').count(), 0)
  await intranet.getByRole('link', { name: 'team port' }).click()
  await page.getByText('2 results', { exact: false }).first().waitFor()
  await page.goBack()
  await intranet.getByRole('link', { name: 'Search in Intranet' }).click()
  await page.waitForURL(/\/\?q=source%3Aintranet/)
  await page.getByRole('searchbox').or(page.getByRole('combobox')).first().waitFor()
})

inBrowser('a person without a source learns how to get one', {}, async ({ page, url }) => {
  await page.route('**/api/manage/connector-status*', (route) => route.fulfill({ json: [] }))
  await page.goto(`${url}/sources`)
  await page.getByRole('heading', { name: 'No sources yet' }).waitFor()
  await page.getByRole('link', { name: 'Connect a source' }).click()
  await page.waitForURL(`${url}/admin/add-connector`)
})

for (const scheme of SCHEMES)
  for (const width of [1_280, NARROW])
    inBrowser(
      `the page of sources is accessible, ${scheme}, ${width} wide`,
      { scheme, width },
      async ({ page, url }) => {
        await page.goto(`${url}/sources`)
        await page.getByText('Board minutes').waitFor()
        await page.getByText('<img src=x').waitFor()
        await assertAccessible(page)
        await assertFits(page)
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/sources-${scheme}-${width}.png`, fullPage: true })
      },
    )
