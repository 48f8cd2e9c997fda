// Projects, own files, and chats that are shared with people and groups.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { says, startModelServer } from '../model/model-server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

const SHOTS = process.env.SHOTS
const NOTES = 'The harbour master is called Ottilie Quist.'
const keys = { ann: '', bob: '' }

const model = await startModelServer(({ body: { messages } }) => {
  const all = JSON.stringify(messages)
  const isInVerse = all.includes('Answer in verse.')
  return says(
    `You said: ${String(messages.at(-1)?.content).split('Question: ').at(-1)}${isInVerse ? ' In verse.' : ''}`,
  )
})

const inBrowser = await openBrowser(async (server) => {
  const { makeKey } = createSetup(createRequester(server))
  keys.ann = await makeKey({ role: 'basic', user_email: 'ann@example.com', user_group_ids: ['Harbour'] })
  keys.bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
}, model.env())
type Visit = Parameters<Parameters<typeof inBrowser>[2]>[0]
const asAnn = (name: string, view: Parameters<typeof inBrowser>[1], body: (visit: Visit) => Promise<void>) =>
  inBrowser(name, view, async (visit) => {
    await signInAs(visit, keys.ann)
    await body(visit)
  })

async function signInAs({ page, url }: Visit, key: string): Promise<void> {
  await page.context().clearCookies()
  const headers = { 'x-requested-with': 'test' }
  const answer = await page.request.post(`${url}/api/auth/session`, { data: { api_key: key }, headers })
  assert.ok(answer.ok())
}

async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` })
}

async function createProject({ page, url }: Visit, name: string): Promise<void> {
  await page.goto(`${url}/projects`)
  await page.getByRole('button', { name: 'New project' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('textbox', { name: 'Description' }).fill('Everything about it')
  await page.getByRole('button', { name: 'Create project' }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

async function upload(page: Page, place: string, name: string, text: string): Promise<void> {
  const section = page.getByRole('region', { name: place })
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(text) }
  await section.locator('input[type=file]').setInputFiles(file)
  await section.getByRole('link', { name }).waitFor()
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Ask a question' }).fill(question)
  await page.keyboard.press('Enter')
  await page.getByRole('article').last().getByText(`You said: ${question}`).waitFor()
}

for (const scheme of SCHEMES) {
  asAnn(`a project answers with its files and instructions, ${scheme}`, { scheme }, async (visit) => {
    const { page } = visit
    const name = `Harbour ${scheme}`
    await createProject(visit, name)
    await upload(page, 'Files', 'notes.txt', NOTES)
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Answer in verse.')
    await page.getByRole('region', { name: 'Instructions' }).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await assertAccessible(page)
    await shot(page, `project-${scheme}`)
    const before = model.requests.length
    await page.getByRole('textbox', { name: 'Ask a question in this project' }).fill('Who is the master?')
    await page.keyboard.press('Enter')
    const answer = page.getByRole('article').last()
    await answer.getByText('You said: Who is the master? In verse.').waitFor()
    assert.match(JSON.stringify(model.requests.slice(before)), /Ottilie Quist/)
    assert.equal(new URL(page.url()).search, '')
    await shot(page, `project-chat-${scheme}`)
    await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name }).click()
    await page.getByRole('region', { name: 'Chats' }).getByRole('link', { name: 'Who is the master?' }).waitFor()
  })
}

asAnn('a chat is moved into a project and out of it', {}, async (visit) => {
  const { page, url } = visit
  await createProject(visit, 'Moving')
  await page.goto(`${url}/chat`)
  await ask(page, 'move me')
  const choice = page.getByRole('combobox', { name: 'Project' })
  await choice.selectOption({ label: 'Moving' })
  const chats = page.getByRole('navigation', { name: 'Chats' })
  await chats.getByRole('link', { name: 'move me' }).waitFor({ state: 'detached' })
  await choice.selectOption({ label: 'No project' })
  await chats.getByRole('link', { name: 'move me' }).waitFor()
})

asAnn('a project is edited and deleted, and its chats stay', {}, async (visit) => {
  const { page, url } = visit
  await createProject(visit, 'Old name')
  await page.getByRole('textbox', { name: 'Ask a question in this project' }).fill('keep me')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByRole('article').last().getByText('You said: keep me').waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Edit project' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('New name')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'New name', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await assertAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(`${url}/projects`)
  await page.goto(`${url}/chat`)
  await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'keep me' }).waitFor()
})

asAnn('own files are listed, downloaded, used in projects and deleted', {}, async (visit) => {
  const { page, url } = visit
  await page.goto(`${url}/projects`)
  await upload(page, 'Your files', 'report.txt', 'A report.')
  await createProject(visit, 'Using')
  const files = page.getByRole('region', { name: 'Files' })
  await files.getByRole('combobox', { name: 'Add one of your files' }).selectOption({ label: 'report.txt' })
  await files.getByRole('button', { name: 'Add', exact: true }).click()
  await files.getByRole('button', { name: 'Remove report.txt from the project' }).waitFor()
  await page.goto(`${url}/projects`)
  const own = page.getByRole('region', { name: 'Your files' })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    own.getByRole('link', { name: 'report.txt' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'report.txt')
  await own.getByRole('button', { name: 'Details of report.txt' }).click()
  await page.getByRole('dialog').getByText('text/plain').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await shot(page, 'projects')
  await own.getByRole('button', { name: 'Delete report.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText('because projects use it: Using').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Using' }).click()
  await page.getByRole('button', { name: 'Remove report.txt from the project' }).click()
  await page.getByRole('button', { name: 'Remove report.txt from the project' }).waitFor({ state: 'detached' })
  await page.goto(`${url}/projects`)
  await own.getByRole('button', { name: 'Delete report.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await own.getByRole('link', { name: 'report.txt' }).waitFor({ state: 'detached' })
})

asAnn('the file of a question can be downloaded until it is deleted', {}, async ({ page, url }) => {
  await page.goto(`${url}/chat`)
  const file = { name: 'code.txt', mimeType: 'text/plain', buffer: Buffer.from('The code is 4711.') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Remove code.txt' }).waitFor()
  await page.getByLabel('Uploading').waitFor({ state: 'detached' })
  await ask(page, 'what is in it')
  const chat = page.url()
  const attached = page.getByRole('list', { name: 'Attached files' })
  await attached.getByRole('link', { name: 'code.txt' }).waitFor()
  await page.goto(`${url}/projects`)
  await page.getByRole('button', { name: 'Delete code.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete code.txt' }).waitFor({ state: 'detached' })
  await page.goto(chat)
  await attached.getByText('(deleted)').waitFor()
})

asAnn('a chat is shared with a person and a group, who read it', {}, async (visit) => {
  const { page, url } = visit
  await page.goto(`${url}/chat`)
  await ask(page, 'for Bob alone')
  const chat = page.url()
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Share chat' })
  await dialog.getByLabel('Share with a person').fill('bob@example.com')
  await page.keyboard.press('Enter')
  await dialog.getByRole('list', { name: 'People who can read this chat' }).getByText('bob@example.com').waitFor()
  await dialog.getByRole('checkbox', { name: 'Harbour' }).click()
  await dialog.getByRole('checkbox', { name: 'Harbour', checked: true }).waitFor()
  await dialog.getByRole('figure', { name: 'Link to the chat' }).getByText(chat).waitFor()
  await assertAccessible(page)
  await shot(page, 'share')
  await signInAs(visit, keys.bob)
  await page.goto(`${url}/chat`)
  const shared = page.getByRole('region', { name: 'Shared with you' })
  await shared.getByRole('link', { name: 'for Bob alone' }).click()
  await page.getByText('Shared with you, read-only').waitFor()
  await page.getByRole('article').last().getByText('You said: for Bob alone').waitFor()
  await shot(page, 'shared')
  await signInAs(visit, keys.ann)
  await page.goto(chat)
  await page.getByRole('button', { name: 'Shared', exact: true }).click()
  await dialog.getByRole('button', { name: 'Stop sharing with bob@example.com' }).click()
  await dialog.getByText('bob@example.com').waitFor({ state: 'detached' })
  await signInAs(visit, keys.bob)
  await page.goto(chat)
  await page.getByRole('alert').getByText('Chat session not found.').waitFor()
})

asAnn('at 400 % zoom the pages of chat and projects lose nothing', { width: 320 }, async (visit) => {
  const { page, url } = visit
  await createProject(visit, 'Narrow and with a long name that takes more than a line')
  await upload(page, 'Files', 'a-file-with-a-very-long-name-that-has-no-space-in-it.txt', 'x')
  await assertFits(page)
  await shot(page, 'project-320')
  await page.goto(`${url}/projects`)
  await page.getByRole('region', { name: 'Your files' }).getByRole('link').first().waitFor()
  await assertFits(page)
  await shot(page, 'projects-320')
  await page.goto(`${url}/chat`)
  await ask(page, 'in a narrow window')
  await assertFits(page)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Share with a person').waitFor()
  await assertFits(page)
  await shot(page, 'share-320')
})

asAnn('by keyboard alone: ask, edit, switch between the branches, and find the chat', {}, async ({ page, url }) => {
  await page.goto(`${url}/chat`)
  await page.getByRole('textbox', { name: 'Ask a question' }).waitFor()
  await page.getByRole('link', { name: 'Pharos' }).focus()
  await page.keyboard.press('/')
  await page.keyboard.type('by key alone')
  await page.keyboard.press('Enter')
  await page.getByRole('article').last().getByText('You said: by key alone').waitFor()
  await page.getByRole('button', { name: 'Edit question' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Edited question' }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.type(' again')
  await page.keyboard.press('Enter')
  await page.getByRole('article').last().getByText('You said: by key alone again').waitFor()
  await page.getByRole('button', { name: 'Previous question' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('article').last().getByText('You said: by key alone', { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Find a chat' }).focus()
  await page.keyboard.type('alone key')
  const found = page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'by key alone' })
  await found.waitFor()
  await page.keyboard.press('Tab')
  assert.match(await page.evaluate<string>('document.activeElement.textContent'), /^by key alone/)
})

asAnn('formulas of an answer are drawn, and amounts of money stay as they are', {}, async ({ page, url }) => {
  await page.goto(`${url}/chat`)
  const question = 'Is $\\frac{a}{b} \\le E_0$ worth $5 and $6?'
  await page.getByRole('textbox', { name: 'Ask a question' }).fill(question)
  await page.keyboard.press('Enter')
  const answer = page.getByRole('article').last()
  await answer.locator('math mfrac').waitFor()
  assert.equal(await answer.locator('math').count(), 1)
  await answer.getByText(/worth \$5 and \$6\?/).waitFor()
  await assertAccessible(page)
  await shot(page, 'formula')
})
