// Every page over 200 hostile items: no script runs, no other origin is called, nothing is wider than the window.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { PAGES } from '../../src/api/http/panel.ts'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { calls, says, startModelServer } from '../model/model-server.ts'
import { pressAll, refuseChanges } from '../pages/press-all.ts'
import { watchRequests } from '../pages/quiet.ts'
import { startRemote } from '../remote-mcp.ts'
import { settled } from '../server.ts'
import { assertFits, NARROW, openBrowser } from './browser.ts'
import { chat, fill, type Made, rank } from './hostile/fill.ts'
import { createPayloads } from './hostile/payloads.ts'

const listen = async (answer: (path: string) => string) => {
  const server = createServer(({ url = '' }, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer(url)),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const canaryCalls: string[] = []
const payloads = createPayloads(await listen((path) => String(canaryCalls.push(path))))
const origin = await listen((path) => JSON.stringify({ [payloads.nameAt(path.length)]: payloads.textAt(path.length) }))
const remote = await startRemote()
remote.more = (server) => {
  server.registerTool('hostile', { title: payloads.nameAt(7), description: payloads.textAt(8) }, () => ({
    content: [],
  }))
}

/** Calls the agent's tool, searches, and then answers with a hostile text. */
let answered = 0
const model = await startModelServer(({ body: { messages, tools = [] } }) => {
  const told = messages.filter((it) => it.role === 'tool').length
  const names: string[] = tools.map((it) => it.function.name)
  const own = names.find((it) => it.startsWith('getThing'))
  if (told === 0 && own !== undefined) return calls({ name: own, arguments: { id: 7 } })
  if (told < 2 && names.includes('internal_search'))
    return calls({ name: 'internal_search', arguments: { queries: [payloads.nameAt(told), 'thing'] } })
  answered += 5
  return says(`${payloads.textAt(answered)}\n\nIt is so [1]. ${payloads.textAt(answered + 1)}`)
})

let made: Made
const inBrowser = await openBrowser(
  async (server) => {
    const setup = createSetup(createRequester(server))
    const place = { setup, payloads, origin, mcpUrl: remote.url, modelUrl: model.url }
    made = await fill(place)
    await settled(server)
    await rank(place, made)
    await chat(place, made)
  },
  { ...model.env(), EGRESS_ALLOW: '127.0.0.1' },
)

/** The ids that stand for a parameter of an address. */
const IDS: Record<string, (made: Made) => readonly string[]> = {
  '/agents/:id': ({ agents }) => agents.slice(0, 2),
  '/chat/:chat_session_id': ({ chats }) => chats,
  '/projects/:project_id': ({ projects }) => projects.slice(0, 2),
  '/admin/connector/:cc_pair_id': ({ connectors }) => connectors.slice(0, 2),
  '/admin/add-connector/:id': () => ['web', 'file'],
  '/admin/documents/:id': ({ documents }) => documents.slice(0, 4).map(encodeURIComponent),
  '/admin/agents/:id': ({ agents }) => agents.slice(0, 2),
  '/admin/tools/:id': ({ tools }) => tools.slice(0, 2),
  '/admin/mcp-servers/:id': ({ mcpServers }) => mcpServers,
  '/admin/oauth-configs/:id': ({ oauthConfigs }) => oauthConfigs.slice(0, 2),
  '/admin/models/:id': ({ providers }) => providers,
  '/admin/groups/:id': ({ groups }) => groups.slice(0, 2),
  '/admin/webhooks/:id': ({ webhooks }) => webhooks.slice(0, 2),
  '/admin/history/:id': ({ chats }) => chats.slice(0, 3),
}
/** Parameters that pages read from their address. */
const QUERIES: Record<string, readonly string[]> = {
  '/': ['', 'q=thing', 'q=hostile+thing', 'q=HOSTILE'],
  '/sign-in': ['next=javascript:alert(window.ran=1)'],
  '/admin/documents': ['', 'order=by_id'],
  '/admin/documents/:id': ['', 'part=text', 'part=passages', 'part=readers'],
  '/admin/ranking': ['', 'query=thing', 'add=pin&query=HOSTILE', 'add=boost&query=HOSTILE'],
  '/admin/relevance': ['', 'query=thing', 'query=HOSTILE'],
  '/oauth-config/callback': ['code=HOSTILE&state=HOSTILE', 'error=HOSTILE&error_description=HOSTILE'],
  '/mcp/oauth/callback': ['code=HOSTILE&state=HOSTILE', 'error=HOSTILE&error_description=HOSTILE'],
}

/** Pages that list what was made, so that an empty page proves nothing. */
const LISTINGS = ['/admin/groups', '/admin/agents', '/admin/documents', '/admin/connectors']

function addressesOf(path: string): string[] {
  const [, parameter] = /(:\w{1,40})/.exec(path) ?? []
  const paths = parameter === undefined ? [path] : IDS[path]!(made).map((it) => path.replace(parameter, it))
  const queries = (QUERIES[path] ?? ['']).map((it) => it.replaceAll('HOSTILE', encodeURIComponent(payloads.nameAt(2))))
  return paths.flatMap((it) => queries.map((query) => (query === '' ? it : `${it}?${query}`)))
}

const NOTE_BREACHES =
  'window.breaches = []; addEventListener("securitypolicyviolation", (it) => breaches.push(it.violatedDirective + " " + it.blockedURI))'
const STRANGERS = [
  ...['script', 'style', 'iframe', 'object', 'embed', 'base', 'meta', 'link', 'video', 'audio', 'template', 'marquee'],
  ...['[onerror]', '[onload]', '[onclick]', '[onfocus]', '[ontoggle]', '[srcdoc]', '[ping]', '[href^="javascript:" i]'],
  ...['[href^="data:" i]', '[href^="vbscript:" i]', '[href^="file:" i]', '[href^="blob:" i]'],
]
  .map((it) => `body ${it}`)
  .join()
const LOOK = `({
  ran: window.ran ?? null,
  breaches: window.breaches,
  strangers: [...document.querySelectorAll(${JSON.stringify(STRANGERS)})].filter((it) => it.closest('noscript') === null && !(it.matches('script[src^="/"]') && it.parentElement === document.body)).map((it) => it.outerHTML.slice(0, 200)),
})`

const HARMLESS = { ran: null, breaches: [], strangers: [] }

async function assertHarmless(page: Page, address: string): Promise<void> {
  await page.evaluate('for (const it of document.querySelectorAll("details")) it.open = true')
  await page.waitForLoadState('networkidle')
  assert.deepEqual(await page.evaluate(LOOK), HARMLESS, address)
  for (const width of [1_440, NARROW]) {
    await page.setViewportSize({ width, height: 900 })
    await assertFits(page, address)
  }
  await page.setViewportSize({ width: 1_440, height: 900 })
  assert.deepEqual(canaryCalls, [], address)
}

for (const path of PAGES)
  inBrowser(`hostile names and texts stay text on ${path} [X1 X2 X8]`, {}, async ({ page, url }) => {
    page.setDefaultTimeout(120_000)
    await page.addInitScript(NOTE_BREACHES)
    for (const address of addressesOf(path)) {
      await page.goto(url + address)
      await page.locator('h1, h2, form').first().waitFor()
      await page.waitForLoadState('networkidle')
      await assertHarmless(page, address)
      if (LISTINGS.includes(path)) await page.getByText('alert(window.ran=1)').first().waitFor({ state: 'attached' })
    }
  })

inBrowser('hostile results are found, previewed, filtered and asked about [X1 X2 X8]', {}, async ({ page, url }) => {
  page.setDefaultTimeout(120_000)
  await page.addInitScript(NOTE_BREACHES)
  await page.goto(url)
  await page.getByRole('textbox', { name: 'Search' }).fill('hostile thing')
  const results = page.getByRole('list', { name: 'Results' })
  await results.getByRole('heading').nth(5).waitFor()
  for (const preview of (await results.getByRole('button', { name: /^Preview / }).all()).slice(0, 8))
    await preview.click()
  await page.getByText('Why this result').first().click()
  await assertHarmless(page, 'the preview')
  await page.goto(`${url}/chat`)
  await page.getByRole('textbox', { name: 'Ask a question' }).fill(`Which thing? ${payloads.textAt(12)}`)
  await page.keyboard.press('Enter')
  await page.locator('article[aria-busy=false]').first().waitFor()
  await assertHarmless(page, 'the chat')
})

/** Pages whose dialogs and menus name what they change. */
const WITH_DIALOGS = [
  ...['/account', '/chat/:chat_session_id', '/projects', '/projects/:project_id', '/agents/:id'],
  ...['agents', 'connectors', 'connector/:cc_pair_id', 'document-sets', 'documents/:id', 'egress', 'groups'].map(
    (it) => `/admin/${it}`,
  ),
  ...[
    'groups/:id',
    'mcp-servers/:id',
    'models',
    'models/:id',
    'oauth-configs/:id',
    'people',
    'ranking',
    'relevance',
  ].map((it) => `/admin/${it}`),
  ...['tools/:id', 'trash', 'webhooks/:id', 'credentials', 'citations', 'screening', 'history/:id'].map(
    (it) => `/admin/${it}`,
  ),
]
let opened = 0
let named = 0

for (const path of WITH_DIALOGS)
  inBrowser(`hostile names stay text in the dialogs and menus of ${path} [X1 X2 X8]`, {}, async ({ page, url }) => {
    await page.addInitScript(NOTE_BREACHES)
    const settle = watchRequests(page)
    // The service refuses each change, with a hostile reason.
    await refuseChanges(page, payloads.textAt(1))
    const [address = path] = addressesOf(path)
    const open = async () => {
      await page.goto(url + address)
      await page.locator('h1, h2, form').first().waitFor()
      await settle()
    }
    const onOpened = async (trigger: { key: string }, { role }: { role: 'dialog' | 'menu' }) => {
      const dialog = page.locator('dialog[open]')
      const look = async (what: string) =>
        assert.deepEqual(await page.evaluate(LOOK), HARMLESS, `${what} of ${trigger.key} on ${address}`)
      await look(`the ${role}`)
      opened += 1
      if (role === 'dialog') {
        if ((await dialog.innerText()).includes('window.ran')) named += 1
        const action = dialog.locator('.dialog-buttons button:enabled').last()
        if ((await action.count()) > 0) await action.press('Enter')
        await settle()
        await look('the refusal')
      }
      if ((await dialog.count()) > 0 || role === 'menu') await page.keyboard.press('Escape')
      await settle()
    }
    await pressAll({ page, open, settle, onOpened, perKind: 2 })
    assert.deepEqual(canaryCalls, [], address)
  })

inBrowser('dialogs with hostile names were opened', { key: null }, async () => {
  assert.ok(opened >= 40 && named >= 15, `${opened} opened, ${named} with a hostile name`)
})
