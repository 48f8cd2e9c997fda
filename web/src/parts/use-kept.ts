import { useQuery } from '@tanstack/react-query'

/** A value that stays while the person visits other pages. Only `setQueryData` changes it. */
export const useKept = <Value>(queryKey: readonly string[], initialData: Value): Value =>
  useQuery<Value>({
    queryKey,
    queryFn: () => initialData,
    enabled: false,
    initialData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  }).data ?? initialData
