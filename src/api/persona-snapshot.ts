// A persona as the wire shows it, in the words of two generations of clients: `is_visible` and `is_listed`,
// `is_default_persona` and `is_featured`. There are no labels and no knowledge but document sets, so those are empty.
import { z } from 'zod'
import { wireGroups } from '../domain/connector.ts'
import { StarterMessage } from '../domain/persona.ts'
import type { Subject } from '../domain/subject.ts'
import { ToolSnapshot } from '../domain/tool.ts'
import { isEditable, type StoredPersona } from '../store/personas.ts'
import { isoOrNull } from './iso.ts'

const DocumentSet = z.object({ id: z.int(), name: z.string(), description: z.string() })

export const MinimalPersonaSnapshot = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    tools: z.array(ToolSnapshot),
    starter_messages: z.array(StarterMessage),
    document_sets: z.array(DocumentSet),
    hierarchy_node_count: z.int(),
    attached_document_count: z.int(),
    knowledge_sources: z.array(z.string()),
    default_model_configuration_id: z.int().nullable(),
    llm_model_provider_override: z.string().nullable(),
    llm_model_version_override: z.string().nullable(),
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
    permissions: z
      .object({ edit: z.boolean(), delete: z.boolean(), share: z.boolean() })
      .describe('What the key may do with it.'),
  })
  .meta({ id: 'MinimalPersonaSnapshot' })

export const FullPersonaSnapshot = MinimalPersonaSnapshot.extend({
  system_prompt: z.string(),
  task_prompt: z.string(),
  datetime_aware: z.boolean(),
  replace_base_system_prompt: z.boolean(),
  search_start_date: z.iso.datetime().nullable(),
  user_file_ids: z.array(z.string()),
  hierarchy_nodes: z.array(z.unknown()),
  attached_documents: z.array(z.unknown()),
  users: z.array(z.string()).describe('With whom it is shared; empty for who may not change it.'),
  groups: z.array(z.union([z.int(), z.string()])),
}).meta({ id: 'FullPersonaSnapshot' })

export function minimalPersona(stored: StoredPersona, subject: Subject): z.infer<typeof MinimalPersonaSnapshot> {
  const mayEdit = isEditable(stored, subject)
  return {
    id: stored.id,
    name: stored.name,
    description: stored.description,
    tools: stored.tools,
    starter_messages: JSON.parse(stored.starter_messages),
    document_sets: stored.document_sets,
    hierarchy_node_count: 0,
    attached_document_count: 0,
    knowledge_sources: [],
    default_model_configuration_id: stored.default_model_configuration_id,
    llm_model_provider_override: stored.llm_model_provider_override,
    llm_model_version_override: stored.llm_model_version_override,
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
    permissions: { edit: mayEdit, delete: mayEdit && stored.builtin_persona === 0, share: mayEdit },
  }
}

export function fullPersona(stored: StoredPersona, subject: Subject): z.infer<typeof FullPersonaSnapshot> {
  const mayEdit = isEditable(stored, subject)
  return {
    ...minimalPersona(stored, subject),
    system_prompt: stored.system_prompt,
    task_prompt: stored.task_prompt,
    datetime_aware: stored.datetime_aware === 1,
    replace_base_system_prompt: stored.replace_base_system_prompt === 1,
    search_start_date: isoOrNull(stored.search_start_date),
    user_file_ids: [],
    hierarchy_nodes: [],
    attached_documents: [],
    users: mayEdit ? JSON.parse(stored.users) : [],
    groups: mayEdit ? wireGroups(JSON.parse(stored.groups)) : [],
  }
}
