// People ask for links by mail: for a new password, and for an account at an opened domain.
import assert from 'node:assert/strict'
import { linkIn, openSmtpServer } from '../mail/smtp.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const smtp = await openSmtpServer()
const PASSWORD = 'correct horse battery staple'
const NEW_PASSWORD = 'another staple of horses'
const openDomain = ({ api }: Server) => api('PUT', '/admin/sign-in/registration', { domains: ['example.com'] })
const inBrowser = await openBrowser(openDomain, {
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'pharos@example.com',
  PUBLIC_URL: 'https://pharos.example.com',
})
const hashOf = (link: string) => new URL(link).hash

inBrowser('an administrator opens a domain and is warned of public ones', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/registration`)
  await page.getByRole('textbox', { name: 'Opened domains' }).fill('not a domain!')
  await page.getByRole('button', { name: 'Save domains' }).click()
  await page.getByText('is not a domain').waitFor()
  await page.getByRole('textbox', { name: 'Opened domains' }).fill('example.com\ngmail.com')
  await page.getByRole('button', { name: 'Save domains' }).click()
  await page.getByText('The domains are saved.').waitFor()
  await page.getByText('Anybody can get an address at gmail.com').waitFor()
  await assertAccessible(page)
})

inBrowser(
  'a person of an opened domain creates an account and later a new password',
  { key: null },
  async ({ page, url }) => {
    await page.goto(`${url}/sign-in`)
    await page.getByRole('link', { name: 'Create one' }).click()
    await page.getByLabel('E-mail address').fill('new@example.com')
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.getByText('a mail is on its way').waitFor()
    await page.goto(`${url}/welcome${hashOf(linkIn(await smtp.next('new@example.com')))}`)
    await page.getByRole('heading', { name: 'Create your account' }).waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('textbox', { name: 'Search' }).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('E-mail address').fill('new@example.com')
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.getByText('a mail is on its way').waitFor()
    await page.goto('about:blank')
    await page.goto(`${url}/welcome${hashOf(linkIn(await smtp.next('new@example.com')))}`)
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('textbox', { name: 'Search' }).waitFor()
  },
)

inBrowser('the page says that an invitation was mailed, and shows no link', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/people`)
  await page.getByRole('button', { name: 'Invite people' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail addresses').fill('mia@example.org')
  await dialog.getByRole('button', { name: 'Create links' }).click()
  await dialog.getByText('The link was sent by mail.').waitFor()
  assert.equal(await dialog.getByRole('figure').count(), 0)
  assert.match(linkIn(await smtp.next('mia@example.org')), /\/welcome#/)
})

for (const scheme of SCHEMES) {
  inBrowser(
    `the pages that ask for a link are accessible, ${scheme}`,
    { key: null, scheme, width: NARROW },
    async (it) => {
      for (const path of ['/forgot-password', '/register', '/sign-in']) {
        await it.page.goto(`${it.url}${path}`)
        await it.page.getByLabel('E-mail address').waitFor()
        await assertAccessible(it.page)
        await assertFits(it.page)
      }
    },
  )
}
