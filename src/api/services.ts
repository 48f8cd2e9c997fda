import type { Alerts } from '../alerts/alerts.ts'
import type { LanguageModels } from '../chat/models/language-models.ts'
import type { Chats } from '../chat/session/chats.ts'
import type { Chunk } from '../domain/chunk.ts'
import type { SourceFacts } from '../domain/connector.ts'
import type { Logger } from '../domain/logger.ts'
import type { Meter } from '../domain/meter.ts'
import type { SearchScope } from '../domain/search/query.ts'
import type { OperatorSetting } from '../domain/settings.ts'
import type { Subject } from '../domain/subject.ts'
import type { Egress } from '../egress/egress.ts'
import type { AuditLog } from '../identity/audit-log.ts'
import type { PersonSubject } from '../identity/explain-access.ts'
import type { AccessTokens } from '../identity/keys/access-tokens.ts'
import type { ApiKeys } from '../identity/keys/api-keys.ts'
import type { CallTokens } from '../identity/keys/call-tokens.ts'
import type { ScimTokens } from '../identity/keys/scim-tokens.ts'
import type { Passkeys } from '../identity/passkeys/passkeys.ts'
import type { AccountLinks } from '../identity/passwords/account-links.ts'
import type { Accounts } from '../identity/passwords/accounts.ts'
import type { LinkRequests } from '../identity/passwords/link-requests.ts'
import type { AccessReports } from '../identity/report/access-reports.ts'
import type { RequestLimits } from '../identity/request-limits.ts'
import type { SecondFactors } from '../identity/second-factor/second-factors.ts'
import type { Sessions } from '../identity/sessions.ts'
import type { ListServerModels } from '../inference/model-settings.ts'
import type { DocumentLanguages } from '../ingestion/embed/document-languages.ts'
import type { Embedding } from '../ingestion/embed/embedding.ts'
import type { Indexer } from '../ingestion/index/indexer.ts'
import type { MadeTexts } from '../ingestion/make-texts/made-texts.ts'
import type { ConnectorRunner } from '../ingestion/pull/connector-runner.ts'
import type { Readiness } from '../ingestion/readiness.ts'
import type { Recognition } from '../ingestion/recognise/recognition.ts'
import type { ReindexEstimate } from '../ingestion/reindex/estimate.ts'
import type { RebuildTracker } from '../ingestion/reindex/rebuild-tracker.ts'
import type { Reindex } from '../ingestion/reindex/reindex.ts'
import type { Webhooks } from '../ingestion/webhooks/webhooks.ts'
import type { Mail } from '../mail/mail.ts'
import type { PreviewRequest, RankingPreview } from '../relevance/preview-ranking.ts'
import type { QueryLog } from '../relevance/query-log.ts'
import type { ReplayReport, ReplayRequest } from '../relevance/replay.ts'
import type { SearchReport, SearchReportRequest } from '../relevance/report.ts'
import type { ContextWindow } from '../retrieval/context-windows.ts'
import type { DocumentAccess } from '../retrieval/document-access.ts'
import type { MissingExplanation, MissingQuestion } from '../retrieval/explain-missing.ts'
import type { RetrievalRequest, RetrievalResults } from '../retrieval/retrieve.ts'
import type { Suggestions } from '../retrieval/suggest.ts'
import type { FoundSource, FoundTag, TagQuery } from '../retrieval/tags.ts'
import type { HeaderSignIn } from '../sign-in/header-sign-in.ts'
import type { LdapSignIns } from '../sign-in/ldap/ldap-sign-ins.ts'
import type { OidcSignIns } from '../sign-in/oidc/oidc-sign-ins.ts'
import type { SamlSignIns } from '../sign-in/saml/saml-sign-ins.ts'
import type { DownloadTickets } from '../store/backup/download-tickets.ts'
import type { KeptBackups } from '../store/backup/kept-backups.ts'
import type { Database } from '../store/database/database.ts'
import type { DocumentAccessFacts } from '../store/documents/access-facts.ts'
import type { Blobs } from '../store/files/blobs.ts'
import type { FreeSpaceMonitor } from '../store/record/free-space.ts'
import type { RecordGuard } from '../store/record/record-guard.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { SecretKeys } from '../store/secrets/secret-keys.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'

/** All services. A route names those that it uses (`services` in `route.ts`); only the server and `app/` see the whole. */
export interface Services {
  db: Database
  blobs: Blobs
  secrets: SecretBox
  secretKeys: Omit<SecretKeys, 'box' | 'run'>
  backups: Omit<KeptBackups, 'run' | 'newestAt'>
  backupTickets: DownloadTickets
  egress: Egress
  /** Whether administrators may approve hosts for egress; a setting of the operator. */
  hostApprovals: 'on' | 'off'
  /** The settings of the environment, without secrets. */
  operatorSettings: readonly OperatorSetting[]
  program: { version: string; node_version: string; database: 'sqlite' | 'postgresql' }
  /** Writes the buffered egress refusals of this process to the store. */
  egressRefusals: { flush(): Promise<void> }
  indexer: Indexer
  documentLanguages: () => Promise<DocumentLanguages>
  indexRebuild: Pick<RebuildTracker, 'state'>
  readiness: Readiness
  reindex: Omit<Reindex, 'run' | 'wake'>
  estimateReindex: (signal: AbortSignal) => Promise<ReindexEstimate>
  embedding: Pick<Embedding, 'state' | 'models'>
  disk: Pick<FreeSpaceMonitor, 'state' | 'check'>
  record: Pick<RecordGuard, 'state'>
  /** Wakes the job that deletes the documents of deleted pairs. */
  deletions: { wake(): void }
  connectorRunner: Omit<ConnectorRunner, 'run'>
  recognition: Omit<Recognition, 'run'>
  /** The transcripts of recordings. */
  transcripts: Omit<MadeTexts, 'run'>
  /** The captions of pictures. */
  captions: Omit<MadeTexts, 'run'>
  /** Wakes the search for sensitive content. */
  sensitiveContent: { wake(): void }
  sourceFacts: SourceFacts
  tools: ToolRegistry
  audit: AuditLog
  accessReports: Pick<AccessReports, 'start' | 'state'>
  alerts: Pick<Alerts, 'check'>
  webhooks: Pick<Webhooks, 'wake' | 'test'>
  keys: ApiKeys
  tokens: AccessTokens
  callTokens: CallTokens
  scimTokens: ScimTokens
  sessions: Sessions
  headerSignIn: HeaderSignIn
  requestLimits: RequestLimits
  accounts: Accounts
  mail: Pick<Mail, 'isConfigured' | 'send'>
  linkRequests: Omit<LinkRequests, 'close'>
  /** Whether the first person may register without a link; a setting of the operator. */
  openRegistration: 'off' | 'first'
  oidc: OidcSignIns
  ldap: LdapSignIns
  saml: SamlSignIns
  accountLinks: Omit<AccountLinks, 'createFirstAdminIfNeeded' | 'expire'>
  secondFactors: Omit<SecondFactors, 'check'>
  passkeys: Omit<Passkeys, 'expire'>
  retrieve: (subject: Subject, search: Omit<RetrievalRequest, 'access' | 'subject'>) => Promise<RetrievalResults>
  /** The chunk in the index; undefined if the subject may not read its document or the index has no such chunk. */
  readChunk: (subject: Subject, id: ContextWindow['anchor']) => Promise<Chunk | undefined>
  suggest: (subject: Subject, query: string, scope: SearchScope) => Promise<Suggestions>
  tags: (subject: Subject, query: TagQuery) => Promise<FoundTag[]>
  /** How many documents the subject may read, by cc-pair. */
  countByPair: (subject: Subject) => Promise<ReadonlyMap<number, number>>
  readableSources: (subject: Subject) => Promise<FoundSource[]>
  languageModels: LanguageModels
  listServerModels: ListServerModels
  queryLog: QueryLog
  replay: (subject: Subject, request: ReplayRequest, signal: AbortSignal) => Promise<ReplayReport>
  previewRanking: (subject: Subject, request: PreviewRequest) => Promise<RankingPreview>
  report: (request: SearchReportRequest, signal: AbortSignal) => Promise<SearchReport>
  explainMissing: (
    subject: Subject,
    question: Pick<MissingQuestion, 'document_id' | 'query'>,
  ) => Promise<MissingExplanation>
  explainAccess: (person: PersonSubject, document: DocumentAccessFacts) => Promise<DocumentAccess>
  chats: Omit<Chats, 'runMaintenance' | 'close'>
  logger: Logger
  meter: Meter
  metrics: { text(): Promise<string> }
  now: () => number
}

export type ServiceName = keyof Services
