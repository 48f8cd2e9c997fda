// The chat page: questions, answers with sources and steps, tool confirmation, and stopping.
import assert from 'node:assert/strict'
import { assertAccessible, assertFits, NARROW, SCHEMES } from './browser.ts'
import { ask, box, chatIdIn, clerk, inBrowser, LEAVE, lastAnswer, open, ticketsHost, written } from './chat-fixture.ts'

for (const scheme of SCHEMES) {
  for (const width of [1_440, 1_000, NARROW]) {
    inBrowser(`the chat is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await open(page, url)
      await assertAccessible(page)
      await ask(page, 'How much leave do I have?')
      await page.getByText(/^Searched for/).click()
      await lastAnswer(page).getByRole('button', { name: 'Bad answer' }).click()
      await page.getByLabel('What was wrong?').waitFor()
      await assertAccessible(page)
      await assertFits(page)
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      await page.getByRole('dialog', { name: 'Share chat' }).waitFor()
      await assertAccessible(page)
    })
  }
}

inBrowser('an answer shows its sources, and citation numbers link to the passage', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'How much leave do I have?')
  await page.waitForURL(/\/chat\/[\da-f-]{36}$/)
  const cite = lastAnswer(page).getByRole('link', { name: 'Source 1: Annual leave policy' })
  assert.equal(await cite.getAttribute('href'), 'https://wiki.example.com/leave#days')
  assert.equal(await cite.getAttribute('rel'), 'noopener noreferrer')
  await cite.hover()
  const sources = page.getByRole('complementary', { name: 'Sources' })
  const first = sources.getByRole('list', { name: 'Cited sources' }).getByRole('listitem')
  assert.equal(await first.getAttribute('aria-current'), 'true')
  await first.getByText(LEAVE).waitFor()
  await cite.click()
  assert.equal(
    page
      .context()
      .pages()
      .filter((it) => it.url().startsWith('https://wiki')).length,
    0,
  )
  await first.getByText(LEAVE).waitFor()
  await page.getByText('Searched for “annual leave days”, “carried over”: 2 documents').click()
  await lastAnswer(page).getByRole('link', { name: 'HR-12: carrying leave over' }).waitFor()
  await lastAnswer(page)
    .getByText(/scripted · [\d,]+ input tokens, \d+ output tokens/)
    .waitFor()
  await page.reload()
  await lastAnswer(page).getByRole('link', { name: 'Source 1: Annual leave policy' }).waitFor()
  await page.getByRole('heading', { name: 'How much leave do I have?', level: 1 }).waitFor()
})

inBrowser(
  'on a narrow screen the sources open in a dialog that is part of the URL',
  { width: NARROW },
  async ({ page, url }) => {
    await open(page, url)
    await ask(page, 'How much leave do I have?')
    await lastAnswer(page).getByRole('link', { name: 'Source 1: Annual leave policy' }).click()
    await page.getByRole('dialog', { name: 'Sources' }).getByText(LEAVE).waitFor()
    await page.keyboard.press('Escape')
    await lastAnswer(page).getByRole('button', { name: '1 source' }).click()
    await page.waitForURL(/\?message=\d+$/)
    await page.getByRole('dialog', { name: 'Sources' }).getByText(LEAVE).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/chat\/[\da-f-]{36}$/)
    await page.getByRole('button', { name: 'Chats' }).click()
    await page.getByRole('dialog', { name: 'Chats' }).getByRole('link', { name: 'New chat' }).click()
    await page.waitForURL(`${url}/chat`)
  },
)

inBrowser('an unverified citation is removed, and the page says so', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'A forged one, please')
  await lastAnswer(page).getByText('1 citation could not be verified and was removed.').waitFor()
  assert.equal(await lastAnswer(page).locator('.cite').count(), 1)
})

inBrowser('without a model the answer quotes documents and gives the reason', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'How many annual days does an employee have in a year, while you are down?')
  await lastAnswer(page).getByText('Quotes only', { exact: true }).waitFor()
  await lastAnswer(page).getByText(LEAVE).first().waitFor()
  await lastAnswer(page)
    .getByRole('link', { name: /^Source 1: / })
    .waitFor()
  await assertAccessible(page)
})

inBrowser('keyboard only: focus the input, add a line, send, stop', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('textbox', { name: 'Ask a question' }).waitFor()
  await page.getByRole('link', { name: 'Pharos' }).focus()
  await page.keyboard.press('/')
  await page.keyboard.type('first')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('second, endless')
  assert.equal(await box(page).inputValue(), 'first\nsecond, endless')
  await page.keyboard.press('Enter')
  await lastAnswer(page).getByText('It begins').waitFor()
  assert.equal(await box(page).inputValue(), '')
  await page.keyboard.press('Escape')
  await lastAnswer(page).getByText('You stopped this answer.').waitFor()
  await page.getByRole('button', { name: 'Send' }).waitFor()
  assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Ask a question')
})

inBrowser('an answer continues after a reload', {}, async ({ page, url }) => {
  await open(page, url)
  await box(page).fill('Please answer slowly')
  await page.keyboard.press('Enter')
  await lastAnswer(page).getByText('One moment').waitFor()
  await page.waitForURL(/\/chat\/[\da-f-]{36}$/)
  // A second reader keeps the answer running until the page has reloaded.
  const path = `/api/chat/chat-session/${chatIdIn(page)}/resume-stream`
  const cookie = (await page.context().cookies()).map((it) => `${it.name}=${it.value}`).join('; ')
  const other = fetch(`${url}${path}`, { headers: { cookie } }).then((it) => it.text())
  await page.reload()
  await lastAnswer(page).getByText('One moment, and here is the end.').waitFor()
  await page.locator('article[aria-busy=false]').waitFor()
  assert.match(await other, /"type":"stop"/)
})

inBrowser('an answer keeps streaming while another page is shown', {}, async ({ page, url }) => {
  await open(page, url)
  await box(page).fill('Please answer slowly')
  await page.keyboard.press('Enter')
  await lastAnswer(page).getByText('One moment').waitFor()
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('textbox', { name: 'Search' }).waitFor()
  await page.goBack()
  await lastAnswer(page).getByText('One moment, and here is the end.').waitFor()
})

for (const [button, count] of [
  ['Allow', 1],
  ['Decline', 0],
] as const) {
  inBrowser(`a tool writes only after the user was asked: ${button} [X10]`, {}, async ({ page, url }) => {
    written.length = 0
    await open(page, url)
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('Clerk')
    await page.waitForURL(`${url}/chat?persona=${clerk.id}`)
    await page.getByRole('button', { name: /A ticket/ }).click()
    const question = page.getByRole('region', { name: `Allow createTicket to write to ${ticketsHost}?` })
    await question.getByText('"title": "Five days"').waitFor()
    await assertAccessible(page)
    assert.equal(written.length, 0)
    await question.getByRole('button', { name: button }).click()
    await lastAnswer(page).getByText('That is all.').waitFor()
    await question.waitFor({ state: 'detached' })
    assert.equal(written.length, count)
  })
}

inBrowser('a follow-up question scrolls to the top with its answer below it', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'about the zebra crossing')
  await ask(page, 'alpha')
  await ask(page, 'beta')
  await lastAnswer(page).getByText('You said: beta').waitFor()
  const question = page.locator('.question').last()
  await question.getByText('beta').waitFor()
  const edge = async (selector: string, side: 'top' | 'bottom') => {
    const { y = 0, height = 0 } = (await page.locator(selector).last().boundingBox()) ?? {}
    return side === 'top' ? y : y + height
  }
  const top = await edge('.question', 'top')
  const header = await edge('.shell-header', 'bottom')
  const answer = await edge('.answer .md', 'bottom')
  const foot = await edge('.chat-foot', 'top')
  assert.ok(top >= header && top < header + 60, `the question is at ${top}, the header ends at ${header}`)
  assert.ok(answer <= foot, `the answer ends at ${answer}, below the question field at ${foot}`)
})
