// Search, and what it remembers of queries to measure the ranking.
import type { Services } from '../../api/services.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import type { BackgroundLoop } from '../../flow/background-loop.ts'
import { embedderForVectors } from '../../ingestion/embed/next-model.ts'
import { createClickCounter } from '../../relevance/click-counter.ts'
import { previewRanking } from '../../relevance/preview-ranking.ts'
import { openQueryLog, type QueryLog } from '../../relevance/query-log.ts'
import { replay } from '../../relevance/replay.ts'
import { reportSearches } from '../../relevance/report.ts'
import { createSearch, type Search, type SearchDeps } from '../../retrieval/search.ts'
import type { Database } from '../../store/database/database.ts'
import { insertRecordedQueries } from '../../store/search/recorded-queries.ts'
import type { Identity } from './identity.ts'
import type { Indexing } from './indexing.ts'

export interface SearchPart {
  search: Search
  queryLog: QueryLog
  clickCounter: BackgroundLoop
  replay: Services['replay']
  previewRanking: Services['previewRanking']
  report: Services['report']
  close(): Promise<void>
}

interface SearchPartDeps {
  db: Database
  logger: Logger
  now: () => number
  meter: Meter
  baseUrl: string
  indexing: Pick<Indexing, 'generations' | 'embedders'>
  keys: Pick<Identity['keys'], 'findSubject'>
}

export function openSearch({ db, logger, now, meter, baseUrl, indexing, keys }: SearchPartDeps): SearchPart {
  const { generations, embedders } = indexing
  const embedderFor: SearchDeps['embedderFor'] = (vectors) => embedderForVectors(embedders, vectors)
  const search = createSearch({ db, logger, now, meter, baseUrl, generations, embedderFor })
  const queryLog = openQueryLog({ write: (queries) => insertRecordedQueries(db, queries), logger })
  return {
    search,
    queryLog,
    clickCounter: createClickCounter({ db, logger, now }),
    replay: (subject, request, signal) =>
      search.lease((leased) =>
        replay({ ...leased, queryLog, findSubject: keys.findSubject }, subject, request, signal),
      ),
    previewRanking: (subject, request) => search.lease((leased) => previewRanking(leased, subject, request)),
    report: (request, signal) => reportSearches({ db, now, queryLog }, request, signal),
    close: () => queryLog.flush(),
  }
}
