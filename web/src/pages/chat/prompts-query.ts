import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { listInputPrompts } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

/** The saved prompts of the person. */
export const promptsQuery = queryOptions({
  queryKey: ['prompts'],
  queryFn: ({ signal }) => listInputPrompts(api, { signal }),
  staleTime: 60_000,
})

export function useReloadPrompts(): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: promptsQuery.queryKey })
}
