import { z } from 'zod'
import { PAT_SCOPES, ROLES, SCOPES, type Subject } from '../../domain/subject.ts'
import { route } from '../route.ts'
import type { Services } from '../services.ts'
import { VERSION } from '../version.ts'
import { StatusResponse } from './connectors.ts'

export const VectorProgress = z
  .object({
    model: z.string(),
    pending: z.int(),
    total: z.int(),
    remaining_s: z.int().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'VectorProgress' })

const Readiness = z
  .object({
    success: z.boolean(),
    message: z.string().nullable(),
    data: z.object({
      accepted_seq: z.int(),
      indexed_seq: z.int(),
      pending: z.int().describe('Changes that are accepted and not yet searchable; an upper bound.'),
      waiting_for: z.string().nullable(),
      index: z
        .object({
          state: z.enum(['ready', 'rebuilding']),
          reason: z
            .enum(['missing', 'damaged', 'other_record', 'other_version'])
            .nullable()
            .describe(
              'Why the index is filled again from the record: it was not there, its files were damaged, it followed another record (or a newer state of this one), or another version made it.',
            ),
          done: z.int().nullable().describe('Documents that are in it so far, with those that lie in the trash.'),
          total: z.int().nullable(),
        })
        .describe('While it is rebuilt, searches find what is in it so far.'),
      embedding: z
        .object({
          model: z.string().nullable().describe('Null while documents are found by their words only.'),
          pending: z.int().describe('Chunks whose vector has yet to be made.'),
          total: z.int().describe('Chunks that take a vector.'),
          remaining_s: z
            .int()
            .nullable()
            .describe('How long that will take, at the rate of late; null while it is not known or nothing waits.'),
          reason: z.string().nullable().describe('Why there is no model, or why it stands still, if it does.'),
          next: VectorProgress.nullable().describe(
            'After a change of the model: the index that is made for the new one, and takes over when no vector is missing.',
          ),
        })
        .describe('Vectors find texts of like meaning. They follow the text, which is found by its words before.'),
      disk: z
        .object({ state: z.enum(['ok', 'low']), free_mb: z.number(), min_free_mb: z.number() })
        .describe('While it is `low`, documents and files are answered 503; searches and deletions go on.'),
    }),
  })
  .meta({ id: 'Readiness' })

const readinessOf = async ({
  indexer,
  refill,
  embedding,
  disk,
}: Services): Promise<z.infer<typeof Readiness>['data']> => ({
  ...indexer.progress(),
  index: refill.state(),
  embedding: await embedding.state(),
  disk: disk.state(),
})

export const UserInfo = z
  .object({
    id: z.string(),
    email: z.string().nullable(),
    is_active: z.boolean(),
    is_superuser: z.boolean(),
    is_verified: z.boolean(),
    role: z.enum(ROLES),
    scopes: z.array(z.enum([...SCOPES, ...PAT_SCOPES])).nullable(),
    effective_permissions: z.array(z.string()),
    groups: z.array(z.string()),
    api_key_id: z.int().nullable(),
  })
  .meta({ id: 'UserInfo' })

export const userInfo = (subject: Subject): z.infer<typeof UserInfo> => ({
  id: subject.user_id,
  email: subject.email,
  is_active: true,
  is_superuser: subject.role === 'admin',
  is_verified: true,
  role: subject.role,
  scopes: subject.scopes === null ? null : [...subject.scopes],
  effective_permissions: [...subject.rights],
  groups: [...subject.groups],
  api_key_id: subject.api_key_id,
})

export const stateRoutes = [
  route({
    method: 'GET',
    path: '/health',
    access: 'public',
    tag: 'State',
    summary: 'Is the process alive',
    reply: StatusResponse,
    handle: () => ({ success: true, message: 'ok', data: null }),
  }),
  route({
    method: 'GET',
    path: '/health/ready',
    access: 'public',
    tag: 'State',
    summary: 'Can it serve, and how far behind is the index',
    reply: Readiness,
    handle: async ({ services }) => ({ success: true, message: 'ok', data: await readinessOf(services) }),
  }),
  route({
    method: 'GET',
    path: '/version',
    access: 'public',
    tag: 'State',
    summary: 'Version',
    reply: z.object({ backend_version: z.string() }).meta({ id: 'VersionResponse' }),
    handle: () => ({ backend_version: VERSION }),
  }),
  route({
    method: 'GET',
    path: '/me',
    access: 'authenticated',
    tag: 'State',
    summary: 'Who this key stands for, and what it may do',
    reply: UserInfo,
    handle: ({ subject }) => userInfo(subject),
  }),
  route({
    method: 'GET',
    path: '/me/permissions',
    access: 'authenticated',
    tag: 'State',
    summary: 'What this key may do',
    reply: z.array(z.string()),
    handle: ({ subject }) => [...subject.rights].sort(),
  }),
]
