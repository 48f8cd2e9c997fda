import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getAllSearchSettings, getReindexStatus } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

const BUILDING_REFRESH_MS = 2_000
const IDLE_REFRESH_MS = 15_000

export const useSearchSettings = () =>
  useQuery({
    queryKey: ['embedding', 'settings'],
    queryFn: ({ signal }) => getAllSearchSettings(api, { signal }),
    refetchInterval: IDLE_REFRESH_MS,
  })

export const useReindexStatus = () =>
  useQuery({
    queryKey: ['embedding', 'reindex'],
    queryFn: ({ signal }) => getReindexStatus(api, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'building' ? BUILDING_REFRESH_MS : IDLE_REFRESH_MS),
  })

export function useReloadIndex() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['embedding'] })
}
