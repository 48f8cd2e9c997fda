import { z } from 'zod'
import { groupIds } from '../../../domain/connector.ts'
import { getWritablePairs } from '../../../identity/access.ts'
import {
  deleteDocumentSet,
  insertDocumentSet,
  listDocumentSets,
  listManagedSets,
  managesSet,
  updateDocumentSet,
} from '../../../store/sources/document-sets.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireInteger,
  wireName,
  wirePathInteger,
  wireString,
  wireStringList,
} from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { DocumentSetSummary, documentSetSummary } from '../../views/document-set-summary.ts'
import { pageFields, toPage } from '../../wire/page.ts'

const name = wireName()
const contentFields = {
  description: wireString({ max: 100_000, pattern: WITHOUT_NUL }),
  cc_pair_ids: wireArray(wireInteger({ min: 0 }), { max: 10_000 }),
  is_public: wireBoolean(),
}

const DocumentSetCreationRequest = z
  .object({ name, ...contentFields, users: nullish(wireStringList({ max: 10_000 })), groups: nullish(groupIds) })
  .meta({ id: 'DocumentSetCreationRequest' })

const DocumentSetUpdateRequest = z
  .object({
    id: wireInteger(),
    name: nullish(name),
    ...contentFields,
    users: wireStringList({ max: 10_000 }),
    groups: groupIds,
    expected_version: nullish(wireString({ max: 100 })).describe('The `version` of the set that this changes.'),
  })
  .meta({ id: 'DocumentSetUpdateRequest' })

const adminDefaults = { access: ['connectors', 'curate'], tag: 'Document sets' } as const

export const documentSetRoutes = [
  route({
    ...adminDefaults,
    name: 'createDocumentSet',
    method: 'POST',
    path: '/manage/admin/document-set',
    audit: { action: 'document_set.create', object: (_, id) => id },
    summary: 'Create document set',
    description: 'Returns the id of the set. Searches filter by the names of sets.',
    body: DocumentSetCreationRequest,
    reply: z.int(),
    errors: ['VALIDATION_ERROR', 'CC_PAIR_NOT_FOUND', 'DUPLICATE_RESOURCE', 'NOT_CURATED'],
    services: ['db', 'now'],
    handle: ({ body, subject, services }) =>
      insertDocumentSet(
        services.db,
        subject,
        { ...body, users: body.users ?? [], groups: (body.groups ?? []).map(String) },
        services.now(),
      ),
  }),
  route({
    ...adminDefaults,
    name: 'updateDocumentSet',
    method: 'PATCH',
    path: '/manage/admin/document-set',
    audit: { action: 'document_set.update', object: ({ body }) => body.id },
    summary: 'Update document set',
    description:
      'Replaces all fields; the name is only replaced if it is sent. Pairs of the set that are closed to a curator stay in it. With `expected_version`, the update fails with 409 if the set has changed since it had that version.',
    body: DocumentSetUpdateRequest,
    reply: z.null(),
    errors: [
      ...(['VALIDATION_ERROR', 'DOCUMENT_SET_NOT_FOUND', 'CC_PAIR_NOT_FOUND'] as const),
      ...(['DUPLICATE_RESOURCE', 'NOT_CURATED', 'DOCUMENT_SET_CHANGED'] as const),
    ],
    services: ['db', 'now'],
    handle: async ({ body: { id, expected_version: expectedVersion, ...fields }, subject, services }) => {
      const change = { ...fields, groups: fields.groups.map(String), expectedVersion }
      await updateDocumentSet(services.db, subject, id, change, services.now())
      return null
    },
  }),
  route({
    ...adminDefaults,
    name: 'deleteDocumentSet',
    method: 'DELETE',
    path: '/manage/admin/document-set/{document_set_id}',
    audit: { action: 'document_set.delete', object: 'document_set_id' },
    summary: 'Delete document set',
    description: 'The documents of the set are not deleted.',
    params: z.object({ document_set_id: wirePathInteger() }),
    reply: z.null(),
    errors: ['DOCUMENT_SET_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services }) => {
      await deleteDocumentSet(services.db, subject, params.document_set_id)
      return null
    },
  }),
  route({
    name: 'listDocumentSets',
    method: 'GET',
    path: '/manage/document-set',
    access: 'search',
    tag: 'Document sets',
    summary: 'List document sets',
    description: 'Lists the sets that the key may search; keys that manage connectors see all sets.',
    query: z.object({ ...pageFields, get_editable: nullish(wireBoolean()) }),
    reply: z.array(DocumentSetSummary),
    services: ['db'],
    handle: async ({ query, subject, services: { db } }) => {
      const list = query.get_editable === true ? listManagedSets : listDocumentSets
      const pairs = await getWritablePairs(db, subject)
      return (await list(db, subject, toPage(query))).map((it) =>
        documentSetSummary(it, { pairs, isEditable: managesSet(subject, it) }),
      )
    },
  }),
]
