// Personas: lists the usable ones, and creates, updates and shares own ones.
import { z } from 'zod'
import { StarterMessage } from '../../../domain/chat/persona.ts'
import { groupIds } from '../../../domain/connector.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import {
  deletePersona,
  getPersona,
  getPersonaForEditor,
  getVisiblePersona,
  insertPersona,
  listPersonas,
  type PersonaChange,
  type PersonaContent,
  updatePersona,
} from '../../../store/chats/personas.ts'
import {
  NOT_BLANK,
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireInteger,
  wirePathInteger,
  wireString,
  wireStringList,
} from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import {
  FullPersonaSnapshot,
  fullPersonaSnapshot,
  loadPersonaViewer,
  MinimalPersonaSnapshot,
  minimalPersonaSnapshot,
} from '../../views/persona-snapshot.ts'
import { pageFields, toPage } from '../../wire/page.ts'

const textField = (max: number) => wireString({ max, pattern: WITHOUT_NUL })
const idList = wireArray(wireInteger(), { max: 1_000 })
const unsupportedList = (what: string) =>
  nullish(wireArray(z.unknown(), { max: 1_000 })).refine((it) => it === null || it.length === 0, what)
const NO_PERSONA_DOCUMENTS = 'personas cannot have documents of their own: use `document_set_ids`'

const contentFields = {
  name: wireString({ min: 1, max: 1_000, pattern: NOT_BLANK }),
  description: textField(100_000),
  document_set_ids: idList.describe('Restricts searches to these sets. Empty: no restriction.'),
  tool_ids: idList,
  system_prompt: textField(100_000),
  task_prompt: textField(100_000),
  datetime_aware: wireBoolean().describe('Tells the model the current date and time.'),
  replace_base_system_prompt: nullish(wireBoolean()).describe(
    '`system_prompt` replaces the built-in prompt instead of following it.',
  ),
  starter_messages: nullish(wireArray(StarterMessage, { max: 100 })),
  search_start_date: nullish(wireDateTime()).describe('Restricts searches to documents updated since this date.'),
  default_model_configuration_id: nullish(wireInteger()),
  llm_model_provider_override: nullish(textField(1_000)),
  llm_model_version_override: nullish(textField(1_000)),
  icon_name: nullish(textField(1_000)),
  uploaded_image_id: nullish(textField(100)),
  remove_image: nullish(wireBoolean()),
  display_priority: nullish(wireInteger()),
  label_ids: unsupportedList('labels are not supported: omit this field'),
  user_file_ids: unsupportedList(NO_PERSONA_DOCUMENTS),
  hierarchy_node_ids: unsupportedList(NO_PERSONA_DOCUMENTS),
  document_ids: unsupportedList(NO_PERSONA_DOCUMENTS),
}
const sharingFields = {
  is_public: nullish(wireBoolean()),
  users: nullish(wireStringList({ max: 10_000 })).describe('User ids of keys, or email addresses of people.'),
  groups: nullish(groupIds),
}

const PersonaUpsertRequest = z
  .object({
    ...contentFields,
    ...sharingFields,
    is_featured: nullish(wireBoolean()).describe('Administrators only.'),
  })
  .meta({ id: 'PersonaUpsertRequest' })
type PersonaUpsertRequest = z.infer<typeof PersonaUpsertRequest>
const PersonaUpdateRequest = PersonaUpsertRequest.extend({
  expected_version: nullish(wireString({ max: 100 })).describe('The `version` of the persona that this changes.'),
}).meta({ id: 'PersonaUpdateRequest' })

const personaContent = (body: PersonaUpsertRequest): PersonaContent => ({
  name: body.name,
  description: body.description,
  document_set_ids: body.document_set_ids,
  tool_ids: body.tool_ids,
  system_prompt: body.system_prompt,
  task_prompt: body.task_prompt,
  datetime_aware: body.datetime_aware,
  replace_base_system_prompt: body.replace_base_system_prompt ?? false,
  starter_messages: body.starter_messages ?? [],
  search_start_date: body.search_start_date,
  default_model_configuration_id: body.default_model_configuration_id,
  llm_model_provider_override: body.llm_model_provider_override,
  llm_model_version_override: body.llm_model_version_override,
  icon_name: body.icon_name,
  uploaded_image_id: body.remove_image === true ? null : body.uploaded_image_id,
  display_priority: body.display_priority,
})

const personaSharing = ({
  is_public,
  users,
  groups,
}: Pick<PersonaUpsertRequest, 'is_public' | 'users' | 'groups'>) => ({
  ...(is_public !== null && { is_public }),
  ...(users !== null && { users }),
  ...(groups !== null && { groups: groups.map(String) }),
})

/** Only administrators may feature a persona, because it is then shown to all users. */
function checkFeatured({ is_featured }: PersonaUpsertRequest, subject: Subject): void {
  if (is_featured === true && !subject.rights.has('admin')) {
    throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
  }
}

/** Keeps the stored image if none is sent and it is not removed. */
const changeKeepingImage = (body: PersonaUpsertRequest): PersonaChange => {
  const { uploaded_image_id, ...content } = personaContent(body)
  const isKept = body.uploaded_image_id === null && body.remove_image !== true
  return isKept ? content : { ...content, uploaded_image_id }
}

const ownDefaults = { access: 'chat', tag: 'Personas' } as const
const readDefaults = { access: ['chat', 'read:chat'], tag: 'Personas' } as const
const PersonaPath = z.object({ persona_id: wirePathInteger() })

export const personaRoutes = [
  route({
    ...readDefaults,
    name: 'listPersonas',
    method: 'GET',
    path: '/persona',
    summary: 'List personas',
    query: z.object({
      ...pageFields,
      include_unlisted: nullish(wireBoolean()).describe('Also the unlisted ones that the caller may change.'),
    }),
    reply: z.array(MinimalPersonaSnapshot),
    services: ['db', 'secrets'],
    handle: async ({ query, subject, services }) => {
      const viewer = await loadPersonaViewer(services.db, subject)
      const page = { ...toPage(query), isWithUnlisted: query.include_unlisted ?? false }
      return (await listPersonas(services, subject, page)).map((it) => minimalPersonaSnapshot(it, viewer))
    },
  }),
  route({
    ...readDefaults,
    name: 'listPersonaLabels',
    method: 'GET',
    path: '/persona/labels',
    summary: 'List persona labels',
    description: 'Always empty: labels are not supported.',
    reply: z.array(z.object({ id: z.int(), name: z.string() }).meta({ id: 'PersonaLabelSnapshot' })),
    handle: () => [],
  }),
  route({
    ...readDefaults,
    name: 'getPersona',
    method: 'GET',
    path: '/persona/{persona_id}',
    summary: 'Get persona',
    description: 'Persona 0 is the built-in persona. A persona that is not shared is shown to those who may change it.',
    params: PersonaPath,
    reply: FullPersonaSnapshot,
    errors: ['PERSONA_NOT_FOUND'],
    services: ['db', 'secrets'],
    handle: async ({ params, subject, services }) =>
      fullPersonaSnapshot(
        await getVisiblePersona(services, subject, params.persona_id),
        await loadPersonaViewer(services.db, subject),
      ),
  }),
  route({
    ...ownDefaults,
    name: 'createPersona',
    method: 'POST',
    path: '/persona',
    audit: { action: 'persona.create', object: (_, persona) => persona.id },
    summary: 'Create persona',
    description: 'The persona belongs to its creator and is private unless it is shared.',
    body: PersonaUpsertRequest,
    reply: FullPersonaSnapshot,
    errors: ['TOOLS_NOT_FOUND', 'DOCUMENT_SET_NOT_FOUND', 'FILE_NOT_FOUND'],
    services: ['db', 'secrets', 'now'],
    handle: async ({ body, subject, services }) => {
      checkFeatured(body, subject)
      const sharing = { is_public: false, users: [], groups: [], ...personaSharing(body) }
      const is_featured = body.is_featured ?? false
      const id = await insertPersona(
        services.db,
        subject,
        { ...personaContent(body), ...sharing, is_featured },
        services.now(),
      )
      return fullPersonaSnapshot(await getPersona(services, subject, id), await loadPersonaViewer(services.db, subject))
    },
  }),
  route({
    ...ownDefaults,
    name: 'updatePersona',
    method: 'PATCH',
    path: '/persona/{persona_id}',
    audit: { action: 'persona.update', object: 'persona_id' },
    summary: 'Update persona',
    description:
      'Replaces all fields, except the image and the sharing fields if they are absent. With `expected_version`, the update fails with 409 if the persona has changed since it had that version.',
    params: PersonaPath,
    body: PersonaUpdateRequest,
    reply: FullPersonaSnapshot,
    errors: [
      ...(['PERSONA_NOT_FOUND', 'NOT_PERSONA_OWNER', 'NOT_CURATED'] as const),
      ...(['TOOLS_NOT_FOUND', 'DOCUMENT_SET_NOT_FOUND', 'FILE_NOT_FOUND', 'PERSONA_CHANGED'] as const),
    ],
    services: ['db', 'secrets', 'now'],
    handle: async ({ params: { persona_id }, body, subject, services }) => {
      checkFeatured(body, subject)
      const featured = body.is_featured === null ? {} : { is_featured: body.is_featured }
      const expected = { expectedVersion: body.expected_version }
      const change = { ...changeKeepingImage(body), ...personaSharing(body), ...featured, ...expected }
      await updatePersona(services.db, subject, persona_id, change, services.now())
      return fullPersonaSnapshot(
        await getPersonaForEditor(services, persona_id),
        await loadPersonaViewer(services.db, subject),
      )
    },
  }),
  route({
    ...ownDefaults,
    name: 'deletePersona',
    method: 'DELETE',
    path: '/persona/{persona_id}',
    audit: { action: 'persona.delete', object: 'persona_id' },
    summary: 'Delete persona',
    description:
      'Existing chats with the persona remain readable but cannot be continued. An administrator can undelete the persona.',
    params: PersonaPath,
    reply: z.null(),
    errors: ['PERSONA_NOT_FOUND', 'NOT_PERSONA_OWNER', 'VALIDATION_ERROR'],
    services: ['db', 'now'],
    handle: async ({ params, subject, services }) => {
      await deletePersona(services.db, subject, params.persona_id, services.now())
      return null
    },
  }),
  route({
    ...ownDefaults,
    name: 'sharePersona',
    method: 'PATCH',
    path: '/persona/{persona_id}/share',
    audit: { action: 'persona.share', object: 'persona_id' },
    summary: 'Share persona',
    description: 'Absent fields are unchanged.',
    params: PersonaPath,
    body: z
      .object({
        user_ids: nullish(wireStringList({ max: 10_000 })).describe('User ids of keys, or email addresses of people.'),
        group_ids: nullish(groupIds),
        is_public: nullish(wireBoolean()),
      })
      .meta({ id: 'PersonaShareRequest' }),
    reply: z.null(),
    errors: ['PERSONA_NOT_FOUND', 'NOT_PERSONA_OWNER', 'NOT_CURATED'],
    services: ['db', 'now'],
    handle: async ({ params, body: { user_ids: users, group_ids: groups, is_public }, subject, services }) => {
      const change = personaSharing({ users, groups, is_public })
      await updatePersona(services.db, subject, params.persona_id, change, services.now())
      return null
    },
  }),
  route({
    ...ownDefaults,
    name: 'setPersonaPublic',
    method: 'PATCH',
    path: '/persona/{persona_id}/public',
    audit: { action: 'persona.publish', object: 'persona_id' },
    summary: 'Set whether persona is public',
    params: PersonaPath,
    body: z.object({ is_public: wireBoolean() }).meta({ id: 'IsPublicRequest' }),
    reply: z.null(),
    errors: ['PERSONA_NOT_FOUND', 'NOT_PERSONA_OWNER', 'NOT_CURATED'],
    services: ['db', 'now'],
    handle: async ({ params, body, subject, services }) => {
      await updatePersona(services.db, subject, params.persona_id, body, services.now())
      return null
    },
  }),
]
