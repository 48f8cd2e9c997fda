// Ranks one query with the current and with changed settings, as the person who asks. Nothing is switched or recorded.
import type { Access } from '../domain/access.ts'
import { applyRankingUpdate, type RankingSettings, type RankingUpdate } from '../domain/search/ranking.ts'
import type { Subject } from '../domain/subject.ts'
import { type RetrievalDeps, type RetrievalResult, retrieve } from '../retrieval/retrieve.ts'
import { queryKey } from '../store/search/recorded-queries.ts'
import { getRankingSettings } from '../store/settings/ranking-settings.ts'
import { type Comparison, compareRankings } from './compare-rankings.ts'
import { findGrades } from './find-grades.ts'
import { EMBED_TIMEOUT_MS } from './replay.ts'

export interface PreviewRequest {
  query: string
  settings: RankingUpdate
  limit: number
}

export interface PreviewDeps extends RetrievalDeps {
  getAccess: (subject: Subject) => Promise<Access>
}

export interface RankingPreview extends Pick<Comparison, 'grades' | 'ndcg'> {
  current: RetrievalResult[]
  changed: RetrievalResult[]
}

export async function previewRanking(
  deps: PreviewDeps,
  subject: Subject,
  { query, settings, limit }: PreviewRequest,
): Promise<RankingPreview> {
  const access = await deps.getAccess(subject)
  const search = { query, subject, access, filters: {}, offset: 0, limit, isExplained: true }
  const listWith = async (ranking: RankingSettings) =>
    (await retrieve(deps, { ...search, ranking, embedTimeoutMs: EMBED_TIMEOUT_MS })).results
  const stored = await getRankingSettings(deps.db)
  const current = await listWith(stored)
  const changed = await listWith(applyRankingUpdate(stored, settings))
  const idsOf = (results: readonly RetrievalResult[]) => results.map((it) => it.document.id)
  const grades = await findGrades(deps.db, queryKey(query), access)
  const { ndcg } = compareRankings({ current: idsOf(current), changed: idsOf(changed) }, grades)
  return { current, changed, grades, ndcg }
}
