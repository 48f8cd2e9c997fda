import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester, type Requester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { fails, lists, type ModelRequest, says, startModelServer } from '../model/model-server.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES, tryAgain } from './browser.ts'

const KEY = 'sk-0123456789-abcdefghij'
const HOSTILE = '<img src=x onerror=alert(1)>\u202e gpj.exe'

/** Knows its key and two models. */
const answerOf = ({ path, headers, body }: ModelRequest) => {
  if (headers.authorization !== `Bearer ${KEY}`) return fails(401, 'Incorrect API key provided.')
  if (path.endsWith('/models')) return lists('small', 'large')
  return body.model === 'gone' ? fails(404, 'no such model') : says('Yes.')
}
const models = await startModelServer(answerOf)

let ask: Requester
let steps: ReturnType<typeof createSetup>
const inBrowser = await openBrowser(
  async (server: Server) => {
    ask = createRequester(server)
    steps = createSetup(ask)
    await steps.ok('POST', '/manage/admin/user-group', { body: { name: 'Board', user_ids: [], cc_pair_ids: [] } })
  },
  { EGRESS_ALLOW: '127.0.0.1' },
)

const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/models`)
  await page.getByRole('heading', { name: 'Language models', level: 1 }).waitFor()
}
const cardOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
// biome-ignore lint/suspicious/noExplicitAny: each test checks the answer.
type Json = any
const providers = (): Promise<Json> => steps.ok('GET', '/admin/llm/provider')

inBrowser('without a model the page offers the kinds, and what each needs', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('heading', { name: 'Connect your first model' }).waitFor()
  await page.getByRole('link', { name: /^Ollama Runs on your own machine/ }).waitFor()
  await page.getByRole('link', { name: /^OpenAI Needs an API key/ }).waitFor()
  await page.getByRole('heading', { name: 'No tokens were used in this time' }).waitFor()
  await assertAccessible(page)
})

inBrowser('an administrator connects a model: found, tested, saved, the default', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('link', { name: /^Any other server/ }).click()
  await page.getByRole('heading', { name: 'Add a provider: Any other server', level: 1 }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('House models')
  await page.getByLabel('Address').fill(models.url)
  await page.getByLabel('API key', { exact: true }).fill('sk-wrong')
  await page.getByRole('button', { name: 'Find models' }).click()
  await page.getByText('the server of this provider rejected the key').waitFor()
  await page.getByLabel('API key', { exact: true }).fill(KEY)
  await page.getByRole('button', { name: 'Find models' }).click()
  await page.getByRole('checkbox', { name: 'large', exact: true }).check()
  await page.getByRole('checkbox', { name: 'small', exact: true }).check()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('large answers').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Add provider' }).click()
  const card = cardOf(page, 'House models')
  await card.getByText('sk-0...ghij').waitFor()
  await card.getByText('Open to everybody').waitFor()
  const { default_text, providers: stored } = await providers()
  assert.deepEqual(default_text, { provider_id: stored[0].id, model_name: 'large' })
  assert.ok(!(await page.content()).includes(KEY))
  await page.getByRole('button', { name: 'Test the model that answers' }).click()
  await page.getByText('It was asked a short question and answered.').waitFor()
})

inBrowser('a test says what the server answered, and nothing is stored', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/models/add-openai`)
  await page.getByLabel('Address').fill(models.url)
  await page.getByLabel('API key', { exact: true }).fill(KEY)
  await page.getByLabel('Name at the server').fill('gone')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('The model does not respond: the server does not know gone: no such model.').waitFor()
  assert.equal((await providers()).providers.length, 1)
})

inBrowser('an administrator limits a provider to a group, and keeps its key', {}, async ({ page, url }) => {
  await open(page, url)
  await cardOf(page, 'House models').getByRole('link', { name: 'Edit House models' }).click()
  await page.getByText('Stored: sk-0...ghij.').waitFor()
  await page.getByLabel('Name for people (optional)').first().fill('Large model')
  const contexts = page.getByLabel('Context window in tokens')
  assert.deepEqual([await contexts.nth(0).inputValue(), await contexts.nth(1).inputValue()], ['', ''])
  assert.equal(await contexts.nth(0).getAttribute('placeholder'), 'Default: 8,192')
  await contexts.nth(1).fill('4096')
  await page.getByRole('radio', { name: 'Members of some groups' }).check()
  await page.getByRole('checkbox', { name: 'Board' }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const card = cardOf(page, 'House models')
  await card.getByText('Open to: Board').waitFor()
  const { providers: saved } = await providers()
  const configured = saved[0].model_configurations.map((it: Json) => it.configured_max_input_tokens)
  assert.deepEqual(configured, [null, 4_096])
  const row = card.getByRole('row').filter({ hasText: 'Large model' })
  await row.getByText('Answers questions').waitFor()
  await row.getByRole('button', { name: 'Test large' }).click()
  await card.getByText('large answers').waitFor()
})

inBrowser('a change by another person is not lost', {}, async ({ page, url }) => {
  const { providers: before } = await providers()
  await page.goto(`${url}/admin/models/${before[0].id}`)
  await page.getByLabel('Name', { exact: true }).fill('My name')
  await steps.ok('PUT', '/admin/llm/provider', { body: { ...before[0], is_public: true, groups: [] } })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('was changed after you read it').waitFor()
  await page.getByRole('button', { name: 'Discard my changes and load again' }).click()
  await cardOf(page, 'House models').getByText('Open to everybody').waitFor()
})

inBrowser('an administrator chooses the models that answer and that name chats', {}, async ({ page, url }) => {
  await open(page, url)
  const answers = page.getByLabel('Answers questions', { exact: true })
  await answers.selectOption({ label: 'small (House models)' })
  const naming = page.getByLabel('Names chats', { exact: true })
  await naming.selectOption({ label: 'Large model (House models)' })
  const row = (name: string) => cardOf(page, 'House models').getByRole('row').filter({ hasText: name })
  await row('small').getByText('Answers questions').waitFor()
  await row('Large model').getByText('Names chats').waitFor()
  await naming.selectOption({ label: 'The model that answers' })
  await row('Large model').getByText('Names chats').waitFor({ state: 'detached' })
  const { default_text, default_chat_naming } = await providers()
  assert.deepEqual([default_text.model_name, default_chat_naming], ['small', null])
})

inBrowser('an administrator marks a model that reads pictures, and chooses it', {}, async ({ page, url }) => {
  await open(page, url)
  const pictures = page.getByLabel('Reads pictures in chats', { exact: true })
  await page.getByText('Mark a model with “Reads pictures” to choose it here.').waitFor()
  const [{ id }] = (await providers()).providers
  await page.goto(`${url}/admin/models/${id}`)
  await page.getByRole('checkbox', { name: 'Reads pictures' }).first().check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await pictures.selectOption({ label: 'Large model (House models)' })
  const row = cardOf(page, 'House models').getByRole('row').filter({ hasText: 'Large model' })
  await row.getByText('Reads pictures in chats').waitFor()
  assert.equal((await providers()).default_vision.model_name, 'large')
  await pictures.selectOption({ label: 'No model: only text in pictures is read' })
  await row.getByText('Reads pictures in chats').waitFor({ state: 'detached' })
  assert.equal((await providers()).default_vision, null)
})

inBrowser(
  'the tokens that chats use are shown by day, model and key, and can be exported',
  {},
  async ({ page, url }) => {
    await steps.ok('POST', '/chat/send-chat-message', { body: { message: 'Hello', stream: false } })
    await open(page, url)
    const usage = page.getByRole('region', { name: 'Token usage' })
    await usage.getByRole('row').filter({ hasText: 'Key of the operator' }).waitFor()
    await usage.getByRole('row').filter({ hasText: 'small' }).first().waitFor()
    await usage.getByRole('img', { name: /^Tokens per day: \d/ }).waitFor()
    await usage.getByText('Show as a table').click()
    await usage.getByRole('group', { name: 'Tokens per day' }).getByRole('row').nth(1).waitFor()
    await usage.getByRole('button', { name: '90 days' }).click()
    const download = page.waitForEvent('download')
    await usage.getByRole('link', { name: 'Export CSV' }).click()
    assert.equal((await download).suggestedFilename(), 'token-usage.csv')
  },
)

inBrowser('names of strangers are only text', {}, async ({ page, url }) => {
  const model_configurations = [{ name: HOSTILE, display_name: HOSTILE }]
  const body = { name: HOSTILE, provider: HOSTILE, api_base: models.url, api_key: 'k', model_configurations }
  const { id } = await steps.ok('PUT', '/admin/llm/provider?is_creation=true', { body })
  await open(page, url)
  await cardOf(page, HOSTILE).getByRole('row').filter({ hasText: HOSTILE }).waitFor()
  await page.getByRole('link', { name: `Edit ${HOSTILE}` }).click()
  await page.getByLabel('Name at the server').waitFor()
  await assertAccessible(page)
  await open(page, url)
  await page.getByRole('button', { name: `Delete ${HOSTILE}` }).click()
  await page.getByRole('button', { name: 'Delete provider' }).click()
  await cardOf(page, HOSTILE).waitFor({ state: 'detached' })
  assert.ok((await providers()).providers.every((it: { id: number }) => it.id !== id))
})

inBrowser('a person without the right sees that the page is closed', {}, async ({ page, url }) => {
  const key = await steps.makeKey({ name: 'Searcher', role: 'basic' })
  const headers = { 'x-requested-with': 'test' }
  await page.request.post(`${url}/api/auth/session`, { data: { api_key: key }, headers })
  await page.goto(`${url}/admin/models`)
  await page.getByRole('heading', { name: 'You do not have access to the page “Models”' }).waitFor()
})

inBrowser('a failure of the service is shown, and trying again helps', {}, async ({ page, url }) => {
  await page.route('**/api/admin/llm/provider', (it) => it.abort('connectionrefused'))
  await open(page, url)
  const alert = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).first()
  await alert.waitFor()
  await tryAgain(page, alert, '**/api/admin/llm/provider')
  await cardOf(page, 'House models').waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`the models are accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      for (const path of ['', '/add', '/add-anthropic']) {
        await page.goto(`${url}/admin/models${path}`)
        await page.locator('main h1').waitFor()
        await page.locator('main [role=status][aria-label=Loading]').first().waitFor({ state: 'detached' })
        await assertAccessible(page)
        await assertFits(page, path)
        if (process.env.SHOTS !== undefined)
          await page.screenshot({
            path: `${process.env.SHOTS}/models${path.replace('/', '-')}-${scheme}-${width}.png`,
            fullPage: true,
          })
      }
    })
  }
}
