// The pages of the administration area, in the order of its navigation. A new page takes one entry here, and one line in
// `PAGES` of src/api/http/panel.ts; a test compares them.
import type { AsyncRouteComponent } from '@tanstack/react-router'
import type { UserInfo } from '../../../src/client/schemas.ts'
import { lazyPage as load } from '../parts/lazy-page.ts'
import { hasPermission } from '../session.ts'
import type en from '../text/en.json'

export interface AdminPage {
  /** The address is `/admin/` and the name. Its label in the navigation is the text `admin.pages` of this name. */
  name: keyof typeof en.admin.pages
  /** The part of the navigation that lists it. */
  section: AdminSection
  /** A permission of `getMe`, without which the page only says that it is closed. */
  right: 'admin' | 'manage:connectors' | 'read:user_groups' | 'ingest'
  /** Whether the address may continue with the id of an object. */
  hasObjects?: true
  /** Loaded on demand, so that the search page stays light. */
  component: AsyncRouteComponent<AdminPageProps>
}

export interface AdminPageProps {
  /** The id of an object, if the address has one. */
  id?: string | undefined
}

/** The parts of the navigation, in their order. Their headings are the texts `admin.sections`; the first part has none. */
export const ADMIN_SECTIONS = ['start', 'sources', 'search', 'answers', 'people', 'operations'] as const
export type AdminSection = (typeof ADMIN_SECTIONS)[number]

export const ADMIN_PAGES: readonly AdminPage[] = [
  {
    ...{ name: 'overview', section: 'start', right: 'manage:connectors' },
    component: load(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
  },
  {
    ...{ name: 'connectors', section: 'sources', right: 'manage:connectors' },
    component: load(() => import('../pages/connectors/connectors-page.tsx'), 'ConnectorsPage'),
  },
  {
    ...{ name: 'add-connector', section: 'sources', right: 'manage:connectors', hasObjects: true },
    component: load(() => import('../pages/add-connector/add-connector-page.tsx'), 'AddConnectorPage'),
  },
  {
    ...{ name: 'credentials', section: 'sources', right: 'manage:connectors' },
    component: load(() => import('../pages/credentials/credentials-page.tsx'), 'CredentialsPage'),
  },
  {
    ...{ name: 'document-sets', section: 'sources', right: 'manage:connectors' },
    component: load(() => import('../pages/document-sets/document-sets-page.tsx'), 'DocumentSetsPage'),
  },
  {
    ...{ name: 'ingestion', section: 'sources', right: 'ingest' },
    component: load(() => import('../pages/ingestion/ingestion-page.tsx'), 'IngestionPage'),
  },
  {
    ...{ name: 'documents', section: 'sources', right: 'ingest', hasObjects: true },
    component: load(() => import('../pages/documents/documents-page.tsx'), 'DocumentsPage'),
  },
  {
    ...{ name: 'trash', section: 'sources', right: 'ingest' },
    component: load(() => import('../pages/trash/trash-page.tsx'), 'TrashPage'),
  },
  {
    ...{ name: 'screening', section: 'sources', right: 'manage:connectors' },
    component: load(() => import('../pages/screening/screening-page.tsx'), 'ScreeningPage'),
  },
  {
    ...{ name: 'sensitive-content', section: 'sources', right: 'admin' },
    component: load(() => import('../pages/sensitive-content/sensitive-content-page.tsx'), 'SensitiveContentPage'),
  },
  {
    ...{ name: 'stale-documents', section: 'sources', right: 'manage:connectors' },
    component: load(() => import('../pages/stale-documents/stale-documents-page.tsx'), 'StaleDocumentsPage'),
  },
  {
    ...{ name: 'near-duplicates', section: 'sources', right: 'admin' },
    component: load(() => import('../pages/near-duplicates/near-duplicates-page.tsx'), 'NearDuplicatesPage'),
  },
  {
    ...{ name: 'analytics', section: 'search', right: 'admin' },
    component: load(() => import('../pages/analytics/analytics-page.tsx'), 'AnalyticsPage'),
  },
  {
    ...{ name: 'relevance', section: 'search', right: 'admin' },
    component: load(() => import('../pages/relevance/relevance-page.tsx'), 'RelevancePage'),
  },
  {
    ...{ name: 'ranking', section: 'search', right: 'admin' },
    component: load(() => import('../pages/ranking/ranking-page.tsx'), 'RankingPage'),
  },
  {
    ...{ name: 'embedding', section: 'search', right: 'admin' },
    component: load(() => import('../pages/embedding/embedding-page.tsx'), 'EmbeddingPage'),
  },
  {
    ...{ name: 'models', section: 'answers', right: 'admin', hasObjects: true },
    component: load(() => import('../pages/models/models-page.tsx'), 'ModelsPage'),
  },
  {
    ...{ name: 'agents', section: 'answers', right: 'admin', hasObjects: true },
    component: load(() => import('../pages/agents/admin-agents-page.tsx'), 'AdminAgentsPage'),
  },
  {
    ...{ name: 'tools', section: 'answers', right: 'admin', hasObjects: true },
    component: load(() => import('../pages/tools/tools-page.tsx'), 'ToolsPage'),
  },
  {
    ...{ name: 'mcp-servers', section: 'answers', right: 'admin', hasObjects: true },
    component: load(() => import('../pages/mcp-servers/mcp-servers-page.tsx'), 'McpServersPage'),
  },
  {
    ...{ name: 'oauth-configs', section: 'answers', right: 'admin', hasObjects: true },
    component: load(() => import('../pages/oauth-configs/oauth-configs-page.tsx'), 'OauthConfigsPage'),
  },
  {
    ...{ name: 'citations', section: 'answers', right: 'admin' },
    component: load(() => import('../pages/citations/citations-page.tsx'), 'CitationsPage'),
  },
  {
    ...{ name: 'people', section: 'people', right: 'admin' },
    component: load(() => import('../pages/people/people-page.tsx'), 'PeoplePage'),
  },
  {
    ...{ name: 'groups', section: 'people', right: 'read:user_groups', hasObjects: true },
    component: load(() => import('../pages/groups/groups-page.tsx'), 'GroupsPage'),
  },
  {
    ...{ name: 'registration', section: 'people', right: 'admin' },
    component: load(() => import('../pages/people/registration-page.tsx'), 'RegistrationPage'),
  },
  {
    ...{ name: 'sign-in', section: 'people', right: 'admin' },
    component: load(() => import('../pages/sign-in-providers/providers-page.tsx'), 'ProvidersPage'),
  },
  {
    ...{ name: 'scim', section: 'people', right: 'admin' },
    component: load(() => import('../pages/scim/scim-page.tsx'), 'ScimPage'),
  },
  {
    ...{ name: 'access', section: 'people', right: 'admin' },
    component: load(() => import('../pages/access/access-page.tsx'), 'AccessPage'),
  },
  {
    ...{ name: 'limits', section: 'people', right: 'admin' },
    component: load(() => import('../pages/limits/limits-page.tsx'), 'LimitsPage'),
  },
  {
    ...{ name: 'settings', section: 'operations', right: 'admin' },
    component: load(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
  },
  {
    ...{ name: 'history', section: 'operations', right: 'admin', hasObjects: true },
    component: load(() => import('../pages/history/history-page.tsx'), 'HistoryPage'),
  },
  {
    ...{ name: 'egress', section: 'operations', right: 'admin' },
    component: load(() => import('../pages/egress/egress-page.tsx'), 'EgressPage'),
  },
  {
    ...{ name: 'webhooks', section: 'operations', right: 'admin', hasObjects: true },
    component: load(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  },
  {
    ...{ name: 'secret-keys', section: 'operations', right: 'admin' },
    component: load(() => import('../pages/secret-keys/secret-keys-page.tsx'), 'SecretKeysPage'),
  },
  {
    ...{ name: 'backup', section: 'operations', right: 'admin' },
    component: load(() => import('../pages/backup/backup-page.tsx'), 'BackupPage'),
  },
  {
    ...{ name: 'audit', section: 'operations', right: 'admin' },
    component: load(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
  },
  {
    ...{ name: 'about', section: 'operations', right: 'admin' },
    component: load(() => import('../pages/about/about-page.tsx'), 'AboutPage'),
  },
]

export const allowedPages = (me: UserInfo | undefined): readonly AdminPage[] =>
  ADMIN_PAGES.filter((it) => hasPermission(me, it.right))
