// People as a table, for spreadsheets.
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Queryable } from '../../../store/database/database.ts'
import { listPeople } from '../../../store/identity/list-people.ts'
import { route } from '../../route.ts'
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
]
