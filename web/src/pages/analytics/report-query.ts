import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getQueryReport, getSettings } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const PERIODS = [1, 7, 30, 90, 365] as const
export type Period = (typeof PERIODS)[number]
export const DEFAULT_PERIOD: Period = 30

/** The most queries of a list that the API gives. */
const MAX_LISTED = 100

export const useQueryReport = (days: Period) =>
  useQuery({
    queryKey: ['query-report', days],
    queryFn: ({ signal }) => getQueryReport(api, { days, limit: MAX_LISTED, signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })

export const useSettings = () =>
  useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => getSettings(api, { signal }) })

export const csvAddress = (days: Period, list: string): string =>
  `/api/admin/relevance/queries/csv?${new URLSearchParams({ days: String(days), list }).toString()}`
