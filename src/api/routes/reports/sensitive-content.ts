// Secrets and personal data in documents: where they are, never what they say.
import { z } from 'zod'
import { isSecretKind, SENSITIVE_KINDS } from '../../../domain/sensitive/kinds.ts'
import { maskSensitive } from '../../../domain/sensitive/scan-text.ts'
import { SENSITIVE_CONTENT_MODES } from '../../../domain/settings.ts'
import { dismissFinding, releaseDocument } from '../../../ingestion/sensitive/decide.ts'
import type { Queryable } from '../../../store/database/database.ts'
import {
  countFindingsByPair,
  countFindingsBySource,
  countUnsearched,
  FINDING_STATES,
  listSensitiveDocuments,
  type SensitiveDocument,
} from '../../../store/sensitive/report.ts'
import { getSettings } from '../../../store/settings/settings.ts'
import { nullish, WITHOUT_NUL, wireBoolean, wireEnum, wireInteger, wireString } from '../../../wire/schemas.ts'
import { auditedDocumentId } from '../../http/with-audit.ts'
import { route } from '../../route.ts'
import { csvRow } from '../../views/csv.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'

const kind = z.enum(SENSITIVE_KINDS)
const is_secret = z.boolean().describe('Whether it opens something; other kinds are personal data.')
const counted = {
  kind,
  is_secret,
  documents: z.int(),
  count: z.int().describe('How often it was found in these documents.'),
}

const SensitiveContentSummary = z
  .object({
    mode: z.enum(SENSITIVE_CONTENT_MODES).describe('The setting `sensitive_content`.'),
    unsearched: z.int().describe('Documents that wait to be searched in the background.'),
    quarantined: z.int().describe('Documents that nobody finds because of a secret.'),
    by_source: z.array(z.object({ source: z.string(), ...counted })),
    by_connector: z.array(z.object({ cc_pair_id: z.int(), name: z.string(), ...counted })),
  })
  .meta({ id: 'SensitiveContentSummary' })

const SensitiveFinding = z
  .object({
    kind,
    is_secret,
    count: z.int(),
    dismissed_at: z.iso.datetime().nullable().describe('When an administrator said that this count is no problem.'),
    places: z
      .array(
        z.object({
          section: z.int().describe('From 1; 0 is the title and the metadata.'),
          heading: z.string().nullable().describe('The heading of the section, without what was found in it.'),
          page: z.int().nullable(),
          count: z.int(),
        }),
      )
      .describe('The first 20 sections; empty for lists of addresses or phone numbers.'),
  })
  .meta({ id: 'SensitiveFinding' })

const SensitiveDocumentView = z
  .object({
    document_id: z.string(),
    semantic_identifier: z.string().describe('The title, without what was found in it.'),
    source: z.string(),
    cc_pairs: z.array(z.object({ id: z.int(), name: z.string() })),
    found_at: z.iso.datetime(),
    quarantined_at: z.iso.datetime().nullable(),
    released_at: z.iso.datetime().nullable().describe('When an administrator released the present text.'),
    findings: z.array(SensitiveFinding),
  })
  .meta({ id: 'SensitiveDocument' })

const document_id = wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL })
const filterFields = {
  source: nullish(wireString({ min: 1, max: 100, pattern: WITHOUT_NUL })).describe('Only documents of this source.'),
  cc_pair_id: nullish(wireInteger({ min: 1 })).describe('Only documents of this connector.'),
  kind: nullish(wireEnum(SENSITIVE_KINDS)).describe('Only documents with this kind of finding.'),
  state: nullish(wireEnum(FINDING_STATES)).describe(
    'Only documents with findings that are not dismissed, with dismissed ones, in quarantine, or released.',
  ),
  document_id: nullish(document_id).describe('Only the document with this id.'),
}
const FindingQuery = z.object(filterFields)
const toFilter = ({ cc_pair_id, document_id, ...filter }: z.infer<typeof FindingQuery>) => ({
  ...filter,
  ccPairId: cc_pair_id,
  ...(document_id !== null && { documentId: document_id }),
})

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 25
const MAX_EXPORTED = 100_000
const EXPORT_BATCH = 500
const CSV_COLUMNS = [
  ...['document_id', 'title', 'source', 'connectors', 'kind', 'count', 'state'],
  ...['places', 'found_at', 'quarantined_at', 'released_at'],
]
const defaults = { access: 'admin', tag: 'Ingestion' } as const
const decision = { errors: ['FINDING_NOT_FOUND', 'STORE_FULL'], services: ['db', 'indexer', 'now'] } as const

const ReleaseRequest = z.object({ document_id, released: wireBoolean() }).meta({ id: 'SensitiveReleaseRequest' })
const DismissalRequest = z
  .object({ document_id, kind: wireEnum(SENSITIVE_KINDS), dismissed: wireBoolean() })
  .meta({ id: 'SensitiveDismissalRequest' })

export const sensitiveContentRoutes = [
  route({
    ...defaults,
    name: 'getSensitiveContent',
    method: 'GET',
    path: '/admin/sensitive-content',
    summary: 'Count sensitive content',
    description: 'Counts secrets and personal data in documents by source and connector, without dismissed findings.',
    reply: SensitiveContentSummary,
    services: ['db'],
    handle: async ({ services: { db } }) => {
      const [{ sensitive_content: mode }, waiting] = [await getSettings(db), await countUnsearched(db)]
      return {
        mode,
        ...waiting,
        by_source: (await countFindingsBySource(db)).map(withSecrecy),
        by_connector: (await countFindingsByPair(db)).map(withSecrecy),
      }
    },
  }),
  route({
    ...defaults,
    name: 'listSensitiveDocuments',
    method: 'GET',
    path: '/admin/sensitive-content/documents',
    summary: 'List documents with sensitive content',
    description: 'Latest change first. Says what kind of content was found and where, never the content.',
    query: z.object({
      limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe(`Default: ${DEFAULT_LIMIT}.`),
      before: nullish(wireInteger({ min: 1 })).describe('`next_before` of the previous page.'),
      ...filterFields,
    }),
    reply: z
      .object({ items: z.array(SensitiveDocumentView), next_before: z.int().nullable() })
      .meta({ id: 'SensitiveDocumentPage' }),
    services: ['db'],
    handle: async ({ query: { limit, before, ...query }, services: { db } }) => {
      const size = limit ?? DEFAULT_LIMIT
      const found = await listSensitiveDocuments(db, toFilter(query), { before, limit: size })
      return { items: found.map(toView), next_before: found[size - 1]?.seq ?? null }
    },
  }),
  route({
    ...defaults,
    name: 'exportSensitiveContentCsv',
    method: 'GET',
    path: '/admin/sensitive-content/csv',
    summary: 'Export sensitive content as CSV',
    description: `One finding per line, with the filters of the list. At most ${MAX_EXPORTED.toLocaleString('en')} lines.`,
    audit: { action: 'sensitive_content.export' },
    query: FindingQuery,
    reply: z.string(),
    mediaType: 'text/csv; charset=utf-8',
    services: ['db'],
    handle: async ({ query, services: { db }, signal, warn }) => {
      const lines = await csvLines(db, toFilter(query), signal)
      if (lines.length > MAX_EXPORTED) warn(`The export ends after ${MAX_EXPORTED} lines.`)
      return [csvRow(CSV_COLUMNS), ...lines.slice(0, MAX_EXPORTED)].join('')
    },
  }),
  route({
    ...defaults,
    ...decision,
    name: 'releaseSensitiveDocument',
    method: 'POST',
    path: '/admin/sensitive-content/release',
    summary: 'Release document from quarantine',
    description: 'People find the document again until its text changes. `"released": false` takes the decision back.',
    audit: {
      action: 'sensitive_content.release',
      object: ({ body }) => auditedDocumentId(body.document_id),
      counts: ({ released }) => [released ? 'released' : 'held'],
    },
    body: ReleaseRequest,
    reply: z.object({ document_id: z.string(), released: z.boolean() }).meta({ id: 'SensitiveReleaseResponse' }),
    handle: async ({ body, services }) => {
      await releaseDocument(services, body)
      return body
    },
  }),
  route({
    ...defaults,
    ...decision,
    name: 'dismissSensitiveFinding',
    method: 'POST',
    path: '/admin/sensitive-content/dismiss',
    summary: 'Dismiss finding',
    description:
      'The findings of this kind in the document are no problem until their count changes: they are not counted and keep no document in quarantine. `"dismissed": false` takes the decision back.',
    audit: {
      action: 'sensitive_content.dismiss',
      object: ({ body }) => auditedDocumentId(body.document_id),
      counts: ({ kind, dismissed }) => [kind, dismissed ? 'dismissed' : 'reported'],
    },
    body: DismissalRequest,
    reply: z
      .object({ document_id: z.string(), kind, dismissed: z.boolean() })
      .meta({ id: 'SensitiveDismissalResponse' }),
    handle: async ({ body, services }) => {
      await dismissFinding(services, body)
      return body
    },
  }),
]

const withSecrecy = <T extends { kind: z.infer<typeof kind> }>(it: T) => ({ ...it, is_secret: isSecretKind(it.kind) })

function toView({ seq: _, ...document }: SensitiveDocument): z.infer<typeof SensitiveDocumentView> {
  return {
    ...document,
    semantic_identifier: maskSensitive(document.semantic_identifier),
    found_at: iso(document.found_at),
    quarantined_at: isoOrNull(document.quarantined_at),
    released_at: isoOrNull(document.released_at),
    findings: document.findings.map((it) => ({ ...it, dismissed_at: isoOrNull(it.dismissed_at) })),
  }
}

async function csvLines(db: Queryable, filter: ReturnType<typeof toFilter>, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = []
  for (let before: number | null = null; lines.length <= MAX_EXPORTED; ) {
    const page: SensitiveDocument[] = await listSensitiveDocuments(db, filter, { before, limit: EXPORT_BATCH })
    for (const it of page) lines.push(...linesOf(toView(it), filter.kind))
    before = page[EXPORT_BATCH - 1]?.seq ?? null
    if (before === null) break
    signal.throwIfAborted()
  }
  return lines
}

const linesOf = (it: z.infer<typeof SensitiveDocumentView>, only: string | null): string[] =>
  it.findings
    .filter((finding) => only === null || finding.kind === only)
    .map(({ kind, count, dismissed_at, places }) =>
      csvRow([
        ...[it.document_id, it.semantic_identifier, it.source, it.cc_pairs.map((pair) => pair.name).join('; ')],
        ...[kind, count, stateOf(it, dismissed_at)],
        places
          .map((place) => [`section ${place.section}`, place.heading].filter((part) => part !== null).join(': '))
          .join('; '),
        ...[it.found_at, it.quarantined_at, it.released_at],
      ]),
    )

function stateOf(document: z.infer<typeof SensitiveDocumentView>, dismissed_at: string | null): string {
  if (dismissed_at !== null) return 'dismissed'
  if (document.released_at !== null) return 'released'
  return document.quarantined_at === null ? 'open' : 'quarantined'
}
