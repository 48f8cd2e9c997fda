import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { getUserGroup, listUserGroups } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const PAGE_SIZE = 25

/** A page of groups, and one more that shows whether another page follows. `after` is the id before the page. */
export const groupsQuery = (q: string, after: number) =>
  queryOptions({
    queryKey: ['groups', 'list', q, after],
    queryFn: ({ signal }) => listUserGroups(api, { q: q === '' ? null : q, after, limit: PAGE_SIZE + 1, signal }),
    placeholderData: keepPreviousData,
  })

export const groupQuery = (id: number) =>
  queryOptions({
    queryKey: ['groups', 'one', id],
    queryFn: ({ signal }) => getUserGroup(api, { user_group_id: id, signal }),
  })

/** Reads again what a change of a group changes: groups and the roles of people. */
export function useReloadGroups(): () => Promise<void> {
  const queryClient = useQueryClient()
  return async () => {
    await queryClient.invalidateQueries({ queryKey: ['groups'] })
    void queryClient.invalidateQueries({ queryKey: ['people'] })
    void queryClient.invalidateQueries({ queryKey: ['user-groups'] })
  }
}
