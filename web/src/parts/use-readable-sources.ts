import { useQuery } from '@tanstack/react-query'
import { listReadableSources } from '../../../src/client/operations.ts'
import { api } from '../api.ts'

/** The sources of the documents that the person may read, the one with the most documents first; empty until known. */
export function useReadableSources(enabled = true): string[] {
  const { data } = useQuery({
    queryKey: ['readable-sources'],
    queryFn: ({ signal }) => listReadableSources(api, { signal }),
    enabled,
    staleTime: 60_000,
  })
  return data?.sources.map((it) => it.source) ?? []
}
