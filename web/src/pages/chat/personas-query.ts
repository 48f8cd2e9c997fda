import { queryOptions } from '@tanstack/react-query'
import { listPersonas } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const personasQuery = queryOptions({
  queryKey: ['personas'],
  queryFn: ({ signal }) => listPersonas(api, { signal }),
  staleTime: 60_000,
})
