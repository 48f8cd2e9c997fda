// The signed-in user and their permissions.
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

/** A key without a user has an address under `key.invalid`. */
export const userLabel = ({ email, role }: UserInfo): string => (email.endsWith('@key.invalid') ? role : email)

export const hasPermission = (me: UserInfo | undefined, permission: string): boolean =>
  me?.effective_permissions.includes(permission) ?? false
