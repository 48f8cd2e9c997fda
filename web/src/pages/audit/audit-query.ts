import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listAuditEntries } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const PAGE_SIZE = 50

/** The texts of the fields of the page. Empty fields filter nothing. Times are local, as `datetime-local` writes them. */
export interface AuditFields {
  actor: string
  object: string
  type: string
  action: string
  outcome: string
  from: string
  until: string
}

export const NO_FILTER: AuditFields = { actor: '', object: '', type: '', action: '', outcome: '', from: '', until: '' }

export const OUTCOMES = ['success', 'refused', 'failed'] as const

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

function isoOrNull(text: string): string | null {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

export const filterOf = ({ actor, object, type, action, outcome, from, until }: AuditFields) => ({
  actor: textOrNull(actor),
  object_id: textOrNull(object),
  object_type: textOrNull(type),
  action: textOrNull(action),
  outcome: OUTCOMES.find((it) => it === outcome) ?? null,
  from: isoOrNull(from),
  until: isoOrNull(until),
})

/** A page of entries, newest first, and one more that shows whether another page follows. */
export const auditQuery = (fields: AuditFields, after: number | null) =>
  queryOptions({
    queryKey: ['audit', fields, after],
    queryFn: ({ signal }) => listAuditEntries(api, { ...filterOf(fields), after, limit: PAGE_SIZE + 1, signal }),
    placeholderData: keepPreviousData,
  })

/** The address of the table with the same entries. */
export function csvAddress(fields: AuditFields): string {
  const given = Object.entries(filterOf(fields)).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  return `/api/admin/audit/csv?${new URLSearchParams(given)}`
}
