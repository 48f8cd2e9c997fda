import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getOverview, getOverviewSeries } from '../../../../src/client/operations.ts'
import { readinessOf } from '../../../../src/client/readiness.ts'
import type { OverviewSeries } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'

export type SeriesRange = OverviewSeries['range']

/** Hidden pages do not ask. */
const STATE_REFRESH_MS = 10_000
/** The service measures itself every minute. */
const SERIES_REFRESH_MS = 30_000

export const useServiceState = () =>
  useQuery({
    queryKey: ['overview', 'state'],
    queryFn: ({ signal }) => readinessOf(api, { signal }),
    refetchInterval: STATE_REFRESH_MS,
    select: ({ data }) => data,
  })

export const useOverview = () =>
  useQuery({
    queryKey: ['overview', 'figures'],
    queryFn: ({ signal }) => getOverview(api, { signal }),
    refetchInterval: SERIES_REFRESH_MS,
  })

/** Another range keeps the plots of the one before until it is there. */
export const useSeries = (range: SeriesRange) =>
  useQuery({
    queryKey: ['overview', 'series', range],
    queryFn: ({ signal }) => getOverviewSeries(api, { range, signal }),
    refetchInterval: SERIES_REFRESH_MS,
    placeholderData: keepPreviousData,
  })
