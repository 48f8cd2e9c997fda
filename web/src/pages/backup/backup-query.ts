import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { listBackups } from '../../../../src/client/operations.ts'
import type { Backups } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'

const QUERY_KEY = ['backups']
/** While a backup is made, and otherwise. Hidden pages do not ask. */
const FAST_MS = 1_000
const SLOW_MS = 15_000

export const useBackups = () =>
  useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => listBackups(api, { signal }),
    refetchInterval: ({ state }) => (state.data?.running ? FAST_MS : SLOW_MS),
    placeholderData: keepPreviousData,
  })

/** Shows an answer that has the new list. */
export function useShowBackups(): (backups: Backups) => void {
  const queryClient = useQueryClient()
  return (backups) => queryClient.setQueryData(QUERY_KEY, backups)
}
