import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { listIndexingStatuses } from '../../../../src/client/operations.ts'
import { readinessOf } from '../../../../src/client/readiness.ts'
import { api } from '../../api.ts'

/** The refresh interval of visible pages; hidden pages do not poll. */
export const REFRESH_MS = 2_000

export const useConnectorStatuses = () =>
  useQuery({
    queryKey: ['listing'],
    queryFn: ({ signal }) =>
      listIndexingStatuses(api, { body: { get_all_connectors: true, with_pushed: true }, signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })

export const useReadiness = () =>
  useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => readinessOf(api, { signal }),
    refetchInterval: REFRESH_MS,
    select: ({ data }) => data,
  })
