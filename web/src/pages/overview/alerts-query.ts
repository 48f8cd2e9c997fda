import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { dismissAlert, listAlerts, restoreAlert } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

const REFRESH_MS = 30_000
const KEY = ['alerts']

/** An administrator may have seen a failure elsewhere just before: then the list of the badge is too old. */
export const useAlerts = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => listAlerts(api, { signal }),
    refetchInterval: REFRESH_MS,
    refetchOnMount: 'always',
  })

export interface Dismissal {
  alert_id: number
  for: 'me' | 'everybody'
  /** Null until it ends. */
  until: string | null
}

export function useDismissal() {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: KEY })
  const dismiss = useMutation({
    mutationFn: ({ alert_id, ...body }: Dismissal) => dismissAlert(api, { alert_id, body }),
    onSettled,
  })
  const restore = useMutation({
    mutationFn: (it: Pick<Dismissal, 'alert_id' | 'for'>) => restoreAlert(api, it),
    onSettled,
  })
  return { dismiss, restore }
}
