// The servers of a company that starts with Pharos: two websites, language models, a ticket system and orders.
import { openSite, pageOf } from '../../connectors/site.ts'
import { calls, lists, says, startModelServer } from '../../model/model-server.ts'
import { startRemote } from '../../remote-mcp.ts'
import type { Visit } from '../browser.ts'

export const ANN = 'ann@example.com'
export const BEA = 'bea@example.com'
export const PASSWORD = 'four small words here'
export const OPENING = 'The harbour office opens at nine in the morning.'
/** How long a step may take: other tests run at the same time. */
export const STEP_MS = 120_000
/** One more than the guard of a deletion lets through without a question. */
export const BERTHS = 11

export interface Story extends Visit {
  dataDir: string
}

export const site = await openSite((path) =>
  path === '/api/tickets/7'
    ? { headers: { 'content-type': 'application/json' }, body: '{"state":"The printer burns"}' }
    : undefined,
)
const berths = Array.from({ length: BERTHS }, (_, at) => `/docs/berth-${at}`)
for (const [at, path] of berths.entries()) site.pages.set(path, pageOf(`Berth ${at}`, `Berth ${at} takes small boats.`))
site.pages.set('/docs/hours', pageOf('Opening hours', OPENING))
site.pages.set('/board', pageOf('Board minutes', 'The board sells the lighthouse.'))

export const listBerths = () =>
  site.pages.set('/docs', pageOf('Handbook', 'The heron nests in the reed.', ['/docs/hours', ...berths]))
export const forgetBerths = () => {
  for (const it of berths) site.pages.delete(it)
  site.pages.set('/docs', pageOf('Handbook', 'The heron nests in the tall reed.', ['/docs/hours']))
}
listBerths()

/** Searches first, then cites the page with the opening hours. */
export const model = await startModelServer(({ body: { messages } }) => {
  const last = messages.at(-1)
  if (last.role !== 'tool') return calls({ name: 'internal_search', arguments: { queries: ['harbour office opens'] } })
  const passage = /passage="(\d+)" title="Opening hours"/.exec(String(last.content))?.[1]
  return says(passage === undefined ? 'I do not know.' : `It opens at nine [${passage}].`)
})
/** The models that the administrator connects by form. */
export const houseModels = await startModelServer(({ path }) =>
  path.endsWith('/models') ? lists('small', 'large') : says('The house model answers.'),
)
export const remote = await startRemote()

const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
export const tickets = {
  openapi: '3.0.0',
  info: { title: 'Tickets', description: 'The tickets of the helpdesk' },
  servers: [{ url: `${site.url}/api` }],
  paths: { '/tickets/{id}': { get: { operationId: 'getTicket', summary: 'Reads a ticket', parameters: [id] } } },
}

export const region = ({ page }: Pick<Visit, 'page'>, name: string | RegExp) =>
  page.getByRole('region', { name, ...(typeof name === 'string' && { exact: true }) })
export const rowOf = ({ page }: Pick<Visit, 'page'>, hasText: string) => page.getByRole('row').filter({ hasText })

/** Opens a page of the administration from its navigation, as a person does. */
export async function openAdmin({ page }: Visit, name: string): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Administration' })
  if ((await navigation.count()) === 0) await page.getByRole('link', { name: 'Administration' }).click()
  await navigation.getByRole('link', { name, exact: true }).click()
}

export const openPage = ({ page }: Visit, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
