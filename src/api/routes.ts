// All routes, in the order of the API reference.
import type { AnyRoute } from './route.ts'
import { chatFeedbackRoutes } from './routes/chat/feedback.ts'
import { chatHistoryRoutes } from './routes/chat/history.ts'
import { chatMessageRoutes } from './routes/chat/messages.ts'
import { personaListRoutes } from './routes/chat/persona-lists.ts'
import { personaRoutes } from './routes/chat/personas.ts'
import { projectRoutes } from './routes/chat/projects.ts'
import { chatReaderRoutes } from './routes/chat/readers.ts'
import { removedCitationRoutes } from './routes/chat/removed-citations.ts'
import { savedPromptRoutes } from './routes/chat/saved-prompts.ts'
import { chatSessionRoutes } from './routes/chat/sessions.ts'
import { ingestionBatchRoutes } from './routes/documents/batch.ts'
import { captionRoutes } from './routes/documents/captions.ts'
import { documentDetailRoutes } from './routes/documents/document-details.ts'
import { documentSetRoutes } from './routes/documents/document-sets.ts'
import { documentTextRoutes } from './routes/documents/document-text.ts'
import { hiddenDocumentRoutes } from './routes/documents/hidden.ts'
import { ingestionRoutes } from './routes/documents/ingestion.ts'
import { injectionScanRoutes } from './routes/documents/injection-scan.ts'
import { documentListRoutes } from './routes/documents/lists.ts'
import { originalRoutes } from './routes/documents/original.ts'
import { receiptRoutes } from './routes/documents/receipts.ts'
import { ingestionRetryRoutes } from './routes/documents/retry.ts'
import { transcriptionRoutes } from './routes/documents/transcription.ts'
import { trashRoutes } from './routes/documents/trash.ts'
import { userFileRoutes } from './routes/documents/user-files.ts'
import { accountRoutes } from './routes/identity/accounts.ts'
import { apiKeyRoutes } from './routes/identity/api-keys.ts'
import { auditRoutes } from './routes/identity/audit.ts'
import { invitationRoutes } from './routes/identity/invitations.ts'
import { linkMailRoutes } from './routes/identity/link-mails.ts'
import { personRoutes } from './routes/identity/people.ts'
import { personDetailsRoutes } from './routes/identity/person-details.ts'
import { personalAccessTokenRoutes } from './routes/identity/personal-access-tokens.ts'
import { preferenceRoutes } from './routes/identity/preferences.ts'
import { sessionRoutes } from './routes/identity/sessions.ts'
import { userGroupRoutes } from './routes/identity/user-groups.ts'
import { userNameRoutes } from './routes/identity/user-names.ts'
import { userRoutes } from './routes/identity/users.ts'
import { userCsvRoutes } from './routes/identity/users-csv.ts'
import { mcpEndpointRoutes } from './routes/mcp/endpoint.ts'
import { mcpServerAuthRoutes } from './routes/mcp/server-auth.ts'
import { mcpServerRoutes } from './routes/mcp/servers.ts'
import { mcpToolRoutes } from './routes/mcp/tools.ts'
import { mcpUserRoutes } from './routes/mcp/users.ts'
import { llmDefaultRoutes } from './routes/models/defaults.ts'
import { limitRoutes } from './routes/models/limits.ts'
import { llmProviderRoutes } from './routes/models/providers.ts'
import { searchSettingsRoutes } from './routes/models/search-settings.ts'
import { llmServerTestRoutes } from './routes/models/server-tests.ts'
import { llmUsageRoutes } from './routes/models/usage.ts'
import { alertRoutes } from './routes/operations/alerts.ts'
import { backupRoutes } from './routes/operations/backup.ts'
import { benchRoutes } from './routes/operations/bench.ts'
import { configurationRoutes } from './routes/operations/configuration.ts'
import { egressRoutes } from './routes/operations/egress.ts'
import { type MetricsAccess, metricsRoutes } from './routes/operations/metrics.ts'
import { overviewRoutes } from './routes/operations/overview.ts'
import { recognitionRoutes } from './routes/operations/recognition.ts'
import { referenceRoutes } from './routes/operations/reference.ts'
import { reindexRoutes } from './routes/operations/reindex.ts'
import { secretKeyRoutes } from './routes/operations/secret-keys.ts'
import { settingsRoutes } from './routes/operations/settings.ts'
import { statusRoutes } from './routes/operations/status.ts'
import { unsupportedRoutes } from './routes/operations/unsupported.ts'
import { webhookRoutes } from './routes/operations/webhooks.ts'
import { nearDuplicateRoutes } from './routes/reports/near-duplicates.ts'
import { sensitiveContentRoutes } from './routes/reports/sensitive-content.ts'
import { staleDocumentRoutes } from './routes/reports/stale-documents.ts'
import { scimAdminRoutes } from './routes/scim/admin.ts'
import { scimDiscoveryRoutes } from './routes/scim/discovery.ts'
import { scimGroupRoutes } from './routes/scim/groups.ts'
import { scimSearchRoutes } from './routes/scim/search.ts'
import { scimUserRoutes } from './routes/scim/users.ts'
import { accessReportRoutes } from './routes/search/access-report.ts'
import { adminSearchRoutes } from './routes/search/admin.ts'
import { documentAccessRoutes } from './routes/search/document-access.ts'
import { explainMissingRoutes } from './routes/search/explain-missing.ts'
import { judgementRoutes } from './routes/search/judgements.ts'
import { outlineRoutes } from './routes/search/outline.ts'
import { queryReportRoutes } from './routes/search/query-report.ts'
import { rankingRoutes } from './routes/search/ranking.ts'
import { relevanceRoutes } from './routes/search/relevance.ts'
import { searchRoutes } from './routes/search/search.ts'
import { searchAsRoutes } from './routes/search/search-as.ts'
import { sendSearchMessageRoutes } from './routes/search/send-search-message.ts'
import { suggestRoutes } from './routes/search/suggest.ts'
import { tagRoutes } from './routes/search/tags.ts'
import { verificationRoutes } from './routes/search/verification.ts'
import { ldapRoutes } from './routes/sign-in/ldap.ts'
import { oidcRoutes } from './routes/sign-in/oidc.ts'
import { passkeyRoutes } from './routes/sign-in/passkeys.ts'
import { signInProviderRoutes } from './routes/sign-in/providers.ts'
import { samlRoutes } from './routes/sign-in/saml.ts'
import { samlProviderRoutes } from './routes/sign-in/saml-providers.ts'
import { secondFactorRoutes } from './routes/sign-in/second-factor.ts'
import { accessSyncRoutes } from './routes/sources/access-sync.ts'
import { ccPairRoutes } from './routes/sources/cc-pairs.ts'
import { connectorDraftRoutes } from './routes/sources/connector-drafts.ts'
import { connectorFileRoutes } from './routes/sources/connector-files.ts'
import { connectorRunRoutes } from './routes/sources/connector-runs.ts'
import { connectorRoutes } from './routes/sources/connectors.ts'
import { credentialRoutes } from './routes/sources/credentials.ts'
import { pairDetailRoutes } from './routes/sources/pair-details.ts'
import { readablePairRoutes } from './routes/sources/readable-pairs.ts'
import { storedConnectorRoutes } from './routes/sources/stored-connectors.ts'
import { oauthConfigRoutes } from './routes/tools/oauth-configs.ts'
import { passthroughRoutes } from './routes/tools/passthrough.ts'
import { toolTestingRoutes } from './routes/tools/testing.ts'
import { toolRoutes } from './routes/tools/tools.ts'

const identityRoutes: readonly AnyRoute[] = [
  ...apiKeyRoutes,
  ...personalAccessTokenRoutes,
  ...accountRoutes,
  ...linkMailRoutes,
  ...sessionRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
  ...oidcRoutes,
  ...samlRoutes,
  ...ldapRoutes,
  ...signInProviderRoutes,
  ...samlProviderRoutes,
  ...invitationRoutes,
  ...auditRoutes,
  ...personRoutes,
  ...userRoutes,
  ...personDetailsRoutes,
  ...userNameRoutes,
  ...preferenceRoutes,
  ...userCsvRoutes,
  ...userGroupRoutes,
  ...scimAdminRoutes,
  ...scimDiscoveryRoutes,
  ...scimUserRoutes,
  ...scimGroupRoutes,
  ...scimSearchRoutes,
]

const sourceRoutes: readonly AnyRoute[] = [
  ...connectorRoutes,
  ...connectorDraftRoutes,
  ...connectorRunRoutes,
  ...storedConnectorRoutes,
  ...readablePairRoutes,
  ...connectorFileRoutes,
  ...ccPairRoutes,
  ...pairDetailRoutes,
  ...accessSyncRoutes,
  ...credentialRoutes,
  ...documentSetRoutes,
]

const documentRoutes: readonly AnyRoute[] = [
  ...ingestionRoutes,
  ...receiptRoutes,
  ...ingestionBatchRoutes,
  ...ingestionRetryRoutes,
  ...documentListRoutes,
  ...documentDetailRoutes,
  ...originalRoutes,
  ...documentTextRoutes,
  ...hiddenDocumentRoutes,
  ...trashRoutes,
  ...injectionScanRoutes,
  ...sensitiveContentRoutes,
  ...staleDocumentRoutes,
  ...verificationRoutes,
  ...nearDuplicateRoutes,
]

const allRoutes = (metrics: MetricsAccess): readonly AnyRoute[] => [
  ...documentRoutes,
  ...searchRoutes,
  ...sendSearchMessageRoutes,
  ...suggestRoutes,
  ...outlineRoutes,
  ...tagRoutes,
  ...rankingRoutes,
  ...explainMissingRoutes,
  ...documentAccessRoutes,
  ...searchAsRoutes,
  ...accessReportRoutes,
  ...judgementRoutes,
  ...relevanceRoutes,
  ...queryReportRoutes,
  ...adminSearchRoutes,
  ...sourceRoutes,
  ...toolRoutes,
  ...toolTestingRoutes,
  ...passthroughRoutes,
  ...oauthConfigRoutes,
  ...chatMessageRoutes,
  ...chatSessionRoutes,
  ...chatReaderRoutes,
  ...chatFeedbackRoutes,
  ...chatHistoryRoutes,
  ...removedCitationRoutes,
  ...mcpEndpointRoutes,
  ...mcpServerRoutes,
  ...mcpServerAuthRoutes,
  ...mcpToolRoutes,
  ...mcpUserRoutes,
  ...personaRoutes,
  ...llmProviderRoutes,
  ...llmServerTestRoutes,
  ...llmDefaultRoutes,
  ...llmUsageRoutes,
  ...limitRoutes,
  ...searchSettingsRoutes,
  ...personaListRoutes,
  ...savedPromptRoutes,
  ...userFileRoutes,
  ...projectRoutes,
  ...alertRoutes,
  ...webhookRoutes,
  ...identityRoutes,
  ...settingsRoutes,
  ...configurationRoutes,
  ...reindexRoutes,
  ...egressRoutes,
  ...recognitionRoutes,
  ...transcriptionRoutes,
  ...captionRoutes,
  ...secretKeyRoutes,
  ...backupRoutes,
  ...statusRoutes,
  ...overviewRoutes,
  ...unsupportedRoutes,
  ...metricsRoutes(metrics),
]

/** The routes with default settings, which the generated documents describe. */
export const routes = allRoutes('key')

export function servedRoutes({ isBench, metrics }: { isBench: boolean; metrics: MetricsAccess }): readonly AnyRoute[] {
  const served = allRoutes(metrics)
  return [...served, ...referenceRoutes(served), ...(isBench ? benchRoutes : [])]
}
