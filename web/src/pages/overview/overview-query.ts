import { useQuery } from '@tanstack/react-query'
import { readinessOf } from '../../../../src/client/readiness.ts'
import { api } from '../../api.ts'

/** Hidden pages do not ask. */
const REFRESH_MS = 10_000

export const useServiceState = () =>
  useQuery({
    queryKey: ['overview', 'state'],
    queryFn: ({ signal }) => readinessOf(api, { signal }),
    refetchInterval: REFRESH_MS,
    select: ({ data }) => data,
  })
