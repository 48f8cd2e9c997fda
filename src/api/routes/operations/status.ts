import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { displayEmail, PAT_SCOPES, permissionsOf, ROLES, SCOPES, type Subject } from '../../../domain/subject.ts'
import { resultOrTimeout } from '../../../flow/result-or-timeout.ts'
import type { Queryable } from '../../../store/database/database.ts'
import { retryAfterHeaders } from '../../http/retry-after.ts'
import { type RouteServices, route } from '../../route.ts'
import { API_VERSION } from '../../version.ts'
import { preferencesOf, UserPreferences } from '../identity/preferences.ts'
import { StatusResponse } from '../sources/connectors.ts'

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
      pending: z.int().describe('Number of accepted changes that are not searchable yet; an upper bound.'),
      waiting_for: z.string().nullable(),
      index: z
        .object({
          state: z.enum(['ready', 'rebuilding']),
          reason: z
            .enum(['missing', 'damaged', 'other_record', 'other_version'])
            .nullable()
            .describe(
              'Why the index is rebuilt from the database: it was missing, its files were damaged, it belonged to another database (or a newer state of this one), or it was written by another version.',
            ),
          done: z.int().nullable().describe('Number of documents indexed so far, including documents in the trash.'),
          total: z.int().nullable(),
        })
        .describe('During a rebuild, searches return the documents indexed so far.'),
      embedding: z
        .object({
          model: z.string().nullable().describe('Null if search is keyword-only.'),
          pending: z.int().describe('Number of chunks without a vector.'),
          total: z.int().describe('Number of chunks that need a vector.'),
          remaining_s: z
            .int()
            .nullable()
            .describe(
              'Estimated seconds until all vectors are computed, at the recent rate. Null if unknown or nothing is pending.',
            ),
          reason: z.string().nullable().describe('Why there is no model, or why embedding is stalled.'),
          next: VectorProgress.nullable().describe(
            'Progress of the index for a new embedding model, which takes over once all vectors are computed.',
          ),
        })
        .describe('Vectors enable semantic search. They are computed in the background; keyword search works before.'),
      disk: z
        .object({ state: z.enum(['ok', 'low']), free_mb: z.number(), min_free_mb: z.number() })
        .describe('While `low`, documents and files are rejected with 503; searches and deletions continue.'),
      record: z
        .object({
          state: z
            .enum(['ok', 'incomplete', 'replaced', 'damaged'])
            .describe(
              '`incomplete`: acknowledged data is missing. `replaced`: the database does not belong to DATA_DIR. `damaged`: some pages cannot be read.',
            ),
          reason: z.string().nullable().describe('Details, with a remedy.'),
        })
        .describe('Integrity of the database.'),
    }),
  })
  .meta({ id: 'Readiness' })

/** Combines the error format with the readiness data, so that both kinds of clients can read the response. */
function notReadyResponse(faults: readonly string[], data: object): Response {
  const error = new AppError('SERVICE_UNAVAILABLE', { reason: faults.join(' ') })
  const { code, status, message } = error
  const body = { error_code: code, detail: message, success: false, message, data }
  return Response.json(body, { status, headers: retryAfterHeaders(error) })
}

/** The index normally responds within milliseconds; readiness must not wait for a stalled one. */
const EMBEDDING_TIMEOUT_MS = 5_000

const UNKNOWN_EMBEDDING = {
  model: null,
  pending: 0,
  total: 0,
  remaining_s: null,
  reason: 'The index does not respond.',
  next: null,
}

const getEmbeddingState = (embedding: RouteServices<'embedding'>['embedding']) =>
  resultOrTimeout(
    embedding.state().catch(() => UNKNOWN_EMBEDDING),
    EMBEDDING_TIMEOUT_MS,
    UNKNOWN_EMBEDDING,
  )

const getReadinessData = async ({
  indexer,
  indexRebuild,
  embedding,
  disk,
  record,
}: RouteServices<'indexer' | 'indexRebuild' | 'embedding' | 'disk' | 'record'>): Promise<
  z.infer<typeof Readiness>['data']
> => ({
  ...indexer.progress(),
  index: indexRebuild.state(),
  embedding: await getEmbeddingState(embedding),
  disk: disk.state(),
  record: record.state(),
})

export const UserInfo = z
  .object({
    id: z.string(),
    email: z
      .string()
      .describe('The address of the person the key acts for, or else an undeliverable address under `key.invalid`.'),
    is_active: z.boolean(),
    is_superuser: z.boolean(),
    is_verified: z.boolean(),
    role: z.enum(ROLES),
    scopes: z.array(z.enum([...SCOPES, ...PAT_SCOPES])).nullable(),
    effective_permissions: z.array(z.string()),
    groups: z.array(z.string()),
    api_key_id: z.int().nullable(),
    preferences: UserPreferences,
  })
  .meta({ id: 'UserInfo' })

/** Our pages read the rights, existing clients the permissions of the wire. */
const permissionNames = ({ rights }: Pick<Subject, 'rights'>): string[] => [
  ...new Set<string>([...rights, ...permissionsOf(rights)]),
]

export const userInfo = async (db: Queryable, subject: Subject): Promise<z.infer<typeof UserInfo>> => ({
  id: subject.user_id,
  email: displayEmail(subject),
  is_active: true,
  is_superuser: subject.role === 'admin',
  is_verified: true,
  role: subject.role,
  scopes: subject.scopes === null ? null : [...subject.scopes],
  effective_permissions: permissionNames(subject),
  groups: [...subject.groups],
  api_key_id: subject.api_key_id,
  preferences: await preferencesOf(db, subject),
})

export const statusRoutes = [
  route({
    name: 'getHealth',
    method: 'GET',
    path: '/health',
    access: 'public',
    tag: 'State',
    summary: 'Get liveness',
    reply: StatusResponse,
    handle: () => ({ success: true, message: 'ok', data: null }),
  }),
  route({
    name: 'getReadiness',
    method: 'GET',
    path: '/health/ready',
    access: 'public',
    tag: 'State',
    summary: 'Get readiness',
    description:
      'Responds with 503 while documents cannot be searched or accepted, with the reasons in `detail` and `message` and the fields of the Readiness schema. Pending work alone (index changes, embeddings, a rebuild) is reported with 200.',
    reply: Readiness,
    errors: ['SERVICE_UNAVAILABLE'],
    services: ['indexer', 'indexRebuild', 'readiness', 'embedding', 'disk', 'record'],
    handle: async ({ services }) => {
      const [faults, data] = await Promise.all([services.readiness.faults(), getReadinessData(services)])
      return faults.length === 0 ? { success: true, message: 'ok', data } : notReadyResponse(faults, data)
    },
  }),
  route({
    name: 'getVersion',
    method: 'GET',
    path: '/version',
    access: 'public',
    tag: 'State',
    summary: 'Get version',
    reply: z.object({ backend_version: z.string() }).meta({ id: 'VersionResponse' }),
    handle: () => ({ backend_version: API_VERSION }),
  }),
  route({
    ignoresLimits: true,
    name: 'getMe',
    method: 'GET',
    path: '/me',
    access: 'authenticated',
    tag: 'State',
    summary: 'Get current user',
    reply: UserInfo,
    services: ['db'],
    handle: ({ subject, services: { db } }) => userInfo(db, subject),
  }),
  route({
    name: 'getMyPermissions',
    method: 'GET',
    path: '/me/permissions',
    access: 'authenticated',
    tag: 'State',
    summary: 'Get own permissions',
    reply: z.object({ permissions: z.array(z.string()) }).meta({ id: 'MyPermissionsResponse' }),
    handle: ({ subject }) => ({ permissions: permissionNames(subject).sort() }),
  }),
]
