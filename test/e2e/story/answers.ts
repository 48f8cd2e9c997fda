// Search and chat, and what the administrator sets up for them: a model, an agent, a tool, an MCP server.
import assert from 'node:assert/strict'
import { waitFor } from '../../server.ts'
import {
  houseModels,
  OPENING,
  openAdmin,
  openPage,
  region,
  remote,
  STEP_MS,
  type Story,
  site,
  tickets,
} from './company.ts'

/** Types a query on the search page, and loads it again until a result has this title: the index takes a moment. */
export async function found(story: Story, query: string, title: string): Promise<void> {
  await typeQuery(story, query)
  const heading = story.page.getByRole('list', { name: 'Results' }).getByRole('heading', { name: title })
  await waitFor(async () => (await heading.count()) > 0 || reload(story), `the result “${title}”`, STEP_MS)
}

/** The same for a query that finds nothing. */
export async function foundNothing(story: Story, query: string): Promise<void> {
  await typeQuery(story, query)
  const nothing = story.page.getByRole('heading', { name: 'Nothing found' })
  await waitFor(async () => (await nothing.count()) > 0 || reload(story), 'an empty page', STEP_MS)
}

async function typeQuery({ page }: Story, query: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Search' }).fill(query)
  await page.waitForURL((it) => it.searchParams.get('q') === query)
  await page.waitForLoadState('networkidle')
}

async function reload({ page }: Story): Promise<false> {
  await page.reload()
  await page.waitForLoadState('networkidle')
  return false
}

export async function search(story: Story): Promise<void> {
  const { page } = story
  await openPage(story, 'Search')
  await found(story, 'harbour office', 'Opening hours')
  await page.getByRole('radio', { name: 'Past week' }).check()
  await page.waitForURL((it) => it.searchParams.size > 1)
  await page.getByRole('button', { name: 'Clear all filters' }).click()
  await page.getByRole('button', { name: 'Preview Opening hours' }).click()
  await page.getByRole('complementary', { name: 'Preview' }).getByText('opens at nine').first().waitFor()
  const link = page.getByRole('list', { name: 'Results' }).getByRole('link', { name: 'Opening hours' }).first()
  assert.equal(await link.getAttribute('href'), `${site.url}/docs/hours`)
}

export async function ask(story: Story): Promise<void> {
  const { page } = story
  await openPage(story, 'Chat')
  await send(story, 'When does the harbour office open?', 'It opens at nine')
  const citation = page.getByRole('article').last().getByRole('link', { name: 'Source 1: Opening hours' })
  await citation.click()
  const sources = page.getByRole('complementary', { name: 'Sources' })
  await sources.getByRole('list', { name: 'Cited sources' }).getByText(OPENING).waitFor()
}

async function send({ page }: Story, question: string, answer: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Ask a question' }).fill(question)
  await page.keyboard.press('Enter')
  await page.locator('article[aria-busy=false]').last().getByText(answer).first().waitFor()
}

export async function setUpModel(story: Story): Promise<void> {
  const { page } = story
  await openAdmin(story, 'Models')
  await page.getByRole('link', { name: 'Add a provider' }).click()
  await page.getByRole('link', { name: /^Any other server/ }).click()
  await page.getByLabel('Name', { exact: true }).fill('House models')
  await page.getByLabel('Address').fill(houseModels.url)
  await page.getByLabel('API key', { exact: true }).fill('sk-house-0123456789')
  await page.getByRole('button', { name: 'Find models' }).click()
  await page.getByRole('checkbox', { name: 'large', exact: true }).check()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('large answers').waitFor()
  await page.getByRole('button', { name: 'Add provider' }).click()
  await region(story, 'House models').waitFor()
  await page.getByLabel('Answers questions', { exact: true }).selectOption({ label: 'large (House models)' })
  await region(story, 'House models').getByText('Answers questions').waitFor()
}

export async function setUpTool(story: Story): Promise<void> {
  const { page } = story
  await openAdmin(story, 'Tools')
  await page.getByRole('button', { name: 'New tool' }).click()
  await page.getByLabel('OpenAPI definition').fill(JSON.stringify(tickets))
  await page.getByText('A model can call 1 function.').waitFor()
  await page.getByRole('button', { name: 'Create tool' }).click()
  await page.getByRole('heading', { name: 'Tickets', level: 1 }).waitFor()
  const bench = region(story, 'Try it')
  await bench.getByRole('spinbutton', { name: 'id' }).fill('7')
  await bench.getByRole('button', { name: 'Send' }).click()
  await bench.getByText('The printer burns').waitFor()
}

export async function setUpMcpServer(story: Story): Promise<void> {
  const { page } = story
  await openAdmin(story, 'MCP servers')
  await page.getByRole('button', { name: 'New MCP server' }).click()
  const dialog = page.getByRole('dialog', { name: 'New MCP server' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Orders')
  await dialog.getByRole('textbox', { name: 'Address' }).fill(remote.url)
  await dialog.getByRole('button', { name: 'Add server' }).click()
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor()
  await region(story, 'Tools').getByRole('button', { name: 'Read tools' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click()
  await region(story, 'Connection').getByText('Connected', { exact: true }).waitFor()
}

/** An agent with the new tool, whose answer comes from the new model. */
export async function setUpAgent(story: Story): Promise<void> {
  const { page } = story
  await openAdmin(story, 'Agents')
  await page.getByRole('button', { name: 'New agent' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Harbour desk')
  await page.getByLabel('What the agent does').fill('Answer briefly.')
  await page.getByRole('checkbox', { name: 'Tickets' }).check()
  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('heading', { name: 'Harbour desk' }).waitFor()
  await openPage(story, 'Chat')
  await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: 'Harbour desk' })
  await send(story, 'Which printer burns?', 'The house model answers.')
  assert.ok(houseModels.requests.some((it) => JSON.stringify(it.body.tools ?? []).includes('getTicket')))
}
