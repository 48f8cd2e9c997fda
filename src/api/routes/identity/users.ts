// People for administrators: who there is, and with which role. Paths and shapes are those of existing clients.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { emailKeyOf, ROLES, type Subject } from '../../../domain/subject.ts'
import { changePerson } from '../../../store/identity/change-person.ts'
import {
  countPeople,
  countPeopleByRole,
  type ListedPerson,
  listAddresses,
  listPeople,
} from '../../../store/identity/list-people.ts'
import { listInvitations } from '../../../store/identity/sign-in/account-links.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireEnum,
  wireInteger,
  wireString,
  wireUnion,
} from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'

const DEFAULT_PAGE_SIZE = 10
const MAX_PAGE_SIZE = 1_000
const EVERYBODY = { q: null, roles: null, is_active: null }
const ALL = { offset: 0, limit: Number.MAX_SAFE_INTEGER }

const role = wireEnum(ROLES)
const filterFields = {
  q: nullish(wireString({ max: 500, pattern: WITHOUT_NUL })).describe('A part of the address or the name.'),
  roles: nullish(wireUnion({ one: role, several: wireArray(role, { max: ROLES.length }) })).describe(
    'Repeat the parameter for several roles.',
  ),
  is_active: nullish(wireBoolean()),
}

const FullUserSnapshot = z
  .object({
    id: z.string(),
    email: z.string(),
    role: z.enum(ROLES),
    is_active: z.boolean(),
    is_verified: z.boolean(),
    password_configured: z.boolean(),
    personal_name: z.string().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().nullable(),
    groups: z.array(z.object({ id: z.int(), name: z.string() })),
    is_scim_synced: z.boolean(),
    api_key_count: z.int(),
  })
  .meta({ id: 'FullUserSnapshot' })

const fullUserSnapshot = (person: ListedPerson): z.infer<typeof FullUserSnapshot> => ({
  id: person.id,
  email: person.email,
  role: person.role,
  is_active: person.is_active === 1,
  is_verified: person.is_verified === 1,
  password_configured: person.password_hash !== null,
  personal_name: person.name,
  created_at: iso(person.time_created),
  updated_at: iso(person.time_updated),
  last_seen_at: isoOrNull(person.last_seen_at),
  groups: person.groups,
  is_scim_synced: person.is_scim_synced,
  api_key_count: person.api_key_count,
})

const user_email = wireString({ min: 1, max: 500, pattern: WITHOUT_NUL })
export const UserByEmail = z.object({ user_email }).meta({ id: 'UserByEmail' })

function requireOther(subject: Pick<Subject, 'email'>, email: string): void {
  if (subject.email === null || emailKeyOf(subject.email) !== emailKeyOf(email)) return
  throw new AppError('INVALID_INPUT', { reason: 'You act for this person. Ask another administrator.' })
}

const userDefaults = { access: 'admin', tag: 'People' } as const

const pageNumber = nullish(wireInteger({ min: 0, max: 1_000_000 }))

const AllUsers = z
  .object({
    accepted: z.array(FullUserSnapshot),
    invited: z.array(z.object({ email: z.string() })),
    slack_users: z.array(FullUserSnapshot).describe('Always empty.'),
    accepted_pages: z.int(),
    invited_pages: z.int(),
    slack_users_pages: z.int(),
  })
  .meta({ id: 'AllUsers' })

const pageOf = (page: number | null): typeof ALL =>
  page === null ? ALL : { offset: page * DEFAULT_PAGE_SIZE, limit: DEFAULT_PAGE_SIZE }

/** A list without a page is one page. */
const countPages = (page: number | null, entries: number): number =>
  page === null ? 1 : Math.ceil(entries / DEFAULT_PAGE_SIZE)

const userListRoutes = [
  route({
    ...userDefaults,
    name: 'listUsers',
    method: 'GET',
    path: '/manage/users/accepted',
    summary: 'List people by page',
    query: z.object({
      ...filterFields,
      page_num: nullish(wireInteger({ min: 0, max: 1_000_000 })).describe('The first page is 0, the default.'),
      page_size: nullish(wireInteger({ min: 1, max: MAX_PAGE_SIZE })).describe(`Default: ${DEFAULT_PAGE_SIZE}.`),
    }),
    reply: z.object({ items: z.array(FullUserSnapshot), total_items: z.int() }).meta({ id: 'UserPage' }),
    services: ['db'],
    handle: async ({ query: { page_num, page_size, q, roles, is_active }, services: { db } }) => {
      const limit = page_size ?? DEFAULT_PAGE_SIZE
      const filter = { q, roles: roles === null ? null : [roles].flat(), is_active }
      const people = await listPeople(db, filter, { offset: (page_num ?? 0) * limit, limit })
      return { items: people.map(fullUserSnapshot), total_items: await countPeople(db, filter) }
    },
  }),
  route({
    ...userDefaults,
    name: 'listAllUsers',
    method: 'GET',
    path: '/manage/users/accepted/all',
    summary: 'List all people',
    reply: z.array(FullUserSnapshot),
    services: ['db'],
    handle: async ({ services: { db } }) => (await listPeople(db, EVERYBODY, ALL)).map(fullUserSnapshot),
  }),
  route({
    ...userDefaults,
    name: 'listUsersAndInvitations',
    method: 'GET',
    path: '/manage/users',
    summary: 'List people and invitations',
    description: `Pages have ${DEFAULT_PAGE_SIZE} entries and begin with 0. A list without a page is complete.`,
    query: z.object({
      q: filterFields.q,
      accepted_page: pageNumber,
      invited_page: pageNumber,
      slack_users_page: pageNumber.describe('Accepted for compatibility; has no effect.'),
    }),
    reply: AllUsers,
    services: ['db', 'now'],
    handle: async ({ query: { q, accepted_page, invited_page }, services: { db, now } }) => {
      const filter = { ...EVERYBODY, q }
      const people = await listPeople(db, filter, pageOf(accepted_page))
      const part = (q ?? '').toLowerCase()
      const open = await listInvitations(db, { after: 0, limit: ALL.limit, now: now() })
      const invited = open
        .map((it) => ({ email: it.email ?? '' }))
        .filter(({ email }) => email.toLowerCase().includes(part))
      const { offset, limit } = pageOf(invited_page)
      return {
        accepted: people.map(fullUserSnapshot),
        invited: invited.slice(offset, offset + limit),
        slack_users: [],
        accepted_pages: countPages(accepted_page, await countPeople(db, filter)),
        invited_pages: countPages(invited_page, invited.length),
        slack_users_pages: 1,
      }
    },
  }),
  route({
    ...userDefaults,
    name: 'countUsers',
    method: 'GET',
    path: '/manage/users/counts',
    summary: 'Count people by role and status',
    reply: z
      .object({
        role_counts: z.record(z.string(), z.int()),
        status_counts: z.object({ active: z.int(), inactive: z.int() }),
      })
      .meta({ id: 'UserCounts' }),
    services: ['db'],
    handle: async ({ services: { db } }) => {
      const counts = await countPeopleByRole(db)
      const total = (some: typeof counts) => some.reduce((sum, it) => sum + it.count, 0)
      return {
        role_counts: Object.fromEntries(ROLES.map((role) => [role, total(counts.filter((it) => it.role === role))])),
        status_counts: {
          active: total(counts.filter((it) => it.is_active)),
          inactive: total(counts.filter((it) => !it.is_active)),
        },
      }
    },
  }),
  route({
    name: 'listUserAddresses',
    method: 'GET',
    path: '/users',
    access: 'search',
    tag: 'People',
    summary: 'List addresses of active people',
    query: z.object({
      q: nullish(wireString({ max: 500, pattern: WITHOUT_NUL })).describe('A part of the address.'),
      limit: nullish(wireInteger({ min: 1, max: MAX_PAGE_SIZE })).describe('Maximum number of items. Default: all.'),
    }),
    reply: z.array(z.object({ id: z.string(), email: z.string() }).meta({ id: 'UserAddress' })),
    services: ['db'],
    handle: ({ query, services: { db } }) => listAddresses(db, query),
  }),
  route({
    name: 'getUserRole',
    method: 'GET',
    path: '/manage/get-user-role',
    access: 'authenticated',
    tag: 'People',
    summary: 'Get own role',
    reply: z.object({ role: z.enum(ROLES) }).meta({ id: 'UserRoleResponse' }),
    handle: ({ subject: { role } }) => ({ role }),
  }),
]

const ChangedPerson = z
  .object({ pseudonym: z.string().describe('The pseudonym of the person in the audit.') })
  .meta({ id: 'ChangedPerson' })

export const userRoutes = [
  ...userListRoutes,
  route({
    ...userDefaults,
    name: 'setUserRole',
    method: 'PATCH',
    path: '/manage/set-user-role',
    summary: 'Set role of a person',
    description:
      'Takes effect with the next request, also for keys that act for the person. The last active administrator who can sign in keeps the role.',
    audit: { action: 'person.role', object: (_, { pseudonym }) => pseudonym },
    body: z
      .object({
        user_email,
        new_role: role,
        explicit_override: nullish(wireBoolean()).describe('Accepted for compatibility; has no effect.'),
      })
      .meta({ id: 'UserRoleUpdate' }),
    reply: ChangedPerson,
    errors: ['PERSON_NOT_FOUND', 'LAST_ADMIN', 'INVALID_INPUT'],
    services: ['db', 'now'],
    handle: async ({ body, subject, services: { db, now } }) => {
      if (body.new_role !== 'admin') requireOther(subject, body.user_email)
      const pseudonym = await changePerson(db, body.user_email, { role: body.new_role }, now())
      return { pseudonym }
    },
  }),
  route({
    ...userDefaults,
    name: 'deactivateUser',
    method: 'PATCH',
    path: '/manage/admin/deactivate-user',
    summary: 'Suspend a person',
    description: 'The keys, tokens and sessions of the person are refused from the next request on.',
    audit: { action: 'person.suspend', object: (_, { pseudonym }) => pseudonym },
    body: UserByEmail,
    reply: ChangedPerson,
    errors: ['PERSON_NOT_FOUND', 'LAST_ADMIN', 'INVALID_INPUT'],
    services: ['db', 'now'],
    handle: async ({ body, subject, services: { db, now } }) => {
      requireOther(subject, body.user_email)
      const pseudonym = await changePerson(db, body.user_email, { is_active: false }, now())
      return { pseudonym }
    },
  }),
  route({
    ...userDefaults,
    name: 'activateUser',
    method: 'PATCH',
    path: '/manage/admin/activate-user',
    summary: 'End the suspension of a person',
    audit: { action: 'person.activate', object: (_, { pseudonym }) => pseudonym },
    body: UserByEmail,
    reply: ChangedPerson,
    errors: ['PERSON_NOT_FOUND'],
    services: ['db', 'now'],
    handle: async ({ body, services: { db, now } }) => {
      const pseudonym = await changePerson(db, body.user_email, { is_active: true }, now())
      return { pseudonym }
    },
  }),
]
