// A persona in the form of the API. Two generations of clients use different names for the same fields: `is_visible` and
// `is_listed`, `is_default_persona` and `is_featured`. Labels and knowledge other than document sets do not exist here.
import { z } from 'zod'
import { StarterMessage } from '../../domain/chat/persona.ts'
import { groupIdsToWire } from '../../domain/connector.ts'
import { displayEmail, type Subject } from '../../domain/subject.ts'
import { ToolSnapshot } from '../../domain/tools/tool.ts'
import { getWritablePairs } from '../../identity/access.ts'
import { personaVersion } from '../../store/chats/persona-version.ts'
import { isEditablePersona, personId, type StoredPersona } from '../../store/chats/personas.ts'
import type { Queryable } from '../../store/database/database.ts'
import type { WritablePairs } from '../../store/documents/scope.ts'
import { managesSet } from '../../store/sources/document-sets.ts'
import { isoOrNull } from '../wire/iso.ts'
import { DocumentSetSummary, documentSetSummary } from './document-set-summary.ts'

const MinimalUserSnapshot = z
  .object({ id: z.string(), email: z.string() })
  .describe('A user without an e-mail address has a placeholder under `key.invalid`.')
  .meta({ id: 'MinimalUserSnapshot' })
const SharePermission = z.enum(['VIEWER', 'EDITOR'])

export const MinimalPersonaSnapshot = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    tools: z.array(ToolSnapshot),
    starter_messages: z.array(StarterMessage),
    document_sets: z.array(DocumentSetSummary),
    hierarchy_node_count: z.int(),
    attached_document_count: z.int(),
    knowledge_sources: z.array(z.string()).describe('Sources of the document sets that the key may read.'),
    user_file_ids: z.array(z.string()),
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
    owner: MinimalUserSnapshot.nullable(),
    users: z
      .array(MinimalUserSnapshot)
      .describe('Users with whom the persona is shared. Empty unless the key may edit it.'),
    groups: z.array(z.union([z.int(), z.string()])),
    user_shares: z.array(z.object({ user: MinimalUserSnapshot, permission: SharePermission })),
    group_shares: z.array(z.object({ group_id: z.int(), group_name: z.string(), permission: SharePermission })),
    public_permission: SharePermission.describe('Always VIEWER: every user who can see the persona may use it.'),
    sharing_status: z.enum(['PRIVATE', 'SHARED', 'PUBLIC']),
    owner_group: z.null(),
    user_permission: z.null(),
    permissions: z
      .object({ edit: z.boolean(), delete: z.boolean(), share: z.boolean() })
      .describe('What the key may do with the persona.'),
    is_deleted: z.boolean().describe('An administrator can undelete the persona.'),
    version: z.string().describe('Changes with the persona: the `expected_version` of an update.'),
  })
  .meta({ id: 'MinimalPersonaSnapshot' })

export const FullPersonaSnapshot = MinimalPersonaSnapshot.extend({
  system_prompt: z.string(),
  task_prompt: z.string(),
  datetime_aware: z.boolean(),
  replace_base_system_prompt: z.boolean(),
  search_start_date: z.iso.datetime().nullable(),
  hierarchy_nodes: z.array(z.unknown()),
  attached_documents: z.array(z.unknown()),
}).meta({ id: 'FullPersonaSnapshot' })

/** The subject to whom a persona is shown, with the cc-pairs that it may write. */
export interface PersonaViewer {
  subject: Subject
  pairs: WritablePairs
}

export const loadPersonaViewer = async (db: Queryable, subject: Subject): Promise<PersonaViewer> => ({
  subject,
  pairs: await getWritablePairs(db, subject),
})

export function minimalPersonaSnapshot(
  stored: StoredPersona,
  viewer: PersonaViewer,
): z.infer<typeof MinimalPersonaSnapshot> {
  const { subject, pairs } = viewer
  const mayEdit = isEditablePersona(stored, subject)
  const document_sets = stored.document_sets.map((it) =>
    documentSetSummary(it, { pairs, isEditable: managesSet(subject, it) }),
  )
  return {
    ...sharingFields(stored, mayEdit),
    id: stored.id,
    name: stored.name,
    description: stored.description,
    tools: stored.tools,
    starter_messages: JSON.parse(stored.starter_messages),
    document_sets,
    hierarchy_node_count: 0,
    attached_document_count: 0,
    knowledge_sources: [...new Set(document_sets.flatMap((it) => it.cc_pair_summaries.map(({ source }) => source)))],
    user_file_ids: [],
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
    owner: ownerSnapshot(stored, mayEdit),
    owner_group: null,
    user_permission: null,
    permissions: { edit: mayEdit, delete: mayEdit && stored.builtin_persona === 0, share: mayEdit },
    is_deleted: stored.deleted_at !== null,
    version: personaVersion(stored),
  }
}

/** Users who cannot edit the persona do not see the owner's e-mail address. */
const ownerSnapshot = (
  { user_id, owner_email }: StoredPersona,
  mayEdit: boolean,
): z.infer<typeof MinimalUserSnapshot> | null =>
  user_id === null ? null : { id: user_id, email: displayEmail({ user_id, email: mayEdit ? owner_email : null }) }

function sharingFields(stored: StoredPersona, mayEdit: boolean) {
  const people: string[] = JSON.parse(stored.users)
  const groups: string[] = JSON.parse(stored.groups)
  const isShared = people.length > 0 || groups.length > 0
  const users = mayEdit ? people.map(userSnapshot) : []
  const shown = mayEdit ? groupIdsToWire(groups) : []
  const numbered = shown.filter((it) => typeof it === 'number')
  return {
    users,
    groups: shown,
    user_shares: users.map((user) => ({ user, permission: 'VIEWER' as const })),
    group_shares: numbered.map((id) => ({ group_id: id, group_name: String(id), permission: 'VIEWER' as const })),
    public_permission: 'VIEWER' as const,
    sharing_status:
      stored.is_public === 1 ? ('PUBLIC' as const) : isShared ? ('SHARED' as const) : ('PRIVATE' as const),
  }
}

const userSnapshot = (user: string): z.infer<typeof MinimalUserSnapshot> => ({
  id: personId(user),
  email: user.includes('@') ? user : displayEmail({ user_id: user, email: null }),
})

export function fullPersonaSnapshot(stored: StoredPersona, viewer: PersonaViewer): z.infer<typeof FullPersonaSnapshot> {
  return {
    ...minimalPersonaSnapshot(stored, viewer),
    system_prompt: stored.system_prompt,
    task_prompt: stored.task_prompt,
    datetime_aware: stored.datetime_aware === 1,
    replace_base_system_prompt: stored.replace_base_system_prompt === 1,
    search_start_date: isoOrNull(stored.search_start_date),
    hierarchy_nodes: [],
    attached_documents: [],
  }
}
