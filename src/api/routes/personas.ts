// Personas: those that one may chat with, and one's own to make and to share.
import { z } from 'zod'
import { groupIds } from '../../domain/connector.ts'
import { AppError } from '../../domain/errors.ts'
import { StarterMessage } from '../../domain/persona.ts'
import type { Subject } from '../../domain/subject.ts'
import {
  HOLDS_A_WORD,
  nullish,
  pathInteger,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireInteger,
  wireString,
  wireStringList,
} from '../../domain/wire.ts'
import {
  deletePersona,
  getEditedPersona,
  getPersona,
  insertPersona,
  listPersonas,
  type PersonaChange,
  type PersonaContent,
  updatePersona,
} from '../../store/personas.ts'
import { PageQuery } from '../page.ts'
import { FullPersonaSnapshot, fullPersona, MinimalPersonaSnapshot, minimalPersona } from '../persona-snapshot.ts'
import { route } from '../route.ts'

const text = (max: number) => wireString({ max, pattern: WITHOUT_NUL })
const ids = wireArray(wireInteger(), { max: 1_000 })
const none = (what: string) =>
  nullish(wireArray(z.unknown(), { max: 1_000 })).refine((it) => it === null || it.length === 0, what)
const NO_KNOWLEDGE = 'a persona has no documents of its own here: give it `document_set_ids`'

const contentFields = {
  name: wireString({ min: 1, max: 1_000, pattern: HOLDS_A_WORD }),
  description: text(100_000),
  document_set_ids: ids.describe('Its chats find documents of these sets only; none is no limit.'),
  tool_ids: ids,
  system_prompt: text(100_000),
  task_prompt: text(100_000),
  datetime_aware: wireBoolean().describe('It knows what day it is.'),
  replace_base_system_prompt: nullish(wireBoolean()).describe('`system_prompt` stands instead of ours, not after it.'),
  starter_messages: nullish(wireArray(StarterMessage, { max: 100 })),
  search_start_date: nullish(wireDateTime()).describe('Its chats find documents that were updated since.'),
  default_model_configuration_id: nullish(wireInteger()),
  llm_model_provider_override: nullish(text(1_000)),
  llm_model_version_override: nullish(text(1_000)),
  icon_name: nullish(text(1_000)),
  uploaded_image_id: nullish(text(100)),
  remove_image: nullish(wireBoolean()),
  display_priority: nullish(wireInteger()),
  label_ids: none('there are no labels here: leave it out'),
  user_file_ids: none(NO_KNOWLEDGE),
  hierarchy_node_ids: none(NO_KNOWLEDGE),
  document_ids: none(NO_KNOWLEDGE),
}
const sharingFields = {
  is_public: nullish(wireBoolean()),
  users: nullish(wireStringList({ max: 10_000 })).describe('Ids of keys, or e-mail addresses of people.'),
  groups: nullish(groupIds),
}

const PersonaUpsertRequest = z
  .object({
    ...contentFields,
    ...sharingFields,
    is_featured: nullish(wireBoolean()).describe('For administrators.'),
  })
  .meta({ id: 'PersonaUpsertRequest' })
type PersonaUpsertRequest = z.infer<typeof PersonaUpsertRequest>

const contentOf = (body: PersonaUpsertRequest): PersonaContent => ({
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

const sharingOf = ({ is_public, users, groups }: Pick<PersonaUpsertRequest, 'is_public' | 'users' | 'groups'>) => ({
  ...(is_public !== null && { is_public }),
  ...(users !== null && { users }),
  ...(groups !== null && { groups: groups.map(String) }),
})

/** What stands on everybody's first page is not for everybody to decide. */
function checkFeatured({ is_featured }: PersonaUpsertRequest, subject: Subject): void {
  if (is_featured === true && !subject.rights.has('admin')) {
    throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
  }
}

/** What was left out of the image stays, unless it is to go. */
const imageOf = (body: PersonaUpsertRequest): PersonaChange => {
  const { uploaded_image_id, ...content } = contentOf(body)
  const isKept = body.uploaded_image_id === null && body.remove_image !== true
  return isKept ? content : { ...content, uploaded_image_id }
}

const own = { access: 'chat', tag: 'Personas' } as const
const reading = { access: ['chat', 'read:chat'], tag: 'Personas' } as const
const PersonaPath = z.object({ persona_id: pathInteger() })

export const personaRoutes = [
  route({
    ...reading,
    method: 'GET',
    path: '/persona',
    summary: 'List personas',
    query: PageQuery,
    reply: z.array(MinimalPersonaSnapshot),
    handle: async ({ query, subject, services }) =>
      (await listPersonas(services, subject, query)).map((it) => minimalPersona(it, subject)),
  }),
  route({
    ...reading,
    method: 'GET',
    path: '/persona/{persona_id}',
    summary: 'Get persona',
    description: 'Persona 0 is built in.',
    params: PersonaPath,
    reply: FullPersonaSnapshot,
    errors: ['PERSONA_NOT_FOUND'],
    handle: async ({ params, subject, services }) =>
      fullPersona(await getPersona(services, subject, params.persona_id), subject),
  }),
  route({
    ...own,
    method: 'POST',
    path: '/persona',
    audit: { action: 'persona.create', object: (_, persona) => (persona as { id: number }).id },
    summary: 'Create persona',
    description: 'It belongs to who makes it, and nobody else sees it unless it is shared.',
    body: PersonaUpsertRequest,
    reply: FullPersonaSnapshot,
    errors: ['TOOLS_NOT_FOUND', 'DOCUMENT_SET_NOT_FOUND'],
    handle: async ({ body, subject, services }) => {
      checkFeatured(body, subject)
      const sharing = { is_public: false, users: [], groups: [], ...sharingOf(body) }
      const is_featured = body.is_featured ?? false
      const id = await insertPersona(
        services.db,
        subject,
        { ...contentOf(body), ...sharing, is_featured },
        services.now(),
      )
      return fullPersona(await getPersona(services, subject, id), subject)
    },
  }),
  route({
    ...own,
    method: 'PATCH',
    path: '/persona/{persona_id}',
    audit: { action: 'persona.update', object: 'persona_id' },
    summary: 'Update persona',
    description: 'Everything is replaced but its image, and with whom it is shared where that is left out.',
    params: PersonaPath,
    body: PersonaUpsertRequest,
    reply: FullPersonaSnapshot,
    errors: ['PERSONA_NOT_FOUND', 'NOT_PERSONA_OWNER', 'TOOLS_NOT_FOUND', 'DOCUMENT_SET_NOT_FOUND'],
    handle: async ({ params: { persona_id }, body, subject, services }) => {
      checkFeatured(body, subject)
      const featured = body.is_featured === null ? {} : { is_featured: body.is_featured }
      const change = { ...imageOf(body), ...sharingOf(body), ...featured }
      await updatePersona(services.db, subject, persona_id, change, services.now())
      return fullPersona(await getEditedPersona(services, persona_id), subject)
    },
  }),
  route({
    ...own,
    method: 'DELETE',
    path: '/persona/{persona_id}',
    audit: { action: 'persona.delete', object: 'persona_id' },
    summary: 'Delete persona',
    description: 'Chats that were led with it stay, and go on no more. An administrator can bring it back.',
    params: PersonaPath,
    reply: z.null(),
    errors: ['PERSONA_NOT_FOUND', 'NOT_PERSONA_OWNER', 'VALIDATION_ERROR'],
    handle: async ({ params, subject, services }) => {
      await deletePersona(services.db, subject, params.persona_id, services.now())
      return null
    },
  }),
  route({
    ...own,
    method: 'PATCH',
    path: '/persona/{persona_id}/share',
    audit: { action: 'persona.share', object: 'persona_id' },
    summary: 'Share persona',
    description: 'What is left out stays as it is.',
    params: PersonaPath,
    body: z
      .object({
        user_ids: nullish(wireStringList({ max: 10_000 })).describe('Ids of keys, or e-mail addresses of people.'),
        group_ids: nullish(groupIds),
        is_public: nullish(wireBoolean()),
      })
      .meta({ id: 'PersonaShareRequest' }),
    reply: z.null(),
    errors: ['PERSONA_NOT_FOUND', 'NOT_PERSONA_OWNER'],
    handle: async ({ params, body: { user_ids: users, group_ids: groups, is_public }, subject, services }) => {
      const change = sharingOf({ users, groups, is_public })
      await updatePersona(services.db, subject, params.persona_id, change, services.now())
      return null
    },
  }),
  route({
    ...own,
    method: 'PATCH',
    path: '/persona/{persona_id}/public',
    audit: { action: 'persona.publish', object: 'persona_id' },
    summary: 'Open persona to everybody',
    params: PersonaPath,
    body: z.object({ is_public: wireBoolean() }).meta({ id: 'IsPublicRequest' }),
    reply: z.null(),
    errors: ['PERSONA_NOT_FOUND', 'NOT_PERSONA_OWNER'],
    handle: async ({ params, body, subject, services }) => {
      await updatePersona(services.db, subject, params.persona_id, body, services.now())
      return null
    },
  }),
]
