// The ways of signing in, the keys and the groups of one person, for administrators.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { ROLES } from '../../../domain/subject.ts'
import { listKeysOfPerson } from '../../../store/identity/api-keys.ts'
import { listMembershipsOfPerson } from '../../../store/identity/list-groups.ts'
import { findPerson } from '../../../store/identity/people.ts'
import { listProvidersOfPerson } from '../../../store/identity/providers/person-identities.ts'
import { listPasskeys } from '../../../store/identity/sign-in/passkeys.ts'
import { hasSecondFactor } from '../../../store/identity/sign-in/second-factors.ts'
import { WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'

const time = () => z.iso.datetime()

const PersonDetails = z
  .object({
    has_password: z.boolean(),
    has_second_factor: z.boolean(),
    passkeys: z.array(z.object({ name: z.string(), created_at: time(), last_used_at: time().nullable() })),
    providers: z
      .array(z.object({ id: z.int(), name: z.string(), linked_at: time(), last_used_at: time() }))
      .describe('Sign-in providers at which the person has an account.'),
    api_keys: z
      .array(
        z.object({
          id: z.int(),
          name: z.string().nullable(),
          display: z.string(),
          role: z.enum(ROLES),
          created_at: time(),
          expires_at: time().nullable(),
          last_used_at: time().nullable(),
        }),
      )
      .describe('Keys that act for the person.'),
    groups: z
      .array(z.object({ id: z.int(), name: z.string(), origin: z.string(), is_curator: z.boolean() }))
      .describe('The origin is `manual`, or the place that alone changes the members.'),
  })
  .meta({ id: 'PersonDetails' })

export const personDetailsRoutes = [
  route({
    name: 'getPersonDetails',
    method: 'GET',
    path: '/manage/admin/users/{user_id}',
    access: 'admin',
    tag: 'People',
    summary: 'Get how a person signs in, with keys and groups',
    params: z.object({ user_id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }) }),
    reply: PersonDetails,
    errors: ['PERSON_ID_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params: { user_id: id }, services: { db } }) => {
      const person = await findPerson(db, id)
      if (person === undefined) throw new AppError('PERSON_ID_NOT_FOUND', { id })
      const [passkeys, providers] = [await listPasskeys(db, id), await listProvidersOfPerson(db, id)]
      const keys = await listKeysOfPerson(db, id)
      return {
        has_password: person.password_hash !== null,
        has_second_factor: await hasSecondFactor(db, id),
        passkeys: passkeys.map((it) => ({
          ...{ name: it.name, created_at: iso(it.time_created), last_used_at: isoOrNull(it.last_used_at) },
        })),
        providers: providers.map(({ time_created, last_used_at, ...it }) => ({
          ...{ ...it, linked_at: iso(time_created), last_used_at: iso(last_used_at) },
        })),
        api_keys: keys.map(({ id: keyId, name, display, role, created_at, expires_at, last_used_at }) => ({
          ...{ id: keyId, name, display, role, created_at: iso(created_at) },
          ...{ expires_at: isoOrNull(expires_at), last_used_at: isoOrNull(last_used_at) },
        })),
        groups: await listMembershipsOfPerson(db, id),
      }
    },
  }),
]
