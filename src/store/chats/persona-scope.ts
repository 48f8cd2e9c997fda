// The documents to which a persona limits a search or a chat.
import type { SearchScope } from '../../domain/search/query.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Queryable } from '../database/database.ts'
import { listPairsOfSetIds } from '../sources/document-sets.ts'
import { getOpenPersonaRow } from './personas.ts'

/** Uses its document sets and its start date. A persona without either limits nothing. */
export async function scopeOfPersona(
  db: Queryable,
  { document_sets, search_start_date }: { document_sets: readonly { id: number }[]; search_start_date: number | null },
): Promise<SearchScope> {
  const ids = document_sets.map((it) => it.id)
  return {
    ...(ids.length > 0 && { cc_pair_ids: await listPairsOfSetIds(db, ids) }),
    ...(search_start_date !== null && { updated_from: search_start_date }),
  }
}

/** PERSONA_NOT_FOUND: it does not exist or is closed to the subject. Without a persona there is no limit. */
export async function getPersonaScope(
  db: Queryable,
  subject: Subject,
  id: number | null | undefined,
): Promise<SearchScope> {
  if (id === null || id === undefined) return {}
  const { search_start_date } = await getOpenPersonaRow(db, subject, id)
  const document_sets = await db
    .selectFrom('persona_document_set')
    .select('document_set_id as id')
    .where('persona_id', '=', id)
    .execute()
  return scopeOfPersona(db, { document_sets, search_start_date })
}
