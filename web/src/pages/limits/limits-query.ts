import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getUsageOfLimits, listLimits } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

/** Hidden pages do not ask. */
const REFRESH_MS = 5_000

export const useLimits = () =>
  useQuery({ queryKey: ['limits', 'list'], queryFn: ({ signal }) => listLimits(api, { signal }) })

export const useUsageOfLimits = () =>
  useQuery({
    queryKey: ['limits', 'usage'],
    queryFn: ({ signal }) => getUsageOfLimits(api, { signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })

/** Reads the limits and their usage again. */
export function useReloadLimits(): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: ['limits'] })
}
