import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { listReceipts } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import type { DocumentFields } from './document-filters.tsx'

const PAGE_SIZE = 50
const CSV = '/api/service-api/receipts/csv'

/** The filters as the API takes them. */
const filterOf = ({ title, id, state, pair, source, visibility }: DocumentFields) => ({
  title: textOrNull(title),
  document_id: textOrNull(id),
  state: state === 'no_text' ? null : state,
  warning: state === 'no_text' ? state : null,
  cc_pair_id: pair,
  source: textOrNull(source),
  hidden: visibility === null ? null : visibility === 'hidden',
})

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** The address of a table of all documents that meet the filters. */
export function csvAddress(fields: DocumentFields): string {
  const given = Object.entries(filterOf(fields)).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? CSV : `${CSV}?${new URLSearchParams(given)}`
}

/** The newest documents. */
const firstPage = (): number | null => null

export const useDocuments = (fields: DocumentFields) =>
  useInfiniteQuery({
    queryKey: ['receipts', 'explored', ...Object.values(fields)],
    queryFn: ({ signal, pageParam }) =>
      listReceipts(api, { limit: PAGE_SIZE, before: pageParam, ...filterOf(fields), signal }),
    initialPageParam: firstPage(),
    getNextPageParam: (last) => last.next_before,
    placeholderData: keepPreviousData,
  })
