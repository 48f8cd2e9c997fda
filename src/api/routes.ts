// Every route of the program, in the order of the reference.
import type { AnyRoute } from './route.ts'
import { adminSearchRoutes } from './routes/admin-search.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { auditRoutes } from './routes/audit.ts'
import { benchRoutes } from './routes/bench.ts'
import { ccPairRoutes } from './routes/cc-pairs.ts'
import { chatFeedbackRoutes } from './routes/chat-feedback.ts'
import { chatMessageRoutes } from './routes/chat-messages.ts'
import { chatSessionRoutes } from './routes/chat-sessions.ts'
import { connectorFileRoutes } from './routes/connector-files.ts'
import { connectorRecordRoutes } from './routes/connector-records.ts'
import { connectorRoutes } from './routes/connectors.ts'
import { credentialRoutes } from './routes/credentials.ts'
import { documentListRoutes } from './routes/document-lists.ts'
import { documentSetRoutes } from './routes/document-sets.ts'
import { egressRoutes } from './routes/egress.ts'
import { fileRoutes } from './routes/files.ts'
import { ingestionRoutes } from './routes/ingestion.ts'
import { ingestionBatchRoutes } from './routes/ingestion-batch.ts'
import { ingestionRetryRoutes } from './routes/ingestion-retry.ts'
import { judgementRoutes } from './routes/judgements.ts'
import { llmProviderRoutes } from './routes/llm-providers.ts'
import { llmUsageRoutes } from './routes/llm-usage.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { mcpServerAuthRoutes } from './routes/mcp-server-auth.ts'
import { mcpServerRoutes } from './routes/mcp-servers.ts'
import { mcpToolRoutes } from './routes/mcp-tools.ts'
import { mcpUserRoutes } from './routes/mcp-users.ts'
import { type MetricsAccess, metricsRoutes } from './routes/metrics.ts'
import { oauthConfigRoutes } from './routes/oauth-configs.ts'
import { patRoutes } from './routes/pats.ts'
import { personRoutes } from './routes/people.ts'
import { personaListRoutes } from './routes/persona-lists.ts'
import { personaRoutes } from './routes/personas.ts'
import { pullingRoutes } from './routes/pulling.ts'
import { rankingRoutes } from './routes/ranking.ts'
import { referenceRoutes } from './routes/reference.ts'
import { reindexRoutes } from './routes/reindex.ts'
import { relevanceRoutes } from './routes/relevance.ts'
import { screenRoutes } from './routes/screen.ts'
import { searchRoutes } from './routes/search.ts'
import { secretKeyRoutes } from './routes/secret-keys.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { settingsRoutes } from './routes/settings.ts'
import { stateRoutes } from './routes/state.ts'
import { suggestRoutes } from './routes/suggest.ts'
import { toolBenchRoutes } from './routes/tool-bench.ts'
import { toolRoutes } from './routes/tools.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { whyRoutes } from './routes/why.ts'

const allRoutes = (metrics: MetricsAccess): readonly AnyRoute[] => [
  ...ingestionRoutes,
  ...ingestionBatchRoutes,
  ...ingestionRetryRoutes,
  ...documentListRoutes,
  ...screenRoutes,
  ...searchRoutes,
  ...suggestRoutes,
  ...rankingRoutes,
  ...whyRoutes,
  ...judgementRoutes,
  ...relevanceRoutes,
  ...adminSearchRoutes,
  ...connectorRoutes,
  ...pullingRoutes,
  ...connectorRecordRoutes,
  ...connectorFileRoutes,
  ...ccPairRoutes,
  ...credentialRoutes,
  ...documentSetRoutes,
  ...toolRoutes,
  ...toolBenchRoutes,
  ...oauthConfigRoutes,
  ...chatMessageRoutes,
  ...chatSessionRoutes,
  ...chatFeedbackRoutes,
  ...mcpRoutes,
  ...mcpServerRoutes,
  ...mcpServerAuthRoutes,
  ...mcpToolRoutes,
  ...mcpUserRoutes,
  ...personaRoutes,
  ...llmProviderRoutes,
  ...llmUsageRoutes,
  ...personaListRoutes,
  ...fileRoutes,
  ...webhookRoutes,
  ...apiKeyRoutes,
  ...patRoutes,
  ...sessionRoutes,
  ...settingsRoutes,
  ...reindexRoutes,
  ...egressRoutes,
  ...secretKeyRoutes,
  ...auditRoutes,
  ...personRoutes,
  ...stateRoutes,
  ...metricsRoutes(metrics),
]

/** As they are without settings: what the generated documents describe. */
export const routes = allRoutes('key')

export function routesOf({ isBench, metrics }: { isBench: boolean; metrics: MetricsAccess }): readonly AnyRoute[] {
  const served = allRoutes(metrics)
  return [...served, ...referenceRoutes(served), ...(isBench ? benchRoutes : [])]
}
