// The pages and their states. A new page takes a line here; a test compares the list with the pages of the program.
import type { Page } from 'playwright-core'
import type { Filled } from './filled.ts'

export interface State {
  /** The name of the picture. */
  name: string
  path: (ids: Filled) => string
  /** Null for pages that are seen before the sign-in. */
  key?: null
  /** Prepares the page before it is opened, for example an answer that fails. */
  before?: (page: Page) => Promise<unknown>
  /** Opens a dialog or a menu, or types. */
  act?: (page: Page) => Promise<unknown>
}

const at = (path: string) => () => path
/** Every call of the API fails but the ones that the frame of the page needs. */
const failing = (page: Page) =>
  page.route(/\/api\/(?!me$|settings$|auth\/|health)/, (route) =>
    route.fulfill({ status: 500, json: { error_code: 'INTERNAL', detail: 'The record cannot be read.' } }),
  )

async function openHelp(page: Page): Promise<void> {
  await page.locator('.shell-brand').focus()
  await page.keyboard.press('?')
  await page.locator('dialog[open]').waitFor()
}

const ADMIN = [
  'overview',
  'add-connector',
  'credentials',
  'connectors',
  'ingestion',
  'documents',
  'trash',
  'document-sets',
  'agents',
  'tools',
  'mcp-servers',
  'oauth-configs',
  'analytics',
  'relevance',
  'ranking',
  'models',
  'citations',
  'embedding',
  'people',
  'groups',
  'registration',
  'sign-in',
  'scim',
  'access',
  'limits',
  'egress',
  'webhooks',
  'secret-keys',
  'backup',
  'audit',
  'settings',
  'screening',
  'sensitive-content',
  'stale-documents',
  'near-duplicates',
  'history',
  'about',
]

export const STATES: readonly State[] = [
  { name: 'search', path: at('/') },
  { name: 'search results', path: at('/?q=annual+leave') },
  { name: 'search without result', path: at('/?q=zzyzx+qqq') },
  { name: 'search fails', path: at('/?q=annual+leave'), before: failing },
  { name: 'keyboard help', path: at('/'), act: openHelp },
  { name: 'chat', path: at('/chat') },
  { name: 'chat with an answer', path: ({ ownChat }) => `/chat/${ownChat}` },
  { name: 'agents', path: at('/agents') },
  { name: 'agents new', path: at('/agents/new') },
  { name: 'agents fails', path: at('/agents'), before: failing },
  { name: 'projects', path: at('/projects') },
  { name: 'project', path: ({ project }) => `/projects/${project}` },
  { name: 'project fails', path: ({ project }) => `/projects/${project}`, before: failing },
  { name: 'document', path: ({ documentId }) => `/document?id=${encodeURIComponent(documentId)}&chunk=0` },
  { name: 'document missing', path: at('/document?id=nothing') },
  {
    name: 'document fails',
    path: ({ documentId }) => `/document?id=${encodeURIComponent(documentId)}`,
    before: failing,
  },
  { name: 'sources', path: at('/sources') },
  { name: 'sources fail', path: at('/sources'), before: failing },
  { name: 'own documents', path: at('/my-documents') },
  { name: 'own documents fail', path: at('/my-documents'), before: failing },
  { name: 'account', path: at('/account') },
  { name: 'sign-in', path: at('/sign-in'), key: null },
  { name: 'forgot password', path: at('/forgot-password'), key: null },
  { name: 'register', path: at('/register'), key: null },
  { name: 'welcome', path: at('/welcome'), key: null },
  { name: 'not found', path: at('/no/such/page') },
  { name: 'admin', path: at('/admin') },
  ...ADMIN.map((it) => ({ name: `admin ${it}`, path: at(`/admin/${it}`) })),
  { name: 'admin add website', path: at('/admin/add-connector/web') },
  { name: 'admin add files', path: at('/admin/add-connector/file') },
  { name: 'admin connector', path: ({ pair }) => `/admin/connector/${pair}` },
  { name: 'admin connector failing', path: ({ failingPair }) => `/admin/connector/${failingPair}` },
  { name: 'admin model kinds', path: at('/admin/models/add') },
  { name: 'admin new provider', path: at('/admin/models/add-openai') },
  { name: 'admin document', path: ({ documentId }) => `/admin/documents/${encodeURIComponent(documentId)}` },
  { name: 'admin agent', path: ({ agent }) => `/admin/agents/${agent}` },
  { name: 'admin webhook', path: ({ webhook }) => `/admin/webhooks/${webhook}` },
  { name: 'admin new tool', path: at('/admin/tools/new') },
  { name: 'admin tool', path: ({ tool }) => `/admin/tools/${tool}` },
  { name: 'admin MCP server', path: ({ mcpServer }) => `/admin/mcp-servers/${mcpServer}` },
  { name: 'admin OAuth configuration', path: ({ oauthConfig }) => `/admin/oauth-configs/${oauthConfig}` },
  { name: 'admin ranking preview', path: at('/admin/ranking?query=annual+leave') },
  { name: 'admin ranking pin', path: at('/admin/ranking?add=pin&query=annual+leave') },
  { name: 'admin relevance query', path: at('/admin/relevance?query=annual+leave') },
  ...['text', 'passages', 'readers', 'why'].map((part) => ({
    name: `admin document ${part}`,
    path: ({ documentId }: Filled) => `/admin/documents/${encodeURIComponent(documentId)}?part=${part}`,
  })),
  { name: 'admin documents by id', path: at('/admin/documents?order=by_id') },
  { name: 'admin chat', path: ({ chatId }) => `/admin/history/${chatId}` },
  { name: 'admin group', path: ({ group }) => `/admin/groups/${group}` },
  ...ADMIN.map((it) => ({ name: `admin ${it} fails`, path: at(`/admin/${it}`), before: failing })),
]

export const EMPTY_STATES: readonly State[] = [
  { name: 'search empty', path: at('/') },
  { name: 'chat empty', path: at('/chat') },
  { name: 'projects empty', path: at('/projects') },
  { name: 'sources empty', path: at('/sources') },
  ...ADMIN.map((it) => ({ name: `admin ${it} empty`, path: at(`/admin/${it}`) })),
]
