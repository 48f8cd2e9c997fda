import { queryOptions } from '@tanstack/react-query'
import { listPersonas } from '../../../../src/client/operations.ts'
import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'

export const personasQuery = queryOptions({
  queryKey: ['personas'],
  queryFn: ({ signal }) => listPersonas(api, { signal }),
  staleTime: 60_000,
})

/** Featured agents come first, then those with the smaller priority, then the older ones. */
export const inOrder = (personas: readonly MinimalPersonaSnapshot[]): MinimalPersonaSnapshot[] =>
  personas.toSorted(
    (a, b) => Number(b.is_featured) - Number(a.is_featured) || priorityOf(a) - priorityOf(b) || a.id - b.id,
  )

const priorityOf = ({ display_priority }: MinimalPersonaSnapshot): number => display_priority ?? Number.MAX_SAFE_INTEGER
