// How people search: what is asked, what is not found or not opened, and what takes long.
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { SearchReport } from '../../../relevance/report.ts'
import { nullish, wireEnum, wireInteger } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { csvRow } from '../../views/csv.ts'
import { iso } from '../../wire/iso.ts'

const MAX_DAYS = 365
const DEFAULT_DAYS = 30
const MAX_LISTED = 100
const DEFAULT_LISTED = 20
const MAX_EXPORTED = 10_000

const countFields = {
  searches: z.int(),
  empty: z.int().describe('Number of searches without results.'),
  answered: z.int().describe('Number of searches with a click or a thumb up.'),
  slow: z.int().describe('Number of searches that took at least 300 ms.'),
}

const ReportedQuery = z
  .object({
    query: z.string().describe('Lower-cased, with normalized whitespace.'),
    ...countFields,
    people: z.int(),
    mean_total: z.number(),
    mean_ms: z.int(),
    slowest_ms: z.int(),
  })
  .meta({ id: 'ReportedQuery' })

const ReportedSource = z
  .object({
    source: z.string(),
    shown: z.int().describe('Number of searches whose first page had a document of the source.'),
    answered: z.int().describe('Number of searches with a click or a thumb up for a document of the source.'),
  })
  .meta({ id: 'ReportedSource' })

const ReportedGroup = z
  .object({
    group: z.string().nullable().describe('Null for people who are in no group.'),
    people: z.int().describe('Number of people of the group who searched.'),
    ...countFields,
  })
  .meta({ id: 'ReportedGroup' })

const QueryReport = z
  .object({
    from: z.iso.datetime(),
    until: z.iso.datetime(),
    ...countFields,
    is_complete: z
      .boolean()
      .describe('False if there were more searches than the newest 100,000, which the report covers.'),
    latency_ms: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }).nullable(),
    days: z
      .array(z.object({ day: z.iso.date(), ...countFields }))
      .describe('UTC days in ascending order, without days that had no searches.'),
    top: z.array(ReportedQuery),
    zero_results: z.array(ReportedQuery).describe('Queries without results, most frequent first.'),
    low_click: z
      .array(ReportedQuery)
      .describe('Queries that returned results at least five times and were answered in less than a fifth of them.'),
    slow_queries: z.array(ReportedQuery).describe('Queries with slow searches, those with most of them first.'),
    sources: z.array(ReportedSource).describe('Most shown first. Documents that no longer exist are not counted.'),
    groups: z
      .array(ReportedGroup)
      .describe(
        'Most searches first. A person counts in each group that they are in now. Groups of which fewer people than `query_min_people` searched are withheld.',
      ),
    withheld_groups: z.int().describe('Number of groups that are withheld.'),
    withheld: z
      .object({
        queries: z.int(),
        searches: z.int(),
        min_people: z
          .int()
          .nullable()
          .describe('The setting `query_min_people`. Null if no queries are listed at all.'),
        reason: z
          .string()
          .nullable()
          .describe('Why queries are withheld, and which setting reveals them. Null if none are withheld.'),
      })
      .describe('Queries that fewer people than `query_min_people` sent. Their text is never shown.'),
  })
  .meta({ id: 'QueryReport' })

const queryReport = ({ from, until, ...it }: SearchReport): z.infer<typeof QueryReport> => ({
  ...it,
  from: iso(from),
  until: iso(until),
})

const COUNTS = ['searches', 'empty', 'answered', 'slow'] as const
const QUERY_COLUMNS = ['query', ...COUNTS, 'people', 'mean_total', 'mean_ms', 'slowest_ms'] as const
const QUERY_LISTS = ['top', 'zero_results', 'low_click', 'slow_queries'] as const
const LISTS = [...QUERY_LISTS, 'days', 'sources', 'groups'] as const
type List = (typeof LISTS)[number]

function* reportCsv(report: SearchReport, list: List): Generator<string> {
  const [columns, rows] = tableOf(report, list)
  yield csvRow(columns)
  for (const it of rows) yield csvRow(it)
}

type Table = [columns: readonly string[], rows: (string | number | null)[][]]

function tableOf(report: SearchReport, list: List): Table {
  if (list === 'days') {
    const columns = ['day', ...COUNTS] as const
    return [columns, report.days.map((it) => columns.map((column) => it[column]))]
  }
  if (list === 'sources') {
    const columns = ['source', 'shown', 'answered'] as const
    return [columns, report.sources.map((it) => columns.map((column) => it[column]))]
  }
  if (list === 'groups') {
    const columns = ['group', 'people', ...COUNTS] as const
    return [columns, report.groups.map((it) => columns.map((column) => it[column]))]
  }
  return [QUERY_COLUMNS, report[list].map((it) => QUERY_COLUMNS.map((column) => it[column]))]
}

const days = nullish(wireInteger({ min: 1, max: MAX_DAYS })).describe(`Default: ${DEFAULT_DAYS}.`)
const reportDefaults = { method: 'GET', access: 'admin', pool: 'replay', tag: 'Relevance' } as const

export const queryReportRoutes = [
  route({
    ...reportDefaults,
    name: 'getQueryReport',
    path: '/admin/relevance/queries',
    summary: 'Get query report',
    description:
      'Reports the queries of the last days: the most frequent ones, those without results, those without clicks, the slow ones, searches per day, by source and by group, and latency. Names no users, and no queries that only a few people sent.',
    query: z.object({
      days,
      limit: nullish(wireInteger({ min: 1, max: MAX_LISTED })).describe(
        `Number of queries in each list. Default: ${DEFAULT_LISTED}.`,
      ),
    }),
    reply: QueryReport,
    services: ['report'],
    handle: async ({ query, services, signal }) => {
      const request = { days: query.days ?? DEFAULT_DAYS, limit: query.limit ?? DEFAULT_LISTED }
      return queryReport(await services.report(request, signal))
    },
  }),
  route({
    ...reportDefaults,
    name: 'exportQueryReportCsv',
    path: '/admin/relevance/queries/csv',
    summary: 'Export query report as CSV',
    description: `One list of the query report, with at most ${MAX_EXPORTED} queries.`,
    query: z.object({ days, list: wireEnum(LISTS).describe('The list of the report.') }),
    audit: { action: 'query_report.export' },
    reply: z.custom<Readable>().meta({ type: 'string' }),
    mediaType: 'text/csv; charset=utf-8',
    services: ['report'],
    handle: async ({ query, services, signal }) => {
      const report = await services.report({ days: query.days ?? DEFAULT_DAYS, limit: MAX_EXPORTED }, signal)
      return Readable.from(reportCsv(report, query.list))
    },
  }),
]
