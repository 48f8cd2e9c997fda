import { z } from 'zod'
import { ToolSnapshot } from '../../domain/tool.ts'
import { pathInteger } from '../../domain/wire.ts'
import { getPersona, listPersonas, type StoredPersona } from '../../store/personas.ts'
import { isoOrNull } from '../iso.ts'
import { PageQuery } from '../page.ts'
import { route } from '../route.ts'

const StarterMessage = z.object({ name: z.string(), message: z.string() }).meta({ id: 'StarterMessage' })

/**
 * In the words of two generations of clients: `is_visible` and `is_listed`, `is_default_persona` and `is_featured`.
 * Personas have no documents, models or labels of their own, so what tells of them is empty.
 */
const MinimalPersonaSnapshot = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    tools: z.array(ToolSnapshot),
    starter_messages: z.array(StarterMessage),
    document_sets: z.array(z.unknown()),
    hierarchy_node_count: z.int(),
    attached_document_count: z.int(),
    knowledge_sources: z.array(z.string()),
    default_model_configuration_id: z.null(),
    llm_model_provider_override: z.null(),
    llm_model_version_override: z.null(),
    llm_relevance_filter: z.boolean(),
    llm_filter_extraction: z.boolean(),
    uploaded_image_id: z.string().nullable(),
    icon_name: z.string().nullable(),
    is_public: z.boolean(),
    is_listed: z.boolean(),
    is_visible: z.boolean(),
    display_priority: z.int().nullable(),
    is_featured: z.boolean(),
    is_default_persona: z.boolean(),
    builtin_persona: z.boolean(),
    labels: z.array(z.unknown()),
    owner: z.object({ id: z.string(), email: z.string().nullable() }).nullable(),
    owner_group: z.null(),
    user_permission: z.null(),
  })
  .meta({ id: 'MinimalPersonaSnapshot' })

const FullPersonaSnapshot = MinimalPersonaSnapshot.extend({
  system_prompt: z.string(),
  task_prompt: z.string(),
  datetime_aware: z.boolean(),
  replace_base_system_prompt: z.boolean(),
  search_start_date: z.iso.datetime().nullable(),
  user_file_ids: z.array(z.string()),
  hierarchy_nodes: z.array(z.unknown()),
  attached_documents: z.array(z.unknown()),
  users: z.array(z.unknown()),
  groups: z.array(z.int()),
}).meta({ id: 'FullPersonaSnapshot' })

const minimal = (stored: StoredPersona): z.infer<typeof MinimalPersonaSnapshot> => ({
  id: stored.id,
  name: stored.name,
  description: stored.description,
  tools: stored.tools,
  starter_messages: JSON.parse(stored.starter_messages),
  document_sets: [],
  hierarchy_node_count: 0,
  attached_document_count: 0,
  knowledge_sources: [],
  default_model_configuration_id: null,
  llm_model_provider_override: null,
  llm_model_version_override: null,
  llm_relevance_filter: false,
  llm_filter_extraction: false,
  uploaded_image_id: stored.uploaded_image_id,
  icon_name: stored.icon_name,
  is_public: stored.is_public === 1,
  is_listed: stored.is_listed === 1,
  is_visible: stored.is_listed === 1,
  display_priority: stored.display_priority,
  is_featured: stored.is_featured === 1,
  is_default_persona: stored.is_featured === 1,
  builtin_persona: stored.builtin_persona === 1,
  labels: [],
  owner: stored.user_id === null ? null : { id: stored.user_id, email: null },
  owner_group: null,
  user_permission: null,
})

const full = (stored: StoredPersona): z.infer<typeof FullPersonaSnapshot> => ({
  ...minimal(stored),
  system_prompt: stored.system_prompt,
  task_prompt: stored.task_prompt,
  datetime_aware: stored.datetime_aware === 1,
  replace_base_system_prompt: stored.replace_base_system_prompt === 1,
  search_start_date: isoOrNull(stored.search_start_date),
  user_file_ids: [],
  hierarchy_nodes: [],
  attached_documents: [],
  users: [],
  groups: [],
})

export const personaRoutes = [
  route({
    method: 'GET',
    path: '/persona',
    access: ['chat', 'read:chat'],
    tag: 'Personas',
    summary: 'List personas',
    query: PageQuery,
    reply: z.array(MinimalPersonaSnapshot),
    handle: async ({ query, subject, services }) => (await listPersonas(services, subject, query)).map(minimal),
  }),
  route({
    method: 'GET',
    path: '/persona/{persona_id}',
    access: ['chat', 'read:chat'],
    tag: 'Personas',
    summary: 'Get persona',
    description: 'Persona 0 is built in.',
    params: z.object({ persona_id: pathInteger() }),
    reply: FullPersonaSnapshot,
    errors: ['PERSONA_NOT_FOUND'],
    handle: async ({ params, subject, services }) => full(await getPersona(services, subject, params.persona_id)),
  }),
]
