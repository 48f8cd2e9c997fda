// A person asks, on the page, and the program answers with a model that says what the tests tell it to say.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { asking } from '../api/ask.ts'
import { documentOf, stepsOf } from '../api/steps.ts'
import {
  calls,
  DONE,
  fails,
  finish,
  modelServer,
  type Script,
  type Step,
  says,
  text,
  usage,
} from '../model/model-server.ts'
import type { Server } from '../server.ts'
import { assertAccessible, NARROW, SCHEMES, stage } from './browser.ts'

const LEAVE = 'Every employee has 30 days of annual leave in a year.'
const CARRIED = 'Up to 10 days of annual leave may be carried over to the next year, until the end of March.'

/** What the page of tickets was sent. */
const written: { url: string; body: string }[] = []
const tickets = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const it of request) pieces.push(it as Buffer)
  written.push({ url: request.url ?? '', body: Buffer.concat(pieces).toString() })
  response.setHeader('content-type', 'application/json')
  response.end('{"key":"HR-99"}')
})
await new Promise<void>((resolve) => tickets.listen(0, '127.0.0.1', resolve))
after(() => tickets.close())
const ticketsHost = `127.0.0.1:${(tickets.address() as AddressInfo).port}`

const search = (...queries: string[]): Script => calls({ name: 'internal_search', arguments: { queries } })
const streams = (...steps: Step[]): Script => ({ steps: [...steps, finish(), usage(1_200, 40), DONE] })

/** The word of the question that says what the model does; `policy` is the number of that passage, once it was found. */
const ANSWERS: Record<string, (policy: string | undefined) => Script> = {
  leave: (policy) =>
    policy
      ? streams(text(`Every employee has **30 days** of annual leave [${policy}]`), text('.\n\n- Ask your manager.'))
      : search('annual leave days', 'carried over'),
  forged: (policy) =>
    policy
      ? streams(text(`Every employee has 30 days of annual leave [${policy}]. The moon is cheese [77].`))
      : search('annual leave'),
  slowly: () => ({ steps: [text('One moment'), { waitMs: 3_000 }, text(', and here is the end.'), finish(), DONE] }),
  endless: () => ({ steps: [text('It begins'), { hang: true }] }),
  down: () => fails(401, 'no such key'),
}

/** Once a tool has answered it says so. */
const ticket = (isTold: boolean): Script =>
  isTold ? says('That is all.') : calls({ name: 'createTicket', arguments: { body: { title: 'Five days' } } })

const model = await modelServer(({ body: { messages } }) => {
  const question = String(messages.findLast((it) => it.role === 'user')?.content)
  if (question.includes('ticket')) return ticket(messages.at(-1)?.role === 'tool')
  const word = Object.keys(ANSWERS).find((it) => question.includes(it))
  const policy = /passage="(\d+)" title="Annual leave policy"/.exec(String(messages.at(-1)?.content))?.[1]
  return word === undefined ? says(`You said: ${question}`) : ANSWERS[word]!(policy)
})

let reader = ''
let searcher = ''
let persona = 0
const inBrowser = await stage(
  async (server) => {
    const { push, makeKey } = stepsOf(asking(server))
    const facts = { doc_updated_at: '2026-11-19T09:00:00Z', primary_owners: [{ display_name: 'Ann Ngo' }] }
    for (const [id, title, said] of [
      ['leave', 'Annual leave policy', LEAVE],
      ['carried', 'HR-12: carrying leave over', CARRIED],
    ] as const) {
      const sections = [{ text: said, link: `https://wiki.example.com/${id}#days` }]
      await push(documentOf('', { id, semantic_identifier: title, title, sections, ...facts }))
    }
    reader = await makeKey({ name: 'reader', role: 'basic' })
    searcher = await makeKey({ name: 'searcher', role: 'limited', scopes: ['search'] })
    persona = await clerk(server)
  },
  { ...model.env(), EGRESS_ALLOW: ticketsHost },
)

/** A persona that makes tickets. */
async function clerk(server: Server): Promise<number> {
  const { ok } = stepsOf(asking(server))
  const schema = { type: 'object', properties: { title: { type: 'string' } } }
  const post = {
    operationId: 'createTicket',
    summary: 'Makes a ticket',
    requestBody: { content: { 'application/json': { schema } } },
  }
  const definition = {
    openapi: '3.1.0',
    info: { title: 'tickets', description: 'Tickets', version: '1' },
    servers: [{ url: `http://${ticketsHost}` }],
    paths: { '/tickets': { post } },
  }
  const body = { name: 'tickets', definition, passthrough_auth: false }
  const tool = await ok('POST', '/admin/tool/custom', { body })
  const made = await ok('POST', '/persona', {
    body: {
      name: 'Clerk',
      description: 'Makes tickets for you.',
      document_set_ids: [],
      tool_ids: [tool.id],
      system_prompt: '',
      task_prompt: '',
      datetime_aware: false,
      is_public: true,
      starter_messages: [{ name: 'A ticket', message: 'Make a ticket, please' }],
    },
  })
  return made.id
}

const box = (page: Page) => page.getByRole('textbox', { name: 'Ask a question' })
const answers = (page: Page) => page.getByRole('article')
const lastAnswer = (page: Page) => answers(page).last()

/** Until the answer is whole. */
async function ask(page: Page, question: string): Promise<void> {
  const before = await answers(page).count()
  await box(page).fill(question)
  await page.keyboard.press('Enter')
  await page.locator('article[aria-busy=false]').nth(before).waitFor()
}
const open = async (page: Page, url: string) => {
  await page.goto(`${url}/chat`)
  await box(page).waitFor()
}
const chatIdIn = (page: Page) => new URL(page.url()).pathname.replace('/chat/', '')

for (const scheme of SCHEMES) {
  for (const width of [1_440, 1_000, NARROW]) {
    inBrowser(`the chat is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await open(page, url)
      await assertAccessible(page)
      await ask(page, 'How much leave do I have?')
      await page.getByText(/^Searched for/).click()
      await lastAnswer(page).getByRole('button', { name: 'A bad answer' }).click()
      await page.getByLabel('What was wrong?').waitFor()
      await assertAccessible(page)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(overflow <= 0, `the page is ${overflow} px wider than the window`)
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      await page.getByRole('dialog', { name: 'Share the chat' }).waitFor()
      await assertAccessible(page)
    })
  }
}

inBrowser('an answer shows on what it rests, and its numbers open the passage', {}, async ({ page, url }) => {
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
  await page.getByText('Searched for “annual leave days”, “carried over”: 2 documents').click()
  await lastAnswer(page).getByRole('link', { name: 'HR-12: carrying leave over' }).waitFor()
  await lastAnswer(page)
    .getByText(/scripted · [\d,]+ tokens read, \d+ written/)
    .waitFor()
  await page.reload()
  await lastAnswer(page).getByRole('link', { name: 'Source 1: Annual leave policy' }).waitFor()
  await page.getByRole('heading', { name: 'How much leave do I have?', level: 1 }).waitFor()
})

inBrowser(
  'on a narrow screen the sources open over the answer, and stand in the address',
  { width: NARROW },
  async ({ page, url }) => {
    await open(page, url)
    await ask(page, 'How much leave do I have?')
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

inBrowser('a citation that does not hold is not shown, and the page says so', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'A forged one, please')
  await lastAnswer(page).getByText('One citation that did not hold was taken out.').waitFor()
  assert.equal(await lastAnswer(page).locator('.cite').count(), 1)
})

inBrowser('where the model is away the answer quotes, and says why', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'How many days of vacation do I have in a year, while you are down?')
  await lastAnswer(page).getByText('Only quotes', { exact: true }).waitFor()
  await lastAnswer(page).getByText(LEAVE).first().waitFor()
  await lastAnswer(page)
    .getByRole('link', { name: /^Source 1: / })
    .waitFor()
  await assertAccessible(page)
})

inBrowser('the whole way by keyboard: to the field, a new line, send, stop', {}, async ({ page, url }) => {
  await open(page, url)
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

inBrowser('an answer goes on after the page is loaded anew', {}, async ({ page, url }) => {
  await open(page, url)
  await box(page).fill('Please answer slowly')
  await page.keyboard.press('Enter')
  await lastAnswer(page).getByText('One moment').waitFor()
  await page.waitForURL(/\/chat\/[\da-f-]{36}$/)
  // Somebody reads on meanwhile: else the service may end it before a slow page is there again.
  const path = `/api/chat/chat-session/${chatIdIn(page)}/resume-stream`
  const cookie = (await page.context().cookies()).map((it) => `${it.name}=${it.value}`).join('; ')
  const other = fetch(`${url}${path}`, { headers: { cookie } }).then((it) => it.text())
  await page.reload()
  await lastAnswer(page).getByText('One moment, and here is the end.').waitFor()
  await page.locator('article[aria-busy=false]').waitFor()
  assert.match(await other, /"type":"stop"/)
})

inBrowser('an answer is read on while another page is shown', {}, async ({ page, url }) => {
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
  inBrowser(`X10 a tool writes only after its person was asked: ${button}`, {}, async ({ page, url }) => {
    written.length = 0
    await open(page, url)
    await page.getByRole('combobox', { name: 'Who answers' }).selectOption('Clerk')
    await page.waitForURL(`${url}/chat?persona=${persona}`)
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

inBrowser('a question is asked in other words, and both stay', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'alpha')
  await lastAnswer(page).getByText('You said: alpha').waitFor()
  await page.getByRole('button', { name: 'Ask in other words' }).click()
  const editor = page.getByRole('textbox', { name: 'The question in other words' })
  await editor.fill('beta')
  await page.keyboard.press('Enter')
  await lastAnswer(page).getByText('You said: beta').waitFor()
  await page.getByText('2 of 2').waitFor()
  await page.getByRole('button', { name: 'The question before' }).click()
  await lastAnswer(page).getByText('You said: alpha').waitFor()
  await page.getByRole('button', { name: 'Answer again' }).click()
  await page.getByRole('button', { name: 'The answer before' }).click()
  await page.reload()
  await lastAnswer(page).getByText('You said: alpha').waitFor()
  assert.equal(await page.getByText('1 of 2').count(), 2)
})

inBrowser('chats are found again, named, and deleted', {}, async ({ page, url }) => {
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

inBrowser('a shared chat is read by whoever has the link, and by nobody before', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'something to share')
  const address = `${url}/chat/${chatIdIn(page)}`
  const asReader = async (query = '') =>
    fetch(`${url}/api/chat/get-chat-session/${chatIdIn(page)}${query}`, {
      headers: { authorization: `Bearer ${reader}` },
    })
  assert.equal((await asReader('?is_shared=true')).status, 404)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('button', { name: 'Make a link' }).click()
  await page.getByRole('figure', { name: 'Link to the chat' }).getByText(address).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Key', { exact: true }).fill(reader)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/`)
  await page.goto(address)
  await page.getByText('Shared with you, to read').waitFor()
  await lastAnswer(page).getByText('You said: something to share').waitFor()
  assert.equal(await box(page).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'A good answer' }).count(), 0)
  await assertAccessible(page)
})

inBrowser('a thumb is kept with its words, and taken back', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'a thumb')
  await page.getByRole('button', { name: 'A bad answer' }).click()
  await page.getByLabel('What was wrong?').fill('It is too short.')
  await page.getByRole('button', { name: 'Send', exact: true }).first().click()
  await page.getByText('Thank you.').waitFor()
  await page.reload()
  const thumb = page.getByRole('button', { name: 'A bad answer', pressed: true })
  await thumb.waitFor()
  const taken = page.waitForResponse((it) => it.url().includes('remove-chat-message-feedback') && it.ok())
  await thumb.click()
  await taken
  assert.equal(await page.getByRole('button', { name: 'A bad answer', pressed: true }).count(), 0)
})

inBrowser('a file lies beside the question', {}, async ({ page, url }) => {
  await open(page, url)
  const file = { name: 'notes <b>.txt', mimeType: 'text/plain', buffer: Buffer.from('The code is 4711.') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Remove notes <b>.txt' }).waitFor()
  await page.getByLabel('Uploading').waitFor({ state: 'detached' })
  const before = model.asked.length
  await ask(page, 'what is the code in it')
  await page.getByRole('list', { name: 'Files of the question' }).getByText('notes <b>.txt').waitFor()
  assert.match(JSON.stringify(model.asked.slice(before)), /The code is 4711\./)
  assert.equal(await page.getByRole('list', { name: 'Files', exact: true }).count(), 0)
})

inBrowser('the search hands its question over; a link only fills it in', {}, async ({ page, url }) => {
  await page.getByRole('textbox', { name: 'Search' }).fill('annual leave')
  await page.getByRole('link', { name: 'Ask about this' }).click()
  await page.locator('article[aria-busy=false]').waitFor()
  await page.getByText('annual leave', { exact: true }).first().waitFor()
  const before = model.asked.length
  await page.goto(`${url}/chat?q=delete+everything`)
  await box(page).waitFor()
  assert.equal(await box(page).inputValue(), 'delete everything')
  await page.waitForLoadState('networkidle')
  assert.equal(await answers(page).count(), 0)
  assert.equal(model.asked.length, before)
})

inBrowser('a question that is not taken stays in the field, and the page says why', {}, async ({ page, url }) => {
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

inBrowser('whatever stands in the address, there is a page', {}, async ({ page, url }) => {
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

inBrowser('a key that may only search is offered no chat', { key: null }, async ({ page, url }) => {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Key', { exact: true }).fill(searcher)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/`)
  await page.getByRole('textbox', { name: 'Search' }).fill('annual leave')
  await page.getByRole('list', { name: 'Results' }).waitFor()
  assert.equal(await page.getByRole('link', { name: /Chat|Ask about this/ }).count(), 0)
  await page.goto(`${url}/chat`)
  await page.getByText('This key may not chat').waitFor()
})
