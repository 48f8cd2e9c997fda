// Two hundred hostile documents and answers: no script runs, no other origin is called, nothing is hidden.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, assertFits, openBrowserAt } from './browser.ts'
import { CUT, documentOf, type Said, startFakeChatApi } from './fake-chat-api.ts'
import { HOSTILE_LINKS, hostileTexts } from './hostile-answers.ts'

const COUNT = 200
const CHATS = 10

let canaryCalls = 0
const canary = createServer((_, answer) => {
  canaryCalls += 1
  answer.end()
})
await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
after(() => canary.close())
const texts = hostileTexts(`http://127.0.0.1:${(canary.address() as AddressInfo).port}`, COUNT)

const documentAt = (at: number) => {
  const text = texts[at % COUNT]!
  return documentOf({
    document_id: `${at} ${text}`,
    semantic_identifier: text,
    link: HOSTILE_LINKS[at % HOSTILE_LINKS.length] ?? null,
    blurb: text,
    source_type: text.slice(0, 60),
    metadata: { [text.slice(0, 80)]: [text, text] },
    match_highlights: [text],
    primary_owners: [text],
    file_id: text,
  })
}

/** Puts hostile text into every field of every packet. */
function* hostile(at: number): Iterable<Said> {
  const text = texts[at]!
  const [document, other] = [documentAt(at), documentAt(at + 1)]
  const tool = { tool_name: text.slice(0, 100), tool_id: at }
  const tool_args = { [text]: text, link: `javascript:alert(${at})` }
  const steps: Said[] = [
    { step: 0, obj: { type: 'reasoning_start' } },
    { step: 0, obj: { type: 'reasoning_delta', reasoning: text } },
    { step: 0, obj: { type: 'reasoning_done' } },
    { step: 1, obj: { type: 'search_tool_start', is_internet_search: true } },
    { step: 1, obj: { type: 'search_tool_queries_delta', queries: [text] } },
    {
      step: 1,
      obj: { type: 'search_tool_filter_delta', sources: [text], time_filter_start: null, time_filter_end: null },
    },
    { step: 1, obj: { type: 'search_tool_documents_delta', documents: [document, other] } },
    { step: 2, obj: { type: 'open_url_start' } },
    { step: 2, obj: { type: 'open_url_urls', urls: [text, `javascript:alert(${at})`] } },
    { step: 3, obj: { type: 'custom_tool_start', ...tool } },
    { step: 3, obj: { type: 'custom_tool_args', tool_name: tool.tool_name, tool_args } },
    {
      step: 3,
      obj: { type: 'custom_tool_delta', ...tool, response_type: text, data: { [text]: [text] }, file_ids: null },
    },
    {
      step: 4,
      obj: {
        type: 'file_reader_result',
        file_name: text,
        file_id: text,
        start_char: 0,
        end_char: 1,
        total_chars: 1,
        preview_start: text,
        preview_end: text,
      },
    },
  ]
  yield* steps
  const start = { final_documents: [document, other], pre_answer_processing_seconds: null, extractive_reason: text }
  yield { step: 5, obj: { type: 'message_start', is_extractive: true, ...start } }
  // Cut at arbitrary positions, like a stream.
  for (const content of text.match(/[\s\S]{1,97}/g) ?? []) yield { step: 5, obj: { type: 'message_delta', content } }
  yield { step: 5, obj: { type: 'message_delta', content: `\n\nAnswer ${at} ends [[1]](${text}) [[2]]() here.` } }
  for (const [n, it] of [document, other].entries()) {
    const { document_id, link } = it
    yield {
      step: 5,
      obj: { type: 'citation_info', citation_number: n + 1, document_id, chunk_ind: 0, link, quote: text },
    }
  }
  yield { step: 5, obj: { type: 'token_usage', model: text.slice(0, 60), input_tokens: 1, output_tokens: 1 } }
  if (at % 3 === 0) yield { step: 5, obj: { type: 'error', message: text } }
  yield { step: 5, obj: { type: 'stop', stop_reason: at % 2 === 0 ? text : null } }
}

/** A stream that breaks off. */
function* broken(): Iterable<Said> {
  yield { type: 'message_start', final_documents: null, pre_answer_processing_seconds: null }
  yield { type: 'message_delta', content: 'one, ' }
  yield { type: 'message_delta', content: 'two, ' }
  yield CUT
  yield { type: 'message_delta', content: 'three, ' }
  yield { type: 'message_delta', content: 'four.' }
}

const caseIn = (question: string) => Number(/case (\d+)/.exec(question)?.[1])
const personas = [
  {
    id: 0,
    name: texts[0],
    description: texts[1],
    starter_messages: texts.slice(0, 30).map((it) => ({ name: it, message: it })),
  },
  { id: 1, name: texts[2], description: texts[3], starter_messages: [] },
]
const inBrowser = await openBrowserAt(
  () => startFakeChatApi(({ question }) => (question === 'broken' ? broken() : hostile(caseIn(question))), personas),
  null,
)

/** Finds dangerous elements and attributes that do not belong to the page itself. */
const STRANGERS = `(() => {
  const told = []
  for (const it of document.querySelectorAll('*')) {
    const name = it.localName
    if (/^(script|style|iframe|object|embed|form|base|meta|link|video|audio|source|img|math|template|marquee|portal)$/.test(name)) {
      const isOurs = it.closest('head') !== null || it.matches('img[src="/favicon.svg"], form.composer, form[method=dialog], form.thumb-text, math.formula, body > noscript')
      if (!isOurs) told.push(it.outerHTML.slice(0, 200))
    }
    const isIcon = it.getAttribute('aria-hidden') === 'true' || it.matches('[data-combobox-chevron]')
    if (name === 'svg' && !isIcon) told.push(it.outerHTML.slice(0, 200))
    for (const { name: key, value } of it.attributes) {
      if (/^on/i.test(key) || key === 'ping' || key === 'srcdoc') told.push(key + ' ' + value)
      if (key === 'href' && it.closest('main') && !/^(https?:|mailto:|\\/chat|\\/projects|\\/document\\?id=|\\/api\\/document\\/original\\?document_id=)/.test(value)) told.push('href ' + value)
      if (key === 'src' && value !== '/favicon.svg' && it.closest('head') === null) told.push('src ' + value)
    }
    if (it.matches('main a[target]') && !/noopener noreferrer/.test(it.getAttribute('rel') ?? '')) told.push(it.outerHTML)
  }
  return told
})()`

const ask = async (page: Page, text: string) => {
  await page.getByRole('textbox', { name: 'Ask a question' }).fill(text)
  await page.keyboard.press('Enter')
}
const questionOf = (at: number) => `case ${at} ${texts[at]!.slice(0, 300).replaceAll(/[\0\n\r]/g, ' ')}`

const NOTE_BREACHES =
  'window.breaches = []; addEventListener("securitypolicyviolation", (it) => breaches.push(it.blockedURI))'

async function assertHarmless(page: Page): Promise<void> {
  await page.evaluate('for (const it of document.querySelectorAll("details")) it.open = true')
  await page.evaluate(
    'for (const it of document.querySelectorAll(".cite")) it.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }))',
  )
  await page.waitForLoadState('networkidle')
  assert.deepEqual(await page.evaluate(STRANGERS), [])
  assert.deepEqual(await page.evaluate('breaches'), [])
  await assertFits(page)
  assert.equal(canaryCalls, 0)
}

/** Avoids text locators, which take longer on this page than rendering it. */
async function assertAnswered(page: Page, cases: readonly number[]): Promise<void> {
  await page
    .locator('article[aria-busy=false]')
    .nth(cases.length - 1)
    .waitFor()
  const ends = await page.evaluate(
    '[...document.querySelectorAll("article")].map((it) => /Answer (\\d+) ends/.exec(it.textContent)?.[1])',
  )
  assert.deepEqual(ends, cases.map(String))
}

/** Asks all questions through the API and returns the id of the conversation. */
async function askAll(url: string, cases: readonly number[]): Promise<string> {
  let chat_session_id: string | undefined
  let last: number | null = null
  for (const at of cases) {
    const body = JSON.stringify({
      message: questionOf(at),
      chat_session_id,
      parent_message_id: last,
      file_descriptors: [],
    })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/chat/send-chat-message`, { method: 'POST', headers, body })
    const lines = (await answer.text()).trim().split('\n')
    const [first, second] = lines.map((it) => JSON.parse(it))
    chat_session_id ??= first.chat_session_id
    last = (second.placement === undefined ? second : first).reserved_assistant_message_id
  }
  return chat_session_id!
}

for (let chat = 0; chat < CHATS; chat++) {
  inBrowser(
    `hostile documents and answers are rendered as text, ${chat + 1} of ${CHATS} [X1 X2 X4 X5 X8 X9]`,
    {},
    async ({ page, url }) => {
      const cases = Array.from({ length: COUNT / CHATS }, (_, it) => it * CHATS + chat)
      const id = await askAll(url, cases)
      await page.addInitScript(NOTE_BREACHES)
      await page.goto(`${url}/chat/${id}`)
      await assertAnswered(page, cases)
      await assertHarmless(page)
    },
  )
}

inBrowser('hostile answers are rendered as text while they stream', {}, async ({ page, url }) => {
  await page.addInitScript(NOTE_BREACHES)
  await page.goto(`${url}/chat`)
  const cases: number[] = []
  for (let at = 0; at < COUNT; at += 25) {
    cases.push(at)
    await ask(page, questionOf(at))
    await assertAnswered(page, cases)
  }
  await assertHarmless(page)
})

inBrowser('the page stays accessible with hostile answers at 360 px', { width: 360 }, async ({ page, url }) => {
  await page.goto(`${url}/chat`)
  for (const at of [0, 37, 60]) {
    await ask(page, `case ${at}`)
    await page.getByText(`Answer ${at} ends`).waitFor()
  }
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
  await assertAccessible(page)
  await assertFits(page)
})

inBrowser('a broken stream resumes without loss or repetition', {}, async ({ page, url }) => {
  await page.goto(`${url}/chat`)
  await ask(page, 'broken')
  await page.getByText('one, two, three, four.', { exact: true }).waitFor()
  await page.locator('article[aria-busy=false]').waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
})
