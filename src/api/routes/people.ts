import { Readable } from 'node:stream'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { nullish, WITHOUT_NUL, wireEnum, wireString } from '../../domain/wire.ts'
import { exportPerson, forgetPerson } from '../../identity/people.ts'
import { route } from '../route.ts'

const person = {
  access: 'admin',
  tag: 'People',
  params: z.object({ email: wireString({ min: 1, max: 500, pattern: WITHOUT_NUL }) }),
} as const

const count = z.int()
const PersonDeletion = z
  .object({
    pseudonym: z.string().describe('Under which the person stands in the audit; nothing leads from it to the person.'),
    deleted: z.object({ api_keys: count, tokens: count, files: count }),
    anonymised: z.object({ documents: count, credentials: count, document_sets: count, egress_approvals: count }),
    kept: z.object({ files: count, tools: count, personas: count, cc_pairs: count }),
  })
  .meta({ id: 'PersonDeletion' })

async function* linesOf(items: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const it of items) yield `${JSON.stringify(it)}\n`
}

export const personRoutes = [
  route({
    ...person,
    method: 'GET',
    path: '/admin/person/{email}/export',
    summary: "Export a person's data",
    description:
      'A JSON object a line: keys, tokens, files, what the person made, entries of the audit, and the documents in which the address stands as owner or reader. The last line has the kind `end`: without it the export is not whole. Secrets are left out.',
    audit: { action: 'person.export' },
    reply: z.custom<Readable>().meta({ type: 'string' }),
    mediaType: 'application/x-ndjson',
    handle: async ({ params, services }) => {
      await services.queryLog.flush()
      return Readable.from(linesOf(exportPerson(services, params.email)))
    },
  }),
  route({
    ...person,
    method: 'DELETE',
    path: '/admin/person/{email}',
    summary: "Delete a person's data",
    description:
      'Deletes the keys that act for the person, with their tokens, and takes the address out of documents, credentials, sets, approvals and audit. What the person made for others stays without a name; files stay unless `files=delete`. A source that still names the person brings the address back with the next version of a document. Again is fine.',
    query: z.object({ files: nullish(wireEnum(['keep', 'delete'])) }),
    audit: { action: 'person.delete', object: (_, { pseudonym }) => pseudonym },
    reply: PersonDeletion,
    errors: ['INVALID_INPUT'],
    handle: async ({ params, query, subject, services, requestId }) => {
      if (subject.email?.toLowerCase() === params.email.toLowerCase()) {
        throw new AppError('INVALID_INPUT', {
          reason: 'This key acts for that person. Use the key of another administrator.',
        })
      }
      await services.queryLog.flush()
      return forgetPerson(services, params.email, {
        isWithFiles: query.files === 'delete',
        requestId,
        wake: (seq) => services.indexer.wake(seq),
      })
    },
  }),
]
