import type { Access } from '../domain/access.ts'
import { gradeDocuments } from '../domain/search/relevance.ts'
import type { Queryable } from '../store/database/database.ts'
import { findQueryJudgements } from '../store/search/judgements.ts'
import { findReadableDocuments } from './readable-documents.ts'

/** The grades of documents that `access` may read, for a query. */
export async function findGrades(db: Queryable, query_key: string, access: Access): Promise<Map<string, number>> {
  const { byHand, feedback } = await findQueryJudgements(db, query_key)
  const grades = gradeDocuments(byHand, feedback)
  const documents = await findReadableDocuments(db, [...grades.keys()], access)
  return new Map([...grades].filter(([id]) => documents.has(id)))
}
