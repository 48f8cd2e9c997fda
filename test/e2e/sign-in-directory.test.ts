// An administrator sets up a real directory (LDAP) on the page, and a person signs in with it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '../needs.ts'
import { BASE, ROOT, ROOT_PASSWORD, startSlapd } from '../servers/start-slapd.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const need = needs('slapd')
if (need.skip !== undefined) test('a directory is set up on the page', need, () => {})
else await register()

async function register(): Promise<void> {
  const directory = await startSlapd()
  const unit = (name: string) => `dn: ou=${name},${BASE}\nobjectClass: organizationalUnit\n\n`
  const [people, groups] = [`ou=people,${BASE}`, `ou=groups,${BASE}`]
  const ann = `dn: uid=ann,${people}\nobjectClass: inetOrgPerson\nuid: ann\ncn: Ann Lee\nsn: Lee\nmail: ann@example.org\nuserPassword: right of ann\n\n`
  const board = `dn: cn=board,${groups}\nobjectClass: groupOfNames\nmember: uid=ann,${people}\n`
  directory.change(unit('people') + unit('groups') + ann + board)
  const inBrowser = await openBrowser(async () => {}, { EGRESS_ALLOW: '127.0.0.1' })

  inBrowser('a directory is set up, checked, tested, changed and used', {}, async ({ page, url }) => {
    await page.goto(`${url}/admin/sign-in`)
    await page.getByRole('button', { name: 'Add a provider' }).click()
    await page.getByLabel('Protocol').selectOption('ldap')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Company directory')
    await page.getByLabel('Short name').fill('company')
    await page.getByRole('textbox', { name: 'Server', exact: true }).fill(directory.url)
    await page.getByLabel('Search people below').fill(people)
    await page.getByLabel('Filter of people').fill('(&(objectClass=inetOrgPerson)(uid={username}))')
    await page.getByLabel('Account that searches').fill(ROOT)
    await page.getByLabel(/^Password of that account/).fill(ROOT_PASSWORD)
    await page.getByLabel('Search groups below').fill(groups)
    await page.getByLabel('Filter of groups').fill('(&(objectClass=groupOfNames)(member={dn}))')
    await page.getByLabel('Roles of groups').fill('board = kings')
    await page.getByLabel('Roles of groups').blur()
    await page.getByText('“board = kings” must be: group = role').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled())
    await page.getByLabel('Roles of groups').fill('board = global_curator')
    await page.getByText('More settings').click()
    await page.getByLabel('Certificate of the server').fill(directory.ca)
    await page.getByLabel('Create accounts for addresses').check()
    await page.getByRole('button', { name: 'Save' }).click()

    const card = page.getByRole('region', { name: 'Company directory' })
    await card.getByRole('button', { name: 'Check' }).click()
    await card.getByText(`over an encrypted connection. It accepts ${ROOT}`).waitFor()
    await card.getByText('The place of groups is there.').waitFor()
    await card.getByRole('button', { name: 'Test', exact: true }).click()
    await card.getByLabel('User name of a person').fill('ann')
    await card.getByLabel(/^Password of the person/).fill('wrong')
    await card.getByRole('button', { name: 'Run the test' }).click()
    await card.getByText('This person could not sign in').waitFor()
    await card.getByLabel(/^Password of the person/).fill('right of ann')
    await card.getByRole('button', { name: 'Run the test' }).click()
    await card.getByText('ann@example.org, role Curator of all groups. A new account would be created.').waitFor()
    await card.getByText('Groups: board').waitFor()

    await card.getByRole('button', { name: 'Edit' }).click()
    assert.equal(await card.getByLabel(/^Password of that account/).inputValue(), '')
    await card.getByLabel('Roles of groups').fill('')
    await card.getByText('More settings').click()
    assert.equal(await card.getByLabel('Groups attribute').inputValue(), '')
    await card.getByLabel('Prefix of groups').fill('dir/')
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByRole('button', { name: 'Save' }).waitFor({ state: 'hidden' })
    await card.getByRole('button', { name: 'Switch on' }).click()
    await card.getByRole('button', { name: 'Switch off' }).waitFor()

    await page.context().clearCookies()
    await page.goto(`${url}/sign-in`)
    await page.getByRole('button', { name: 'Sign in with Company directory' }).click()
    await page.getByLabel('User name at Company directory').fill('ann')
    await page.getByLabel('Password', { exact: true }).fill('right of ann')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${url}/`)
    const me = await page.context().request.get(`${url}/api/me`)
    const { email, role, groups: own } = await me.json()
    assert.deepEqual([email, role, own], ['ann@example.org', 'basic', ['dir/board']])
  })

  inBrowser(
    'an administrator sees the account of a person at the directory, and unlinks it',
    {},
    async ({ page, url }) => {
      await page.goto(`${url}/admin/people`)
      await page.getByRole('button', { name: 'ann@example.org', exact: true }).click()
      const ways = page.getByRole('dialog').getByRole('region', { name: 'Ways of signing in' })
      await ways.getByText('Password: none').waitFor()
      const account = ways.getByRole('listitem').filter({ hasText: 'Company directory' })
      await page.getByRole('dialog').getByText('with LDAP').waitFor()
      await page.getByText('managed by ldap:company').waitFor()
      await assertAccessible(page)
      await account.getByRole('button', { name: 'Unlink Company directory' }).click()
      await account.waitFor({ state: 'detached' })
      await page.getByText('The person is signed in nowhere.').waitFor()
    },
  )

  for (const scheme of SCHEMES) {
    for (const width of [1_280, NARROW]) {
      inBrowser(`the form is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
        await page.goto(`${url}/admin/sign-in`)
        await page.getByRole('button', { name: 'Add a provider' }).click()
        await page.getByLabel('Protocol').selectOption('ldap')
        await page.getByText('More settings').click()
        await page.getByRole('button', { name: 'Test', exact: true }).click()
        await page.getByLabel('User name of a person').waitFor()
        await assertAccessible(page)
        await assertFits(page)
      })
    }
  }
}
