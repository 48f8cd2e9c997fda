import { Readable } from 'node:stream'
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { emailKeyOf, type Subject } from '../../../domain/subject.ts'
import { exportOwnData, exportPerson, forgetPerson } from '../../../identity/personal-data.ts'
import { findPersonByEmail } from '../../../store/identity/people.ts'
import { nullish, WITHOUT_NUL, wireEnum, wireString } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'
import { UserByEmail } from './users.ts'

const personDefaults = {
  access: 'admin',
  tag: 'People',
  params: z.object({ email: wireString({ min: 1, max: 500, pattern: WITHOUT_NUL }) }),
} as const

const count = z.int()
const PersonDeletion = z
  .object({
    pseudonym: z
      .string()
      .describe('The pseudonym that replaces the person in the audit. It cannot be traced back to the person.'),
    deleted: z.object({ api_keys: count, tokens: count, files: count }),
    anonymised: z.object({ documents: count, credentials: count, document_sets: count, egress_approvals: count }),
    kept: z.object({ files: count, tools: count, personas: count, cc_pairs: count }),
  })
  .meta({ id: 'PersonDeletion' })

async function* ndjsonLines(items: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const it of items) yield `${JSON.stringify(it)}\n`
}

type ForgetServices = RouteServices<'db' | 'blobs' | 'indexer' | 'queryLog' | 'now'>

async function forgetOther(
  services: ForgetServices,
  {
    email,
    isWithFiles,
    subject,
    requestId,
  }: { email: string; isWithFiles: boolean; subject: Subject; requestId: string },
): Promise<z.infer<typeof PersonDeletion>> {
  if (subject.email !== null && emailKeyOf(subject.email) === emailKeyOf(email)) {
    throw new AppError('INVALID_INPUT', {
      reason: 'The key acts for this person. Use the key of another administrator.',
    })
  }
  await services.queryLog.flush()
  return forgetPerson(services, email, { isWithFiles, requestId, wake: (seq) => services.indexer.wake(seq) })
}

export const personRoutes = [
  route({
    ...personDefaults,
    name: 'exportPersonData',
    method: 'GET',
    path: '/admin/person/{email}/export',
    summary: "Export a person's data",
    description:
      'Returns one JSON object per line: keys, tokens, files, objects created by the person, audit entries, and documents that name the address as owner or reader. The last line has kind `end`; without it the export is incomplete. Secrets are omitted.',
    audit: {
      action: 'person.export',
      object: async ({ params, services: { db } }) => (await findPersonByEmail(db, params.email))?.id ?? null,
    },
    reply: z.custom<Readable>().meta({ type: 'string' }),
    mediaType: 'application/x-ndjson',
    services: ['db', 'audit', 'queryLog', 'now'],
    handle: async ({ params, services }) => {
      await services.queryLog.flush()
      return Readable.from(ndjsonLines(exportPerson(services, params.email)))
    },
  }),
  route({
    name: 'exportOwnData',
    method: 'GET',
    path: '/user/data',
    access: 'pats',
    tag: 'People',
    summary: 'Export own data',
    description:
      'Returns one JSON object per line: the account, keys, tokens, sessions, files, searches, feedback, chats, objects created by the caller, and what the audit has of the actions of the caller. The last line has kind `end`; without it the export is incomplete. Secrets are omitted. Documents that name the caller, and actions of administrators, are in the export of an administrator only.',
    audit: { action: 'person.export' },
    reply: z.custom<Readable>().meta({ type: 'string' }),
    mediaType: 'application/x-ndjson',
    errors: ['NO_PERSON'],
    services: ['db', 'audit', 'queryLog', 'now'],
    handle: async ({ subject: { person_id, email }, services }) => {
      if (person_id === null || email === null) throw new AppError('NO_PERSON')
      await services.queryLog.flush()
      return Readable.from(ndjsonLines(exportOwnData(services, email)))
    },
  }),
  route({
    ...personDefaults,
    name: 'deletePersonData',
    method: 'DELETE',
    path: '/admin/person/{email}',
    summary: "Delete a person's data",
    description:
      'Deletes the keys that act for the person and their tokens, and removes the address from documents, credentials, document sets, approvals and the audit. Objects that others use remain without a name; files remain unless `files=delete`. If a source still names the person, the address returns with the next version of the document. The request is idempotent.',
    query: z.object({ files: nullish(wireEnum(['keep', 'delete'])) }),
    audit: { action: 'person.delete', object: (_, { pseudonym }) => pseudonym },
    reply: PersonDeletion,
    errors: ['INVALID_INPUT', 'LAST_ADMIN'],
    services: ['db', 'blobs', 'indexer', 'queryLog', 'now'],
    handle: ({ params: { email }, query, subject, services, requestId }) =>
      forgetOther(services, { email, isWithFiles: query.files === 'delete', subject, requestId }),
  }),
  route({
    name: 'deleteUser',
    method: 'DELETE',
    path: '/manage/admin/delete-user',
    access: 'admin',
    tag: 'People',
    summary: 'Delete a person',
    description: 'The same as `DELETE /admin/person/{email}`, as existing clients call it. Files remain.',
    audit: { action: 'person.delete', object: (_, { pseudonym }) => pseudonym },
    body: UserByEmail,
    reply: PersonDeletion,
    errors: ['INVALID_INPUT', 'LAST_ADMIN'],
    services: ['db', 'blobs', 'indexer', 'queryLog', 'now'],
    handle: ({ body: { user_email: email }, subject, services, requestId }) =>
      forgetOther(services, { email, isWithFiles: false, subject, requestId }),
  }),
]
