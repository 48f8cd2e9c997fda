// Which queries did a change move, as somebody may see them who may not read everything?
import { type Access, mayRead, tokensOf } from '../domain/access.ts'
import type { Queries } from '../store/database.ts'
import { type DocumentSummary, findDocuments } from '../store/documents.ts'
import { countPeople } from '../store/recorded-queries.ts'
import { getSettings } from '../store/settings.ts'
import { type Comparison, gainOf, isMoved } from './compare.ts'
import type { Question } from './questions.ts'

export interface Tried {
  question: Question
  compared: Comparison
}

export interface ListedDocument {
  document_id: string
  semantic_identifier: string
  /** Null where nobody has said anything of it. */
  grade: number | null
}

export interface ListedQuery extends Pick<Comparison, 'ndcg' | 'overlap' | 'difference'> {
  query: string
  current: ListedDocument[]
  changed: ListedDocument[]
}

export interface Listed {
  worse_queries: ListedQuery[]
  /** Of which nothing is known to fit, and that changed most. */
  moved_queries: ListedQuery[]
  /** Queries that belong into these lists, but too few people asked them. */
  withheld: number
}

/** Queries that are shown, in each list. */
const SHOWN = 20

/** `access` is that of whoever reads it. */
export async function listed(db: Queries, tried: readonly Tried[], access: Access): Promise<Listed> {
  const { query_min_people } = await getSettings(db)
  const show = async (candidates: readonly Tried[]) => {
    const shown: ListedQuery[] = []
    let withheld = 0
    for (const it of candidates) {
      const isShown = it.question.isKnown || (await countPeople(db, it.question.query_key)) >= query_min_people
      if (!isShown) withheld += 1
      else if (shown.length < SHOWN) shown.push(await listedQuery(db, it, access))
    }
    return { shown, withheld }
  }
  const worse = await show(
    tried.filter((it) => gainOf(it.compared) < 0).sort((a, b) => gainOf(a.compared) - gainOf(b.compared)),
  )
  const moved = await show(
    tried
      .filter(({ compared }) => compared.ndcg === null && isMoved(compared))
      .sort((a, b) => b.compared.difference - a.compared.difference),
  )
  return { worse_queries: worse.shown, moved_queries: moved.shown, withheld: worse.withheld + moved.withheld }
}

/** Both lists without the documents that whoever tries the change may not read. */
async function listedQuery(db: Queries, { question, compared }: Tried, access: Access): Promise<ListedQuery> {
  const { lists, grades, ndcg, overlap, difference } = compared
  const documents = await readable(db, [...new Set([...lists.current, ...lists.changed])], access)
  const listOf = (ids: readonly string[]) =>
    ids.flatMap((id): ListedDocument[] => {
      const document = documents.get(id)
      if (document === undefined) return []
      const { semantic_identifier } = document
      return [{ document_id: id, semantic_identifier, grade: grades.get(id) ?? null }]
    })
  const { query } = question
  return { query, ndcg, overlap, difference, current: listOf(lists.current), changed: listOf(lists.changed) }
}

/** Those of these documents that may be read with it. */
export async function readable(
  db: Queries,
  ids: readonly string[],
  access: Access,
): Promise<Map<string, DocumentSummary>> {
  const documents = ids.length === 0 ? [] : await findDocuments(db, ids)
  return new Map(
    documents
      .filter((it) => mayRead(access, tokensOf(it.external_access, it.cc_pair_ids)))
      .map((it) => [it.id, it] as const),
  )
}
