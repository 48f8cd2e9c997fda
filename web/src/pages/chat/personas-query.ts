// The agents that a chat offers.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { getPersona, listPersonas } from '../../../../src/client/operations.ts'
import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'

export const personasQuery = queryOptions({
  queryKey: ['personas'],
  queryFn: ({ signal }) => listPersonas(api, { signal }),
  staleTime: 60_000,
})

/** The listed agents, and the chosen one if it is not listed: a link may name it. */
export function useOfferedPersonas(chosen: number): readonly MinimalPersonaSnapshot[] {
  const { data: listed } = useQuery(personasQuery)
  const isListed = listed === undefined || listed.some((it) => it.id === chosen)
  const { data: unlisted } = useQuery({
    queryKey: ['agents', 'one', chosen],
    queryFn: ({ signal }) => getPersona(api, { persona_id: chosen, signal }),
    enabled: !isListed,
  })
  return [...(listed ?? []), ...(isListed || unlisted === undefined ? [] : [unlisted])]
}

/** Featured agents come first, then those with the smaller priority, then the older ones. */
export const inOrder = (personas: readonly MinimalPersonaSnapshot[]): MinimalPersonaSnapshot[] =>
  personas.toSorted(
    (a, b) => Number(b.is_featured) - Number(a.is_featured) || priorityOf(a) - priorityOf(b) || a.id - b.id,
  )

const priorityOf = ({ display_priority }: MinimalPersonaSnapshot): number => display_priority ?? Number.MAX_SAFE_INTEGER
