// People as a table, for spreadsheets.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import { type AuditLog, buildAct } from '../../../identity/audit-log.ts'
import { MAX_LINES, readPeopleTable } from '../../../identity/people-table.ts'
import type { Queryable } from '../../../store/database/database.ts'
import { type ImportedPerson, type ImportResult, importPeople } from '../../../store/identity/import/import-people.ts'
import { listPeople } from '../../../store/identity/list-people.ts'
import { type RouteCall, route } from '../../route.ts'
import { csvRow } from '../../views/csv.ts'
import { isoOrNull } from '../../wire/iso.ts'

const COLUMNS = ['email', 'name', 'role', 'groups', 'active', 'verified', 'last_seen'] as const
const EVERYBODY = { q: null, roles: null, is_active: null }
const BATCH = 1_000

async function* usersCsv(db: Queryable): AsyncGenerator<string> {
  yield csvRow(COLUMNS)
  for (let offset = 0; ; offset += BATCH) {
    const people = await listPeople(db, EVERYBODY, { offset, limit: BATCH })
    for (const it of people) {
      const groups = it.groups.map(({ name }) => name).join(';')
      const states = [String(it.is_active === 1), String(it.is_verified === 1), isoOrNull(it.last_seen_at)]
      yield csvRow([it.email, it.name, it.role, groups, ...states])
    }
    if (people.length < BATCH) return
  }
}

const MAX_PROBLEMS = 100
const MAX_BYTES = 4 * 1024 * 1024
const FLAGS = new Map([
  ['', false],
  ['true', true],
  ['false', false],
])
const SHOWN_PROBLEMS = 5

const PeopleImport = z
  .object({
    applied: z.boolean().describe('False for a dry run, which changes nothing.'),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    problems: z
      .array(z.object({ line: z.int(), reason: z.string() }))
      .describe('Only in a dry run: lines that an import refuses, the first 100.'),
  })
  .meta({ id: 'PeopleImport' })

async function receiveTable({ files }: Pick<RouteCall<unknown, unknown, unknown>, 'files'>) {
  const texts = new Map<string, string>()
  let bytes: Buffer | undefined
  for await (const file of files({ maxBytes: MAX_BYTES, texts })) {
    const received = await buffer(file.bytes)
    if (file.field === 'file') bytes ??= received
  }
  if (bytes === undefined)
    throw new AppError('INVALID_INPUT', { reason: 'The form has no field "file" with a CSV file.' })
  const isDryRun = FLAGS.get((texts.get('dry_run') ?? '').trim().toLowerCase())
  if (isDryRun === undefined)
    throw new AppError('INVALID_INPUT', { reason: 'The field "dry_run" is neither true nor false.' })
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isDryRun }
  } catch {
    throw new AppError('INVALID_INPUT', { reason: 'The file is not UTF-8. Save it as "CSV UTF-8".' })
  }
}

function requireNoProblems(problems: ImportResult['problems']): void {
  if (problems.length === 0) return
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(({ line, reason }) => `Line ${line}: ${reason}`)
  const more = problems.length > SHOWN_PROBLEMS ? ` A dry run lists all ${problems.length} problems.` : ''
  throw new AppError('INVALID_INPUT', { reason: `${shown.join(' ')}${more} Nothing was changed.` })
}

async function recordImport(
  audit: AuditLog,
  subject: Subject,
  { change, pseudonym, fields, request_id }: ImportedPerson & { request_id: string },
): Promise<void> {
  if (change === 'unchanged') return
  const action = change === 'created' ? 'person.create' : 'person.update'
  const outcome = { outcome: 'success', error_code: null } as const
  await audit.record(buildAct(subject, { action, object_id: pseudonym, fields, request_id, ...outcome }))
}

const importRoute = route({
  name: 'importUsersCsv',
  method: 'POST',
  path: '/manage/admin/users/csv',
  access: 'admin',
  tag: 'People',
  summary: 'Import people from CSV',
  description: `Creates and changes people, all or none, at most ${MAX_LINES} of them. The first line names the columns: \`email\`, and any of \`name\`, \`role\`, \`groups\` (separated by \`;\`) and \`active\`. A column that is absent changes nothing; an empty name or list of groups removes them. \`groups\` lists all manual groups of the person. New people have no password: invite them.`,
  upload: {
    fields: ['file'],
    texts: { dry_run: '`true` reports what an import would do, and changes nothing. Default: `false`.' },
  },
  audit: { action: 'person.import' },
  reply: PeopleImport,
  errors: ['INVALID_INPUT', 'LAST_ADMIN'],
  services: ['db', 'now', 'audit'],
  handle: async (call) => {
    const { subject, requestId } = call
    const { db, now, audit } = call.services
    const { text, isDryRun } = await receiveTable(call)
    const table = readPeopleTable(text)
    if (!isDryRun) requireNoProblems(table.problems)
    const request = { entries: table.entries, importer: subject.person_id, isDryRun }
    const { people, problems } = await importPeople(db, request, now())
    const all = [...table.problems, ...problems].toSorted((a, b) => a.line - b.line)
    if (!isDryRun) {
      requireNoProblems(all)
      await Promise.all(people.map((it) => recordImport(audit, subject, { ...it, request_id: requestId })))
    }
    const count = (change: string) => people.filter((it) => it.change === change).length
    const report = { created: count('created'), updated: count('updated'), unchanged: count('unchanged') }
    return { applied: !isDryRun, ...report, problems: all.slice(0, MAX_PROBLEMS) }
  },
})

export const userCsvRoutes = [
  route({
    name: 'exportUsersCsv',
    method: 'GET',
    path: '/manage/admin/users/csv',
    access: 'admin',
    tag: 'People',
    summary: 'Export people as CSV',
    description: 'One person per line, in the order of the addresses. Groups are separated by `;`.',
    audit: { action: 'person.export_list' },
    reply: z.custom<Readable>().meta({ type: 'string' }),
    mediaType: 'text/csv; charset=utf-8',
    services: ['db'],
    handle: ({ services: { db } }) => Readable.from(usersCsv(db)),
  }),
  importRoute,
]
