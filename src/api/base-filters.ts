// What a search, a question or an administrator's search is narrowed to, as the wire has it.
import { z } from 'zod'
import type { Filters } from '../domain/query.ts'
import type { Subject } from '../domain/subject.ts'
import { nullish, wireDateTime } from '../domain/wire.ts'
import type { Database } from '../store/database.ts'
import { filterFields, filtersOf } from './routes/search.ts'

export const baseFilterFields = {
  source_type: filterFields.sources,
  document_set: filterFields.document_sets,
  time_cutoff: filterFields.time_cutoff,
  updated_at_range: nullish(z.object({ start: nullish(wireDateTime()), end: nullish(wireDateTime()) })).describe(
    'Documents that were updated at either moment or in between.',
  ),
  tags: filterFields.tags,
}

const schema = z.object(baseFilterFields)
export type BaseFilters = z.infer<typeof schema>

/** Sets are looked up as the subject sees them. */
export async function baseFiltersOf(filters: BaseFilters | null, subject: Subject, db: Database): Promise<Filters> {
  if (filters === null) return {}
  const { source_type: sources, document_set: document_sets, time_cutoff, tags } = filters
  return { ...(await filtersOf({ sources, document_sets, time_cutoff, tags }, subject, db)), ...updatedIn(filters) }
}

/** Of the cutoff and the start of the range the later one counts. */
function updatedIn({
  updated_at_range: range,
  time_cutoff,
}: BaseFilters): Pick<Filters, 'updated_from' | 'updated_until'> {
  const starts = [time_cutoff, range?.start].filter((it) => typeof it === 'number')
  return {
    ...(starts.length > 0 && { updated_from: Math.max(...starts) }),
    ...(typeof range?.end === 'number' && { updated_until: range.end }),
  }
}
