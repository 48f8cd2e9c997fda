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

/** A key that acts for nobody has an address under `key.invalid`. */
export const isPerson = (me: UserInfo | undefined): boolean => me !== undefined && !me.email.endsWith('@key.invalid')

/** The role, for a key that acts for nobody. */
export const userLabel = (me: UserInfo): string => (isPerson(me) ? me.email : me.role)

export const hasPermission = (me: UserInfo | undefined, permission: string): boolean =>
  me?.effective_permissions.includes(permission) ?? false
