// Names of people: an administrator's change, and a person's own.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { Queryable } from '../../../store/database/database.ts'
import { findPerson, setPersonName } from '../../../store/identity/people.ts'
import { optionalNullable, WITHOUT_NUL, wireName, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const name = wireName(200)
const PersonalName = z.object({ personal_name: z.string().nullable() }).meta({ id: 'PersonalName' })
const Personalization = z.object({ name: z.string().nullable() }).meta({ id: 'Personalization' })

async function changeName(db: Queryable, id: string, sent: string | null, now: number): Promise<void> {
  if (!(await setPersonName(db, id, sent, now))) throw new AppError('PERSON_ID_NOT_FOUND', { id })
}

const ownDefaults = { access: 'pats', tag: 'People', path: '/user/personalization', services: ['db', 'now'] } as const

export const userNameRoutes = [
  route({
    name: 'updateUser',
    method: 'PATCH',
    path: '/manage/admin/users/{user_id}',
    access: 'admin',
    tag: 'People',
    summary: 'Set name of a person',
    description: 'Null removes the name. An absent name is left unchanged.',
    audit: { action: 'person.name', object: 'user_id' },
    params: z.object({ user_id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }) }),
    body: z.object({ personal_name: optionalNullable(name) }).meta({ id: 'UserUpdate' }),
    reply: PersonalName,
    errors: ['PERSON_ID_NOT_FOUND'],
    services: ['db', 'now'],
    handle: async ({ params: { user_id: id }, body: { personal_name }, services: { db, now } }) => {
      if (personal_name !== undefined) await changeName(db, id, personal_name, now())
      const person = await findPerson(db, id)
      if (person === undefined) throw new AppError('PERSON_ID_NOT_FOUND', { id })
      return { personal_name: person.name }
    },
  }),
  route({
    ...ownDefaults,
    name: 'getPersonalization',
    method: 'GET',
    summary: 'Get own name',
    reply: Personalization,
    errors: ['NO_PERSON'],
    handle: async ({ subject: { person_id }, services: { db } }) => {
      const person = person_id === null ? undefined : await findPerson(db, person_id)
      if (person === undefined) throw new AppError('NO_PERSON')
      return { name: person.name }
    },
  }),
  route({
    ...ownDefaults,
    name: 'updatePersonalization',
    method: 'PATCH',
    summary: 'Set own name',
    description: 'Null removes the name. An absent name is left unchanged.',
    audit: { action: 'person.name' },
    body: z.object({ name: optionalNullable(name) }).meta({ id: 'PersonalizationUpdate' }),
    reply: Personalization,
    errors: ['NO_PERSON'],
    handle: async ({ subject: { person_id: id }, body, services: { db, now } }) => {
      if (id === null) throw new AppError('NO_PERSON')
      if (body.name !== undefined && !(await setPersonName(db, id, body.name, now()))) throw new AppError('NO_PERSON')
      return { name: (await findPerson(db, id))?.name ?? null }
    },
  }),
]
