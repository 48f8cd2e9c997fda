import type { LanguageModels } from '../chat/choose-model.ts'
import type { Talk } from '../chat/talk.ts'
import type { Logger } from '../domain/logger.ts'
import type { Meter } from '../domain/meter.ts'
import type { Subject } from '../domain/subject.ts'
import type { Egress } from '../egress/egress.ts'
import type { AuditLog } from '../identity/audit.ts'
import type { Keys } from '../identity/keys.ts'
import type { Sessions } from '../identity/sessions.ts'
import type { Tokens } from '../identity/tokens.ts'
import type { Embedding } from '../ingestion/embedding.ts'
import type { Indexer } from '../ingestion/indexer.ts'
import type { Puller } from '../ingestion/puller.ts'
import type { RefillWatch } from '../ingestion/refill.ts'
import type { Reindex } from '../ingestion/reindex.ts'
import type { ReindexEstimate } from '../ingestion/reindex-estimate.ts'
import type { Webhooks } from '../ingestion/webhooks.ts'
import type { QueryLog } from '../relevance/query-log.ts'
import type { Replay, ReplayRequest } from '../relevance/replay.ts'
import type { Report, ReportRequest } from '../relevance/report.ts'
import type { Results, Search } from '../retrieval/retrieve.ts'
import type { Suggestions } from '../retrieval/suggest.ts'
import type { Why, WhyQuestion } from '../retrieval/why.ts'
import type { Blobs } from '../store/blobs.ts'
import type { Database } from '../store/database.ts'
import type { FreeSpace } from '../store/free-space.ts'
import type { SecretBox } from '../store/secret-box.ts'
import type { SecretKeys } from '../store/secret-keys.ts'
import type { Tools } from '../tools/load.ts'

/** What routes may call. `main.ts` ties it once. */
export interface Services {
  db: Database
  blobs: Blobs
  secrets: SecretBox
  secretKeys: Omit<SecretKeys, 'box' | 'run'>
  egress: Egress
  /** Whether an administrator may open hosts: the operator decides. */
  approvals: 'on' | 'off'
  /** Refusals are listed a moment after they happen; this is the end of the moment, in this process. */
  refusals: { flush(): Promise<void> }
  indexer: Indexer
  refill: Pick<RefillWatch, 'state'>
  reindex: Omit<Reindex, 'run' | 'wake'>
  estimateReindex: (signal: AbortSignal) => Promise<ReindexEstimate>
  embedding: Pick<Embedding, 'state'>
  disk: Pick<FreeSpace, 'state' | 'check'>
  /** Takes away the documents of pairs that were closed. */
  deletions: { wake(): void }
  puller: Omit<Puller, 'run'>
  tools: Tools
  audit: AuditLog
  webhooks: Pick<Webhooks, 'wake' | 'test'>
  keys: Keys
  tokens: Tokens
  sessions: Sessions
  retrieve: (subject: Subject, search: Omit<Search, 'access' | 'subject'>) => Promise<Results>
  suggest: (subject: Subject, query: string) => Promise<Suggestions>
  languageModels: LanguageModels
  queryLog: QueryLog
  replay: (subject: Subject, request: ReplayRequest, signal: AbortSignal) => Promise<Replay>
  report: (request: ReportRequest, signal: AbortSignal) => Promise<Report>
  why: (subject: Subject, question: Pick<WhyQuestion, 'document_id' | 'query'>) => Promise<Why>
  talk: Omit<Talk, 'run' | 'close'>
  logger: Logger
  meter: Meter
  metrics: { text(): Promise<string> }
  now: () => number
}
