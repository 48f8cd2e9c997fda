import { queryOptions } from '@tanstack/react-query'
import { getPersona } from '../../../src/client/operations.ts'
import { api } from '../api.ts'

export const personasQuery = queryOptions({
  queryKey: ['personas'],
  queryFn: ({ signal }) => getPersona(api, { signal }),
  staleTime: 60_000,
})
