import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { listIndexingStatuses } from '../../../../src/client/operations.ts'
import { readinessOf } from '../../../../src/client/readiness.ts'
import type { ConnectorIndexingStatus } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'

/** The refresh interval of visible pages; hidden pages do not poll. */
export const REFRESH_MS = 2_000

export type SyncState = ConnectorIndexingStatus['sync_state']

export interface ListingFilter {
  name: string
  states: readonly SyncState[]
  /** The page of each source whose first page is not shown. */
  pages: Readonly<Record<string, number>>
}

/** Ten connectors of each source. */
export const useConnectorStatuses = ({ name, states, pages }: ListingFilter) =>
  useQuery({
    queryKey: ['listing', name, states, pages],
    queryFn: ({ signal }) =>
      listIndexingStatuses(api, {
        body: {
          with_pushed: true,
          name_filter: name === '' ? null : name,
          sync_state_filters: states.length === 0 ? null : [...states],
          source_to_page: { ...pages },
        },
        signal,
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })

/** Connectors that wait for a person. */
export const useAttention = () =>
  useQuery({
    queryKey: ['listing', 'attention'],
    queryFn: ({ signal }) =>
      listIndexingStatuses(api, {
        body: { get_all_connectors: true, sync_state_filters: ['failing', 'held'] },
        signal,
      }),
    refetchInterval: REFRESH_MS,
    select: (sources) => sources.flatMap((it) => it.indexing_statuses),
  })

/** The status of one connector. Undefined while it is loaded, and null when it is not listed. */
export const useConnectorStatus = (cc_pair_id: number) =>
  useQuery({
    queryKey: ['listing', 'pair', cc_pair_id],
    queryFn: ({ signal }) => listIndexingStatuses(api, { body: { cc_pair_id, with_pushed: true }, signal }),
    refetchInterval: REFRESH_MS,
    select: (sources) => sources[0]?.indexing_statuses[0],
  })

export const useReadiness = () =>
  useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => readinessOf(api, { signal }),
    refetchInterval: REFRESH_MS,
    select: ({ data }) => data,
  })
