import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getHealthReady, postManageAdminConnectorIndexingStatus } from '../../../src/client/operations.ts'
import { api } from '../api.ts'

/** How fast what changes is shown; a page that nobody looks at does not ask. */
export const LIVE_MS = 2_000

export const useListing = () =>
  useQuery({
    queryKey: ['listing'],
    queryFn: ({ signal }) =>
      postManageAdminConnectorIndexingStatus(api, { body: { get_all_connectors: true }, signal }),
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  })

export const useReadiness = () =>
  useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => getHealthReady(api, { signal }),
    refetchInterval: LIVE_MS,
    select: ({ data }) => data,
  })
