import { queryOptions, useQueryClient } from '@tanstack/react-query'
import {
  listAllPersonas,
  listCcPairs,
  listDocumentSets,
  listPersonas,
  listUserAddresses,
} from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

/** The sets that the person may change. */
export const managedSetsQuery = queryOptions({
  queryKey: ['document-sets', 'managed'],
  queryFn: ({ signal }) => listDocumentSets(api, { get_editable: true, signal }),
})

/** The connectors that the person may put into a set. */
export const pairsQuery = queryOptions({
  queryKey: ['document-sets', 'pairs'],
  queryFn: ({ signal }) => listCcPairs(api, { signal }),
})

/** The agents by which a set is used: all of them for administrators, else those that the person may use. */
export const agentsOfSetsQuery = (isAdmin: boolean) =>
  queryOptions({
    queryKey: ['document-sets', 'agents', isAdmin],
    queryFn: ({ signal }) => (isAdmin ? listAllPersonas(api, { signal }) : listPersonas(api, { signal })),
  })

/** Sets name people by their ids. */
export const addressesQuery = queryOptions({
  queryKey: ['document-sets', 'addresses'],
  queryFn: ({ signal }) => listUserAddresses(api, { signal }),
})

export function useReloadSets(): () => Promise<void> {
  const queryClient = useQueryClient()
  return async () => {
    void queryClient.invalidateQueries({ queryKey: ['groups'] })
    void queryClient.invalidateQueries({ queryKey: ['personas'] })
    void queryClient.invalidateQueries({ queryKey: ['agents'] })
    await queryClient.invalidateQueries({ queryKey: ['document-sets'] })
  }
}
