// The permission report: users and groups of sources that match nobody, and documents that nobody or everybody can read.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { displayTitle } from '../../../domain/values/display-text.ts'
import type { AccessReportState } from '../../../identity/report/access-reports.ts'
import type { AccessReport } from '../../../identity/report/compute-report.ts'
import {
  FINDING_REASONS,
  type Finding,
  type FoundList,
  REPORT_LISTS,
  type ReportList,
} from '../../../identity/report/findings.ts'
import { nullish, wireEnum, wireInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { isoOrNull } from '../../wire/iso.ts'

const MAX_PAGE = 500
const DEFAULT_PAGE = 50

const FindingCount = z.object({ total: z.int(), total_relation: z.enum(['eq', 'gte']) }).meta({ id: 'FindingCount' })

const AccessFinding = z
  .object({
    reason: z.enum(FINDING_REASONS),
    detail: z.string(),
    email: z.string().nullable().describe('The user of a source.'),
    group: z.string().nullable().describe('The group, with the prefix of its source.'),
    document_id: z.string().nullable(),
    semantic_identifier: z.string().nullable().describe('The start of the title.'),
    cc_pairs: z.array(z.object({ id: z.int(), name: z.string() })),
    documents: z
      .int()
      .describe('The number of documents that name the user or the group, or that the finding is about.'),
  })
  .meta({ id: 'AccessFinding' })

const AccessReportPage = z
  .object({
    is_computing: z.boolean(),
    scanned_documents: z.int().describe('How many documents the computation that is under way has read.'),
    has_failed: z.boolean().describe('The last computation failed. The log of the service says why.'),
    computed_at: z.iso.datetime().nullable().describe('Null if no report was computed since the service started.'),
    took_ms: z.int().nullable(),
    documents: z.int().nullable().describe('The number of documents that the report has read.'),
    counts: z
      .object({
        unmatched_users: FindingCount,
        empty_groups: FindingCount,
        unreadable_documents: FindingCount,
        open_documents: FindingCount,
      })
      .nullable(),
    list: z.enum(REPORT_LISTS),
    findings: z
      .array(AccessFinding)
      .describe('Users and groups in alphabetical order, documents in order of their changes.'),
    total: z.int().describe('The number of findings of this list and pair.'),
    total_relation: z.enum(['eq', 'gte']),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'AccessReportPage' })

function unmatchedDetail({ memberships, documents }: Finding): string {
  const groups = memberships === 1 ? '1 group' : `${memberships} groups`
  const naming = documents === 1 ? '1 document names' : `${documents} documents name`
  return [
    'Nobody has this address.',
    ...(memberships === 0 ? [] : [`The source reports it as a member of ${groups}.`]),
    ...(documents === 0 ? [] : [`As a reader, ${naming} it.`]),
  ].join(' ')
}

const DETAILS: Record<Finding['reason'], (finding: Finding) => string> = {
  no_person: unmatchedDetail,
  no_member_matches: ({ memberships }) =>
    `The source reports ${memberships} members of this group. None of them is the address of an active person.`,
  group_without_readers: () => 'The group has neither active people nor keys.',
  unknown_group: () => 'No source reports members of this group, and no group of this service has the name.',
  named_nobody: () => 'The document has a list of readers, and the list is empty.',
  no_reader_matches: () => 'The document names readers. None of them is an active person, or a group that has one.',
  source_says_nothing: () => 'The connector takes readers from its source, and the source names none.',
  pair_closed: () => 'The document names no readers, and nobody is in a group that may read its connector.',
  other_pair_open: () =>
    'The source names no readers. The document also belongs to a connector that everybody may read, so everybody can read it.',
  pushed_open: () =>
    'A client pushed the document as public. The permission sync leaves pushed documents as they are, whatever the source says.',
  permissions_not_read: ({ documents }) =>
    `Everybody may read this connector. The source has permissions, and the connector does not ask for them. Documents: ${documents}.`,
}

const isDocumentList = (list: ReportList) => list === 'unreadable_documents' || list === 'open_documents'

function findingView({ pairNames }: AccessReport, list: ReportList, finding: Finding): z.infer<typeof AccessFinding> {
  const { reason, subject, title, cc_pair_ids, documents } = finding
  return {
    reason,
    detail: DETAILS[reason](finding),
    email: list === 'unmatched_users' ? subject : null,
    group: list === 'empty_groups' ? subject : null,
    document_id: isDocumentList(list) ? subject : null,
    semantic_identifier: title && displayTitle(title),
    cc_pairs: cc_pair_ids.map((id) => ({ id, name: pairNames.get(id) ?? '' })),
    documents,
  }
}

const relationOf = (isExact: boolean) => (isExact ? 'eq' : 'gte')

interface PageRequest {
  list: ReportList
  cc_pair_id: number | null
  cursor: string | null
  limit: number | null
}

/** Findings beyond those that the report keeps cannot be counted for one pair. */
function reportPage(report: AccessReport, { list, cc_pair_id, cursor, limit }: PageRequest) {
  const { items, total, isExact } = report.lists[list]
  const found = cc_pair_id === null ? items : items.filter((it) => it.cc_pair_ids.includes(cc_pair_id))
  const start = cursor === null ? 0 : readCursor(cursor, report)
  const end = start + (limit ?? DEFAULT_PAGE)
  return {
    findings: found.slice(start, end).map((it) => findingView(report, list, it)),
    total: cc_pair_id === null ? total : found.length,
    total_relation: relationOf(isExact && (cc_pair_id === null || items.length === total)),
    next_cursor: end < found.length ? `${report.computed_at}.${end}` : null,
  } as const
}

function readCursor(cursor: string, { computed_at }: AccessReport): number {
  const [report, start] = cursor.split('.')
  if (Number(report) === computed_at) return Number(start)
  const reason = '`cursor` belongs to another report: it was computed again. Ask for the first page without a cursor.'
  throw new AppError('INVALID_INPUT', { reason })
}

const noFindings = () => ({ findings: [], total: 0, total_relation: 'eq' as const, next_cursor: null })

function reportAnswer(
  { report, isComputing, progress, hasFailed }: AccessReportState,
  request: PageRequest,
): z.infer<typeof AccessReportPage> {
  return {
    is_computing: isComputing,
    scanned_documents: isComputing ? progress : 0,
    has_failed: hasFailed,
    computed_at: isoOrNull(report?.computed_at ?? null),
    took_ms: report?.took_ms ?? null,
    documents: report?.documents ?? null,
    counts: report && countsOf(report),
    list: request.list,
    ...(report === null ? noFindings() : reportPage(report, request)),
  }
}

const countOf = ({ total, isExact }: FoundList) => ({ total, total_relation: relationOf(isExact) }) as const

const countsOf = ({ lists }: AccessReport) => ({
  unmatched_users: countOf(lists.unmatched_users),
  empty_groups: countOf(lists.empty_groups),
  unreadable_documents: countOf(lists.unreadable_documents),
  open_documents: countOf(lists.open_documents),
})

export const accessReportRoutes = [
  route({
    name: 'getAccessReport',
    method: 'GET',
    path: '/admin/access/report',
    access: 'admin',
    tag: 'Search',
    summary: 'Get permission report',
    description: `Returns a page of the last report that \`POST /admin/access/report\` has computed. A list keeps 5,000 findings; \`total\`
counts all, or at least those.`,
    query: z.object({
      list: wireEnum(REPORT_LISTS),
      cc_pair_id: nullish(wireInteger({ min: 1 })).describe('Only findings about this pair.'),
      cursor: nullish(wireString({ max: 40, pattern: /^\d{1,16}\.\d{1,5}$/ })).describe(
        'The `next_cursor` of the page before.',
      ),
      limit: nullish(wireInteger({ min: 1, max: MAX_PAGE })).describe(`Default: ${DEFAULT_PAGE}.`),
    }),
    reply: AccessReportPage,
    errors: ['INVALID_INPUT'],
    services: ['accessReports'],
    handle: ({ query, services: { accessReports } }) => reportAnswer(accessReports.state(), query),
  }),
  route({
    name: 'computeAccessReport',
    method: 'POST',
    path: '/admin/access/report',
    access: 'admin',
    tag: 'Search',
    summary: 'Compute permission report',
    description:
      'Starts to compute the report in the background, unless that is under way. The report is kept until the service ends. The previous one is shown until then.',
    audit: { action: 'access.report' },
    status: 202,
    reply: z.object({ is_computing: z.boolean() }).meta({ id: 'AccessReportStart' }),
    services: ['accessReports'],
    handle: ({ services: { accessReports } }) => {
      accessReports.start()
      return { is_computing: accessReports.state().isComputing }
    },
  }),
]
