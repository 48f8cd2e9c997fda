import { getScimStatus, listHeldRemovals } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const scimStatusQuery = {
  queryKey: ['scim', 'status'],
  queryFn: ({ signal }: { signal: AbortSignal }) => getScimStatus(api, { signal }),
}

export const heldRemovalsQuery = {
  queryKey: ['scim', 'held'],
  queryFn: ({ signal }: { signal: AbortSignal }) => listHeldRemovals(api, { signal }),
}
