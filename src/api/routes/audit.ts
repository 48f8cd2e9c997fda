import { Readable } from 'node:stream'
import { z } from 'zod'
import { AUDIT_OUTCOMES, type AuditEntry } from '../../domain/audit.ts'
import { nullish, wireDateTime, wireEnum, wireInteger, wireString } from '../../domain/wire.ts'
import { csvRow } from '../csv.ts'
import { iso } from '../iso.ts'
import { route } from '../route.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

const text = () => nullish(wireString({ max: 2_000 }))
const filterFields = {
  actor: text().describe('A user id, an e-mail, or `system`.'),
  action: text().describe('As `api_key.create`.'),
  object_type: text(),
  object_id: text(),
  outcome: nullish(wireEnum(AUDIT_OUTCOMES)),
  request_id: text(),
  from: nullish(wireDateTime()).describe('Since then.'),
  until: nullish(wireDateTime()).describe('Before then.'),
}
const AuditFilter = z.object(filterFields)
const AuditQuery = z.object({
  ...filterFields,
  limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe(`${DEFAULT_LIMIT} if it is not said.`),
  after: nullish(wireInteger({ min: 0 })).describe('The id of the last item of the page before.'),
})

const AuditEntrySnapshot = z
  .object({
    id: z.int(),
    at: z.iso.datetime(),
    actor_id: z.string().describe('The `user_id` of the key, or `system`.'),
    api_key_id: z.int().nullable().describe("Null for the operator's own key."),
    actor_email: z.string().nullable().describe('The person that the key acts for, unless that was deleted.'),
    action: z.string(),
    object_type: z.string(),
    object_id: z.string().nullable(),
    outcome: z.enum(AUDIT_OUTCOMES).describe('`failed`: an error of the service, so it may have been done or not.'),
    error_code: z.string().nullable(),
    fields: z.array(z.string()).describe('The names of the fields that were sent.'),
    request_id: z.string().nullable(),
    hash: z.string().describe('Of this entry and the one before it.'),
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

const snapshot = ({ person: _, at, fields, ...entry }: AuditEntry): AuditEntrySnapshot => ({
  ...entry,
  at: iso(at),
  fields: [...fields],
})

const COLUMNS = Object.keys(AuditEntrySnapshot.shape) as (keyof AuditEntrySnapshot)[]

async function* csvOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  yield csvRow(COLUMNS)
  for await (const it of entries) {
    const entry = snapshot(it)
    yield csvRow(COLUMNS.map((column) => (column === 'fields' ? entry.fields.join(' ') : entry[column])))
  }
}

async function* ndjsonOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  for await (const it of entries) yield `${JSON.stringify(snapshot(it))}\n`
}

const audit = { method: 'GET', access: 'admin', tag: 'Audit' } as const
const stream = z.custom<Readable>().meta({ type: 'string' })

export const auditRoutes = [
  route({
    ...audit,
    path: '/admin/audit',
    summary: 'List what administrators did',
    description:
      'Newest first. Entries are added and never changed; they go when `audit_retention_days` of the settings are over.',
    query: AuditQuery,
    reply: z.array(AuditEntrySnapshot),
    handle: async ({ query: { limit, after, ...filter }, services }) =>
      (await services.audit.list(filter, { before: after, limit: limit ?? DEFAULT_LIMIT })).map(snapshot),
  }),
  route({
    ...audit,
    path: '/admin/audit/csv',
    summary: 'Export the audit for a spreadsheet',
    query: AuditFilter,
    audit: { action: 'audit.export' },
    reply: stream,
    mediaType: 'text/csv; charset=utf-8',
    handle: ({ query, services }) => Readable.from(csvOf(services.audit.all(query))),
  }),
  route({
    ...audit,
    path: '/admin/audit/ndjson',
    summary: 'Export the audit for a program',
    description: 'An entry a line.',
    query: AuditFilter,
    audit: { action: 'audit.export' },
    reply: stream,
    mediaType: 'application/x-ndjson',
    handle: ({ query, services }) => Readable.from(ndjsonOf(services.audit.all(query))),
  }),
  route({
    ...audit,
    path: '/admin/audit/check',
    summary: 'Check that no entry of the audit was changed',
    description:
      'Each entry holds a hash of itself and of the one before. `last_hash` is also in the log of the service: if that is kept elsewhere, it shows whether entries are missing at the end.',
    reply: AuditCheckSnapshot,
    handle: async ({ services }) => {
      const check = await services.audit.check()
      return { is_whole: check.broken_at === null, ...check }
    },
  }),
]
