import { z } from 'zod'
import { groupIds, wireGroups } from '../../domain/connector.ts'
import {
  nullish,
  pathInteger,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireInteger,
  wireString,
  wireStringList,
} from '../../domain/wire.ts'
import { writableBy } from '../../identity/access.ts'
import {
  type DocumentSet,
  deleteDocumentSet,
  insertDocumentSet,
  listDocumentSets,
  updateDocumentSet,
} from '../../store/document-sets.ts'
import { isWritable, type WritablePairs } from '../../store/documents.ts'
import { pageFields, pageOf } from '../page.ts'
import { route } from '../route.ts'

const name = wireString({ min: 1, max: 1_000, pattern: WITHOUT_NUL })
const content = {
  description: wireString({ max: 100_000, pattern: WITHOUT_NUL }),
  cc_pair_ids: wireArray(wireInteger({ min: 0 }), { max: 10_000 }),
  is_public: wireBoolean(),
}

const DocumentSetCreationRequest = z
  .object({ name, ...content, users: nullish(wireStringList({ max: 10_000 })), groups: nullish(groupIds) })
  .meta({ id: 'DocumentSetCreationRequest' })

const DocumentSetUpdateRequest = z
  .object({
    id: wireInteger(),
    name: nullish(name),
    ...content,
    users: wireStringList({ max: 10_000 }),
    groups: groupIds,
  })
  .meta({ id: 'DocumentSetUpdateRequest' })

const DocumentSetSummary = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    cc_pair_summaries: z.array(
      z.object({ id: z.int(), name: z.string(), source: z.string(), access_type: z.string() }),
    ),
    is_up_to_date: z.boolean().describe('Always true: a set says which pairs count at the moment of a search.'),
    is_public: z.boolean(),
    users: z.array(z.string()),
    groups: z.array(z.union([z.int(), z.string()])),
    permissions: z.object({ edit: z.boolean(), delete: z.boolean(), publish: z.boolean() }),
    federated_connector_summaries: z.array(z.unknown()).describe('Always empty.'),
  })
  .meta({ id: 'DocumentSetSummary' })

/** Pairs that are closed to the reader stay out of a set that is open to them. */
const summary = (set: DocumentSet, pairs: WritablePairs, isEditable: boolean): z.infer<typeof DocumentSetSummary> => ({
  id: set.id,
  name: set.name,
  description: set.description,
  cc_pair_summaries: set.cc_pairs.filter((it) => isWritable(pairs, it.id)),
  is_up_to_date: true,
  is_public: set.is_public,
  users: isEditable ? set.users : [],
  groups: isEditable ? wireGroups(set.groups) : [],
  permissions: { edit: isEditable, delete: isEditable, publish: isEditable },
  federated_connector_summaries: [],
})

const admin = { access: 'connectors', tag: 'Document sets' } as const

export const documentSetRoutes = [
  route({
    ...admin,
    method: 'POST',
    path: '/manage/admin/document-set',
    audit: { action: 'document_set.create', object: (_, id) => id },
    summary: 'Create document set',
    description: 'Answers its id. A search narrows itself to sets by their names.',
    body: DocumentSetCreationRequest,
    reply: z.int(),
    errors: ['VALIDATION_ERROR', 'CC_PAIR_NOT_FOUND', 'DUPLICATE_RESOURCE'],
    handle: ({ body, services }) =>
      insertDocumentSet(
        services.db,
        { ...body, users: body.users ?? [], groups: (body.groups ?? []).map(String) },
        services.now(),
      ),
  }),
  route({
    ...admin,
    method: 'PATCH',
    path: '/manage/admin/document-set',
    audit: { action: 'document_set.update', object: ({ body }) => body.id },
    summary: 'Update document set',
    description: 'Everything but the name is replaced; the name is when it is given.',
    body: DocumentSetUpdateRequest,
    reply: z.null(),
    errors: ['VALIDATION_ERROR', 'DOCUMENT_SET_NOT_FOUND', 'CC_PAIR_NOT_FOUND', 'DUPLICATE_RESOURCE'],
    handle: async ({ body: { id, ...change }, services }) => {
      await updateDocumentSet(services.db, id, { ...change, groups: change.groups.map(String) }, services.now())
      return null
    },
  }),
  route({
    ...admin,
    method: 'DELETE',
    path: '/manage/admin/document-set/{document_set_id}',
    audit: { action: 'document_set.delete', object: 'document_set_id' },
    summary: 'Delete document set',
    description: 'Its documents stay.',
    params: z.object({ document_set_id: pathInteger() }),
    reply: z.null(),
    errors: ['DOCUMENT_SET_NOT_FOUND'],
    handle: async ({ params, services }) => {
      await deleteDocumentSet(services.db, params.document_set_id)
      return null
    },
  }),
  route({
    method: 'GET',
    path: '/manage/document-set',
    access: 'search',
    tag: 'Document sets',
    summary: 'List document sets',
    description: 'Those that the key may search in; who manages connectors sees all.',
    query: z.object({ ...pageFields, get_editable: nullish(wireBoolean()) }),
    reply: z.array(DocumentSetSummary),
    handle: async ({ query, subject, services: { db } }) => {
      const isEditable = subject.rights.has('connectors')
      if (query.get_editable === true && !isEditable) return []
      const pairs = await writableBy(db, subject)
      return (await listDocumentSets(db, subject, pageOf(query))).map((it) => summary(it, pairs, isEditable))
    },
  }),
]
