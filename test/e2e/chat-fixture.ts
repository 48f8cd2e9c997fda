// The program with two documents, a persona that creates tickets, and a model whose behaviour the question selects.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import {
  calls,
  DONE,
  fails,
  finish,
  type ModelScript,
  type ScriptStep,
  says,
  startModelServer,
  text,
  usage,
} from '../model/model-server.ts'
import type { Server } from '../server.ts'
import { openBrowser } from './browser.ts'

export const LEAVE = 'Every employee has 30 days of annual leave in a year.'
const CARRIED = 'Up to 10 days of annual leave may be carried over to the next year, until the end of March.'

/** The requests that the ticket server received. */
export const written: { url: string; body: string }[] = []
const tickets = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const it of request) pieces.push(it as Buffer)
  written.push({ url: request.url ?? '', body: Buffer.concat(pieces).toString() })
  response.setHeader('content-type', 'application/json')
  response.end('{"key":"HR-99"}')
})
await new Promise<void>((resolve) => tickets.listen(0, '127.0.0.1', resolve))
after(() => tickets.close())
export const ticketsHost = `127.0.0.1:${(tickets.address() as AddressInfo).port}`

const search = (...queries: string[]): ModelScript => calls({ name: 'internal_search', arguments: { queries } })
const streams = (...steps: ScriptStep[]): ModelScript => ({ steps: [...steps, finish(), usage(1_200, 40), DONE] })

/** The behaviour of the model by a word in the question; `policy` is the number of that passage once it was found. */
const ANSWERS: Record<string, (policy: string | undefined) => ModelScript> = {
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

/** Calls the tool first, then responds to its result. */
const ticket = (isTold: boolean): ModelScript =>
  isTold ? says('That is all.') : calls({ name: 'createTicket', arguments: { body: { title: 'Five days' } } })

export const model = await startModelServer(({ body: { messages } }) => {
  const question = String(messages.findLast((it) => it.role === 'user')?.content)
  if (question.includes('ticket')) return ticket(messages.at(-1)?.role === 'tool')
  const word = Object.keys(ANSWERS).find((it) => question.includes(it))
  const policy = /passage="(\d+)" title="Annual leave policy"/.exec(String(messages.at(-1)?.content))?.[1]
  return word === undefined ? says(`You said: ${question}`) : ANSWERS[word]!(policy)
})

/** Keys with fewer permissions than the administrator, and the id of the persona. */
export const keys = { reader: '', searcher: '' }
export const clerk = { id: 0 }
export const inBrowser = await openBrowser(
  async (server) => {
    const { push, makeKey } = createSetup(createRequester(server))
    const facts = { doc_updated_at: '2026-11-19T09:00:00Z', primary_owners: [{ display_name: 'Ann Ngo' }] }
    for (const [id, title, said] of [
      ['leave', 'Annual leave policy', LEAVE],
      ['carried', 'HR-12: carrying leave over', CARRIED],
    ] as const) {
      const sections = [{ text: said, link: `https://wiki.example.com/${id}#days` }]
      await push(documentOf('', { id, semantic_identifier: title, title, sections, ...facts }))
    }
    keys.reader = await makeKey({ name: 'reader', role: 'basic' })
    keys.searcher = await makeKey({ name: 'searcher', role: 'limited', scopes: ['search'] })
    clerk.id = await makeClerk(server)
    await makeModels(server)
  },
  { ...model.env(), EGRESS_ALLOW: `${ticketsHost},${new URL(model.env().LLM_URL).host}` },
)

/** Two more models beside the one of the environment. */
async function makeModels(server: Server): Promise<void> {
  const model_configurations = ['Second', 'Third'].map((name) => ({ name, display_name: name, is_visible: true }))
  const provider = { name: 'More', provider: 'openai_compatible', api_base: model.env().LLM_URL, api_key: 'key' }
  await createSetup(createRequester(server)).ok('PUT', '/admin/llm/provider?is_creation=true', {
    body: { ...provider, model_configurations },
  })
}

/** A persona with a tool that creates tickets. */
async function makeClerk(server: Server): Promise<number> {
  const { ok } = createSetup(createRequester(server))
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

export const box = (page: Page) => page.getByRole('textbox', { name: 'Ask a question' })
export const answers = (page: Page) => page.getByRole('article')
export const lastAnswer = (page: Page) => answers(page).last()

/** Waits until the answer is complete. */
export async function ask(page: Page, question: string): Promise<void> {
  const before = await answers(page).count()
  await box(page).fill(question)
  await page.keyboard.press('Enter')
  await page.locator('article[aria-busy=false]').nth(before).waitFor()
}
export const open = async (page: Page, url: string) => {
  await page.goto(`${url}/chat`)
  await box(page).waitFor()
}
export const chatIdIn = (page: Page) => new URL(page.url()).pathname.replace('/chat/', '')
