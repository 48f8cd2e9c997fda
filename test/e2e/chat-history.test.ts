// Editing, finding, sharing and rating chats, and the ways into a chat.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { assertAccessible } from './browser.ts'
import { answers, ask, box, chatIdIn, inBrowser, keys, lastAnswer, model, open } from './chat-fixture.ts'

inBrowser('an edited question becomes a second branch', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'alpha')
  await lastAnswer(page).getByText('You said: alpha').waitFor()
  await page.getByRole('button', { name: 'Edit question' }).click()
  const editor = page.getByRole('textbox', { name: 'Edited question' })
  await editor.fill('beta')
  await page.keyboard.press('Enter')
  await lastAnswer(page).getByText('You said: beta').waitFor()
  await page.getByText('2 of 2').waitFor()
  await page.getByRole('button', { name: 'Previous question' }).click()
  await lastAnswer(page).getByText('You said: alpha').waitFor()
  await page.getByRole('button', { name: 'Regenerate answer' }).click()
  const kept = page.waitForResponse((it) => it.url().endsWith('/chat/set-preferred-response'))
  await page.getByRole('button', { name: 'Previous answer' }).click()
  assert.equal((await kept).status(), 200)
  await page.reload()
  await lastAnswer(page).getByText('You said: alpha').waitFor()
  assert.equal(await page.getByText('1 of 2').count(), 2)
})

inBrowser('chats can be searched, renamed and deleted', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'about the zebra crossing')
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByText('What would you like to know?').waitFor()
  await ask(page, 'about the giraffe')
  const chats = page.getByRole('navigation', { name: 'Chats' })
  await page.getByRole('searchbox', { name: 'Find a chat' }).fill('zebra')
  await chats.getByRole('link', { name: 'about the giraffe' }).first().waitFor({ state: 'detached' })
  await chats.getByRole('link', { name: 'about the zebra crossing' }).first().click()
  await lastAnswer(page).getByText('You said: about the zebra crossing').waitFor()
  await page.getByRole('button', { name: 'Rename the chat', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Animals')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
  await page.getByRole('searchbox', { name: 'Find a chat' }).fill('')
  await chats.getByRole('button', { name: 'Delete Animals' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(`${url}/chat`)
  await chats.getByRole('link', { name: 'Animals' }).waitFor({ state: 'detached' })
})

inBrowser('a found chat shows where its words are, and opens at that message', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'where do llamas live')
  await lastAnswer(page).getByText('You said: where do llamas live').waitFor()
  for (const word of ['one', 'two', 'three', 'four']) {
    await ask(page, `and ${word}`)
    await lastAnswer(page).getByText(`You said: and ${word}`).waitFor()
  }
  await page.getByRole('button', { name: 'Edit question' }).first().click()
  await page.getByRole('textbox', { name: 'Edited question' }).fill('where do otters live')
  await page.keyboard.press('Enter')
  await lastAnswer(page).getByText('You said: where do otters live').waitFor()
  const find = page.getByRole('searchbox', { name: 'Find a chat' })
  await find.fill('LLAMAS live')
  const link = page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'You said: where do llamas' })
  await link.locator('mark', { hasText: 'llamas' }).waitFor()
  await assertAccessible(page)
  await link.click()
  await page.waitForURL(/\?at=\d+$/)
  await page.locator('.answer:focus', { hasText: 'You said: where do llamas live' }).waitFor()
  const below = await page.evaluate<number>(
    "document.querySelector('.answer:focus').getBoundingClientRect().top - document.querySelector('.shell-header').offsetHeight",
  )
  assert.ok(below >= 0, `the header covers ${-below} px of the message`)
  await lastAnswer(page).getByText('You said: and four').waitFor()
  await assertAccessible(page)
})

inBrowser('a chat that is shared by name says so, and with whom', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'something for two')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Share chat' })
  await dialog.getByLabel('Share with a person').fill('bea@example.com')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('bea@example.com').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  const shared = page.getByRole('button', { name: 'Shared', exact: true })
  await shared.waitFor()
  assert.equal(await shared.getAttribute('title'), 'Shared with bea@example.com')
  await page.reload()
  await shared.click()
  await dialog.getByRole('button', { name: 'Stop sharing with bea@example.com' }).click()
  await dialog.getByText('bea@example.com').waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Share', exact: true }).waitFor()
})

inBrowser('a chat is readable by others only after it is shared', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'something to share')
  const address = `${url}/chat/${chatIdIn(page)}`
  const asReader = async (query = '') =>
    fetch(`${url}/api/chat/get-chat-session/${chatIdIn(page)}${query}`, {
      headers: { authorization: `Bearer ${keys.reader}` },
    })
  assert.equal((await asReader('?is_shared=true')).status, 404)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  // The box is checked once the service has been asked: not yet when the click ends.
  await page.getByRole('checkbox', { name: 'Anyone here with the link can read this chat' }).click()
  await page.getByRole('figure', { name: 'Link to the chat' }).getByText(address).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Use a key' }).click()
  await page.getByLabel('Key', { exact: true }).fill(keys.reader)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${url}/`)
  await page.goto(address)
  await page.getByText('Shared with you, read-only').waitFor()
  await lastAnswer(page).getByText('You said: something to share').waitFor()
  assert.equal(await box(page).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Good answer' }).count(), 0)
  await assertAccessible(page)
})

inBrowser('feedback with a comment is saved and can be removed', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'a thumb')
  await page.getByRole('button', { name: 'Bad answer' }).click()
  await page.getByLabel('What was wrong?').fill('It is too short.')
  await page.getByRole('button', { name: 'Send', exact: true }).first().click()
  await page.getByText('Thank you.').waitFor()
  await page.reload()
  const thumb = page.getByRole('button', { name: 'Bad answer', pressed: true })
  await thumb.waitFor()
  const taken = page.waitForResponse((it) => it.url().includes('remove-chat-message-feedback') && it.ok())
  await thumb.click()
  await taken
  assert.equal(await page.getByRole('button', { name: 'Bad answer', pressed: true }).count(), 0)
})

inBrowser('a file can be attached to a question', {}, async ({ page, url }) => {
  await open(page, url)
  const file = { name: 'notes <b>.txt', mimeType: 'text/plain', buffer: Buffer.from('The code is 4711.') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Remove notes <b>.txt' }).waitFor()
  await page.getByLabel('Uploading').waitFor({ state: 'detached' })
  const before = model.requests.length
  await ask(page, 'what is the code in it')
  await page.getByRole('list', { name: 'Attached files' }).getByText('notes <b>.txt').waitFor()
  assert.match(JSON.stringify(model.requests.slice(before)), /The code is 4711\./)
  assert.equal(await page.getByRole('list', { name: 'Files', exact: true }).count(), 0)
})

inBrowser(
  'a question from the search page is sent, one from a link only fills the input',
  {},
  async ({ page, url }) => {
    await page.getByRole('textbox', { name: 'Search' }).fill('annual leave')
    await page.getByRole('link', { name: 'Ask about this' }).click()
    await page.locator('article[aria-busy=false]').waitFor()
    await page.getByText('annual leave', { exact: true }).first().waitFor()
    const before = model.requests.length
    await page.goto(`${url}/chat?q=delete+everything`)
    await box(page).waitFor()
    assert.equal(await box(page).inputValue(), 'delete everything')
    await page.waitForLoadState('networkidle')
    assert.equal(await answers(page).count(), 0)
    assert.equal(model.requests.length, before)
  },
)

inBrowser('a rejected question stays in the input, with the reason', {}, async ({ page, url }) => {
  await open(page, url)
  await page.route('**/api/chat/send-chat-message', (route) =>
    route.fulfill({
      status: 503,
      headers: { 'retry-after': '5' },
      json: { error_code: 'OVERLOADED', detail: 'Too much to do.' },
    }),
  )
  await box(page).fill('anybody there?')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Too much to do. Try again in 5 s.').waitFor()
  assert.equal(await box(page).inputValue(), 'anybody there?')
  assert.equal(await answers(page).count(), 0)
  await assertAccessible(page)
})

inBrowser('any query string shows a page', {}, async ({ page, url }) => {
  for (const path of [
    '/chat?persona=x&message=-1&q=',
    '/chat?persona=99999',
    '/chat?q=1&q=2&__proto__=1',
    '/chat?message=1e99',
  ]) {
    await page.goto(`${url}${path}`)
    await box(page).waitFor()
  }
  await page.goto(`${url}/chat/no-such-chat`)
  await page
    .getByRole('alert')
    .getByText(/session/i)
    .waitFor()
  await assertAccessible(page)
})

inBrowser('a key with search permission only sees no chat', { key: null }, async ({ page, url }) => {
  await page.goto(`${url}/sign-in`)
  await page.getByRole('button', { name: 'Use a key' }).click()
  await page.getByLabel('Key', { exact: true }).fill(keys.searcher)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${url}/`)
  await page.getByRole('textbox', { name: 'Search' }).fill('annual leave')
  await page.getByRole('list', { name: 'Results' }).waitFor()
  assert.equal(await page.getByRole('link', { name: /Chat|Requester about this/ }).count(), 0)
  await page.goto(`${url}/chat`)
  await page.getByText('You do not have access to chat').waitFor()
})

inBrowser('another model answers again, and the chat is saved as Markdown', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'something to keep')
  await lastAnswer(page).getByText('Another model').click()
  await page.getByRole('list', { name: 'Models' }).getByRole('button', { name: 'Third' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('list', { name: 'Models' }).getByRole('button', { name: 'Third' }).click()
  await page.getByText('2 of 2').waitFor()
  await lastAnswer(page)
    .getByText(/Third · /)
    .waitFor()
  assert.equal(model.requests.at(-1)?.body.model, 'Third')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as Markdown' }).click()
  const file = await saved
  assert.equal(file.suggestedFilename(), 'something-to-keep.md')
  assert.equal(
    await readFile(await file.path(), 'utf8'),
    '# something to keep\n\n## Question\n\nsomething to keep\n\n## Answer\n\nYou said: something to keep\n',
  )
})

inBrowser('a file that is dropped on the chat is attached to the question', {}, async ({ page, url }) => {
  await open(page, url)
  const files = await page.evaluateHandle(
    `(() => { const it = new DataTransfer(); it.items.add(new File(['The code is 4711.'], 'dropped.txt')); return it })()`,
  )
  const conversation = page.locator('.chat-main')
  await conversation.dispatchEvent('dragover', { dataTransfer: files })
  await page.locator('.chat-drop').waitFor()
  await conversation.dispatchEvent('drop', { dataTransfer: files })
  await page.getByRole('button', { name: 'Remove dropped.txt' }).waitFor()
  await page.locator('.chat-drop').waitFor({ state: 'detached' })
})

inBrowser('a question that is sent while its file is uploaded waits for the file', {}, async ({ page, url }) => {
  const held = Promise.withResolvers<void>()
  await page.route('**/api/user/file/upload', async (route) => {
    await held.promise
    await route.continue()
  })
  await open(page, url)
  const file = { name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('It is late.') }
  await page.getByRole('form', { name: 'Question' }).locator('input[type=file]').setInputFiles(file)
  await page.getByLabel('Uploading').waitFor()
  await box(page).fill('what is late')
  const sent = page.waitForRequest((it) => it.url().endsWith('/chat/send-chat-message'))
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Send' }).and(page.locator('[data-loading]')).waitFor()
  held.resolve()
  assert.equal((await sent).postDataJSON().file_descriptors[0].name, 'late.txt')
  await page.getByRole('link', { name: 'late.txt' }).waitFor()
})

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

inBrowser('pasted files are attached; text that comes with a picture stays text', {}, async ({ page, url }) => {
  await open(page, url)
  const paste = (...types: string[]) =>
    page.evaluate<boolean>(`(() => {
      const clipboardData = new DataTransfer()
      const dot = Uint8Array.from(atob('${DOT}'), (it) => it.charCodeAt(0))
      for (const type of ${JSON.stringify(types)})
        type === 'image/png' ? clipboardData.items.add(new File([dot], 'image.png', { type })) : clipboardData.items.add('x', type)
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      return document.querySelector('.composer textarea').dispatchEvent(event)
    })()`)
  assert.equal(await paste('text/plain', 'text/html', 'image/png'), true)
  assert.equal(await paste('image/png'), false)
  await page.getByText('No model here reads pictures: only text in the picture is used.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Remove image.png' }).count(), 1)
  await assertAccessible(page)
})
