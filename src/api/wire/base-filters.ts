// The search filters of chat messages and of the admin search.
import { z } from 'zod'
import type { Filters } from '../../domain/search/query.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Database } from '../../store/database/database.ts'
import { nullish, wireDateTime } from '../../wire/schemas.ts'
import { filterFields, searchFilters } from '../routes/search/search.ts'

export const baseFilterFields = {
  source_type: filterFields.sources,
  document_set: filterFields.document_sets,
  time_cutoff: filterFields.time_cutoff,
  updated_at_range: nullish(z.object({ start: nullish(wireDateTime()), end: nullish(wireDateTime()) })).describe(
    'Only documents updated in this range, both ends included.',
  ),
  tags: filterFields.tags,
}

const schema = z.object(baseFilterFields)
export type BaseFilters = z.infer<typeof schema>

/** Resolves document sets with the rights of the subject. */
export async function toFilters(filters: BaseFilters | null, subject: Subject, db: Database): Promise<Filters> {
  if (filters === null) return {}
  const { source_type: sources, document_set: document_sets, time_cutoff, tags } = filters
  return {
    ...(await searchFilters({ sources, document_sets, time_cutoff, tags }, subject, db)),
    ...updatedRange(filters),
  }
}

/** The later of the cutoff and the start of the range applies. */
function updatedRange({
  updated_at_range: range,
  time_cutoff,
}: BaseFilters): Pick<Filters, 'updated_from' | 'updated_until'> {
  const starts = [time_cutoff, range?.start].filter((it) => typeof it === 'number')
  return {
    ...(starts.length > 0 && { updated_from: Math.max(...starts) }),
    ...(typeof range?.end === 'number' && { updated_until: range.end }),
  }
}
