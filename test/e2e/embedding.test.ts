import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { startEmbeddingServer } from '../api/embedding-server.ts'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { type Server, settled, waitFor } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES, tryAgain } from './browser.ts'

const embeddings = await startEmbeddingServer({ tiny: 8 })
let steps: ReturnType<typeof createSetup>
const inBrowser = await openBrowser(async (server: Server) => {
  steps = createSetup(createRequester(server))
  for (let at = 0; at < 20; at++) await steps.push(documentOf(`Rule ${at} about leave.`, { id: `rule-${at}` }))
  await settled(server)
  await waitFor(async () => (await steps.ok('GET', '/health/ready')).data.embedding.pending === 0, 'all vectors')
}, embeddings.env('tiny'))

const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/embedding`)
  await page.getByRole('heading', { name: 'Search index', level: 1 }).waitFor()
}

inBrowser('the page shows the model, and estimates time, disk and cost', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByText('openai:tiny').first().waitFor()
  await page.getByText('Ready, 20 passages').waitFor()
  await page.getByRole('button', { name: 'Estimate time, cost and disk' }).click()
  await page.getByText('20 documents, 20 passages').waitFor()
  await page.getByText('0 new, 20 kept').waitFor()
  await page.getByText(/^About .* free$/).waitFor()
  await assertAccessible(page)
})

inBrowser('the cost of new vectors is computed from the price', {}, async ({ page, url }) => {
  await page.route('**/api/admin/reindex/estimate', (route) =>
    route.fulfill({ json: { ...ESTIMATE, estimated_tokens: 5_000_000, estimated_s: 5_400 } }),
  )
  await open(page, url)
  await page.getByRole('button', { name: 'Estimate time, cost and disk' }).click()
  await page.getByText('About 1 hr 30 min for the vectors').waitFor()
  await page.getByLabel('Price of a million tokens').fill('0.02')
  await page.getByText('The new vectors cost about 0.10.').waitFor()
})

inBrowser('a new index is built, with its progress, and takes over', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('button', { name: 'Build again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Build the index again?' })
  await dialog.getByRole('button', { name: 'Build again' }).click()
  await page.getByText(/^A new index was built in/).waitFor()
  const { generation } = await steps.ok('GET', '/admin/reindex')
  assert.equal(generation, 2)
})

inBrowser('a new index that is being built shows how far it is, and can be canceled', {}, async ({ page, url }) => {
  const started_at = new Date(Date.now() - 60_000).toISOString()
  const vectors = { model: 'openai:next', pending: 600, total: 800, remaining_s: 300, reason: null }
  let building: object | null = {
    ...{ generation: 3, model: 'openai:next', started_at, done: 600, total: 800 },
    ...{ waiting_for: 'The model does not answer: it is overloaded.', vectors },
  }
  const last = { status: 'canceled', generation: 3, ended_at: new Date().toISOString(), took_ms: 60_000 }
  await page.route('**/api/admin/reindex', async (route) => {
    if (route.request().method() === 'GET') {
      const status = building === null ? 'idle' : 'building'
      return route.fulfill({ json: { status, generation: 2, model: 'openai:tiny', building, last } })
    }
    // A real index of so few documents is complete at once, so it is begun just before it is canceled.
    await steps.ok('POST', '/admin/reindex')
    const answer = await route.fetch()
    if (answer.ok()) building = null
    return route.fulfill({ response: answer })
  })
  await open(page, url)
  await page.getByText(/600 of 800, 9\.\d per second|600 of 800, 10 per second/).waitFor()
  await page.getByText('200 of 800, about 5 min left').waitFor()
  await page.getByText('The model does not answer: it is overloaded.').waitFor()
  await assertAccessible(page)
  await shoot(page, 'building')
  await page.getByRole('button', { name: 'Cancel the new index' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel the new index?' })
  const canceled = page.getByText(/^The last new index was canceled/)
  await waitFor(async () => {
    if (await canceled.isVisible()) return true
    await dialog.getByRole('button', { name: 'Cancel the new index' }).click()
    await dialog.getByRole('alert').or(canceled).first().waitFor()
    return canceled.isVisible()
  }, 'a canceled index')
})

inBrowser('a failure of the service is shown, and trying again helps', {}, async ({ page, url }) => {
  await page.route('**/api/admin/reindex', (it) => it.abort('connectionrefused'))
  await open(page, url)
  const alert = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).first()
  await alert.waitFor()
  await tryAgain(page, alert, '**/api/admin/reindex')
  await page.getByRole('button', { name: 'Build again' }).waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`the search index is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await open(page, url)
      await page.getByRole('button', { name: 'Estimate time, cost and disk' }).click()
      await page.getByText(/kept$/).waitFor()
      await assertAccessible(page)
      await assertFits(page)
      await shoot(page, `${scheme}-${width}`)
    })
  }
}

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS !== undefined)
    await page.screenshot({ path: `${process.env.SHOTS}/embedding-${name}.png`, fullPage: true })
}

const ESTIMATE = {
  ...{ model: 'openai:tiny', documents: 20, chunks: 20, kept_vectors: 0, new_vectors: 20 },
  ...{ disk_bytes: 5_000_000, reason: null },
}
