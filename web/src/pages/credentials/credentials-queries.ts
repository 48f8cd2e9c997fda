import { useQuery } from '@tanstack/react-query'
import { listConnectorSources, listCredentials, listIndexingStatuses } from '../../../../src/client/operations.ts'
import type { ConnectorIndexingStatus } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'

/** More than an installation has, and a limit nevertheless. */
const MAX_CREDENTIALS = 1_000

/** Without the empty credential. */
export const useCredentials = () =>
  useQuery({
    queryKey: ['credentials', 'all'],
    queryFn: ({ signal }) => listCredentials(api, { limit: MAX_CREDENTIALS, signal }),
    select: (all) => all.filter((it) => it.id !== 0),
  })

/** The connectors that use each credential. */
export const useCredentialUses = () =>
  useQuery({
    queryKey: ['listing', 'by-credential'],
    queryFn: ({ signal }) => listIndexingStatuses(api, { body: { get_all_connectors: true }, signal }),
    select: (sources) =>
      Map.groupBy(
        sources.flatMap((it) => it.indexing_statuses),
        (it): number => it.credential_id,
      ),
  })
export type CredentialUses = ReadonlyMap<number, readonly ConnectorIndexingStatus[]>

export const useConnectorSources = () =>
  useQuery({
    queryKey: ['connector-sources'],
    queryFn: ({ signal }) => listConnectorSources(api, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
