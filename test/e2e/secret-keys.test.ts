import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

let steps: ReturnType<typeof createSetup>

const inBrowser = await openBrowser(
  async (server: Server) => {
    steps = createSetup(createRequester(server))
    await steps.ok('POST', '/admin/webhook', { body: { url: 'http://127.0.0.1:9/hook' } })
  },
  { EGRESS_ALLOW: '127.0.0.1' },
)

const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/secret-keys`)
  await page.getByRole('heading', { name: 'Secret keys', level: 1 }).waitFor()
  await page.getByText('Encrypts new secrets').waitFor()
}
const list = () => steps.ok('GET', '/admin/secret-key')
const rotate = async (page: Page) => {
  await page.getByRole('button', { name: 'Rotate key' }).click()
  await page.getByRole('dialog', { name: 'Rotate the secret key?' }).getByRole('button', { name: 'Rotate key' }).click()
  await page.getByRole('row').filter({ hasText: 'Only decrypts' }).first().waitFor()
}

inBrowser(
  'an administrator rotates the key, and deletes the old one when nothing uses it',
  {},
  async ({ page, url }) => {
    await open(page, url)
    const [{ kid: first, secrets }] = (await list()).keys
    assert.ok(secrets > 0)
    await rotate(page)
    const old = page.getByRole('row').filter({ hasText: first })
    await old.getByRole('button', { name: `Delete the key ${first}` }).click()
    await page.getByRole('dialog', { name: 'Delete the old key?' }).getByRole('button', { name: 'Delete key' }).click()
    await old.waitFor({ state: 'detached' })
    const { keys, is_rotating } = await list()
    assert.deepEqual([keys.length, keys[0].is_newest, keys[0].secrets, is_rotating], [1, true, secrets, false])
  },
)

inBrowser('a rotation in progress is shown, and a key in use cannot be deleted', {}, async ({ page, url }) => {
  const of = (kid: string, more: object) => ({ kid, origin: 'file', is_newest: false, secrets: 0, ...more })
  const keys = [of('old', { secrets: 12 }), of('new', { is_newest: true, secrets: 3 })]
  await page.route('**/api/admin/secret-key', (it) => it.fulfill({ json: { keys, is_rotating: true, unreadable: 2 } }))
  await open(page, url)
  await page.getByText('12 secrets are left. You can leave this page.').waitFor()
  await page.getByText('2 secrets cannot be decrypted').waitFor()
  await page.getByRole('row').filter({ hasText: 'old' }).getByText('In use').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Rotate key' }).isDisabled())
  await assertAccessible(page)
})

inBrowser('a key of the operator is replaced by the operator', {}, async ({ page, url }) => {
  const keys = [{ kid: 'given', origin: 'SECRET_KEY', is_newest: true, secrets: 3 }]
  await page.route('**/api/admin/secret-key', (it) => it.fulfill({ json: { keys, is_rotating: false, unreadable: 0 } }))
  await open(page, url)
  await page.getByText('The operator sets the secret key').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Rotate key' }).count(), 0)
  await assertAccessible(page)
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`secret keys are accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await open(page, url)
      await rotate(page)
      await assertAccessible(page)
      await assertFits(page)
      const { SHOTS } = process.env
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/keys-${scheme}-${width}.png`, fullPage: true })
      await page.getByRole('button', { name: 'Rotate key' }).click()
      await page.getByRole('dialog', { name: 'Rotate the secret key?' }).waitFor()
      await assertAccessible(page)
    })
  }
}
