import { Readable } from 'node:stream'
import { z } from 'zod'
import { AUDIT_OUTCOMES, type AuditEntry } from '../../../domain/audit.ts'
import { nullish, WITHOUT_NUL, wireDateTime, wireEnum, wireInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { csvRow } from '../../views/csv.ts'
import { iso } from '../../wire/iso.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

const optionalText = () => nullish(wireString({ max: 2_000, pattern: WITHOUT_NUL }))
const filterFields = {
  actor: optionalText().describe('A user id, an email address, or `system`.'),
  action: optionalText().describe('For example `api_key.create`.'),
  object_type: optionalText(),
  object_id: optionalText().describe('An id, or the email address of a person.'),
  outcome: nullish(wireEnum(AUDIT_OUTCOMES)),
  request_id: optionalText(),
  from: nullish(wireDateTime()).describe('Inclusive start of the time range.'),
  until: nullish(wireDateTime()).describe('Exclusive end of the time range.'),
}
const AuditFilter = z.object(filterFields)
const AuditQuery = z.object({
  ...filterFields,
  limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe(`Default: ${DEFAULT_LIMIT}.`),
  after: nullish(wireInteger({ min: 0 })).describe('The id of the last item of the previous page.'),
})

const AuditEntrySnapshot = z
  .object({
    id: z.int(),
    at: z.iso.datetime(),
    actor_id: z.string().describe('The `user_id` of the key, or `system`.'),
    api_key_id: z.int().nullable().describe("Null for the operator's key."),
    actor_email: z
      .string()
      .nullable()
      .describe('The person the key acts for. Null if there is none, or if the person was deleted.'),
    action: z.string(),
    object_type: z.string(),
    object_id: z.string().nullable(),
    object_email: z
      .string()
      .nullable()
      .describe('The address of the person that the object is. Null for other objects, or if the person was deleted.'),
    outcome: z
      .enum(AUDIT_OUTCOMES)
      .describe('`failed`: an internal error occurred; the action may or may not have been performed.'),
    error_code: z.string().nullable(),
    fields: z.array(z.string()).describe('Names of the fields that were sent.'),
    request_id: z.string().nullable(),
    hash: z.string().describe('Hash over this entry and the previous one.'),
  })
  .meta({ id: 'AuditEntry' })
type AuditEntrySnapshot = z.infer<typeof AuditEntrySnapshot>

const AuditCheckSnapshot = z
  .object({
    is_whole: z.boolean(),
    entries: z.int(),
    first_id: z.int().nullable(),
    last_id: z.int().nullable(),
    last_hash: z.string().nullable(),
    broken_at: z.int().nullable(),
  })
  .meta({ id: 'AuditCheck' })

const auditEntrySnapshot = ({ person: _, at, fields, ...entry }: AuditEntry): AuditEntrySnapshot => ({
  ...entry,
  at: iso(at),
  fields: [...fields],
})

const COLUMNS = AuditEntrySnapshot.keyof().options

async function* auditCsv(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  yield csvRow(COLUMNS)
  for await (const it of entries) {
    const entry = auditEntrySnapshot(it)
    yield csvRow(COLUMNS.map((column) => (column === 'fields' ? entry.fields.join(' ') : entry[column])))
  }
}

async function* auditNdjson(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  for await (const it of entries) yield `${JSON.stringify(auditEntrySnapshot(it))}\n`
}

const auditDefaults = { method: 'GET', access: 'admin', tag: 'Audit' } as const
const streamedText = z.custom<Readable>().meta({ type: 'string' })

export const auditRoutes = [
  route({
    ...auditDefaults,
    name: 'listAuditEntries',
    path: '/admin/audit',
    summary: 'List audit entries',
    description: 'Newest first. Entries are append-only and are deleted after `audit_retention_days`.',
    query: AuditQuery,
    reply: z.array(AuditEntrySnapshot),
    services: ['audit'],
    handle: async ({ query: { limit, after, ...filter }, services }) =>
      (await services.audit.list(filter, { before: after, limit: limit ?? DEFAULT_LIMIT })).map(auditEntrySnapshot),
  }),
  route({
    ...auditDefaults,
    name: 'exportAuditCsv',
    path: '/admin/audit/csv',
    summary: 'Export audit as CSV',
    query: AuditFilter,
    audit: { action: 'audit.export' },
    reply: streamedText,
    mediaType: 'text/csv; charset=utf-8',
    services: ['audit'],
    handle: ({ query, services }) => Readable.from(auditCsv(services.audit.streamAll(query))),
  }),
  route({
    ...auditDefaults,
    name: 'exportAuditNdjson',
    path: '/admin/audit/ndjson',
    summary: 'Export audit as NDJSON',
    description: 'One entry per line.',
    query: AuditFilter,
    audit: { action: 'audit.export' },
    reply: streamedText,
    mediaType: 'application/x-ndjson',
    services: ['audit'],
    handle: ({ query, services }) => Readable.from(auditNdjson(services.audit.streamAll(query))),
  }),
  route({
    ...auditDefaults,
    name: 'checkAuditChain',
    path: '/admin/audit/check',
    summary: 'Verify audit hash chain',
    description:
      'Each entry holds a hash over itself and the previous entry. The service also logs `last_hash`; keep the log elsewhere to detect entries missing at the end.',
    reply: AuditCheckSnapshot,
    services: ['audit'],
    handle: async ({ services }) => {
      const check = await services.audit.check()
      return { is_whole: check.broken_at === null, ...check }
    },
  }),
]
