// Who has signed in, and what may be shown to them.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { getMe } from '../../src/client/operations.ts'
import type { UserInfo } from '../../src/client/schemas.ts'
import { api } from './api.ts'

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => getMe(api, { signal }),
  staleTime: 60_000,
})

export const useMe = (): UserInfo | undefined => useQuery({ ...meQuery, enabled: false }).data

export const may = (me: UserInfo | undefined, right: string): boolean =>
  me?.effective_permissions.includes(right) ?? false
