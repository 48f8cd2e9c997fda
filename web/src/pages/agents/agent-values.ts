// The values of the form of an agent, and how they are sent.
import type { FullPersonaSnapshot, PersonaUpsertRequest, StarterMessage } from '../../../../src/client/schemas.ts'

export interface AgentValues {
  name: string
  description: string
  uploaded_image_id: string | null
  system_prompt: string
  task_prompt: string
  replace_base_system_prompt: boolean
  datetime_aware: boolean
  starter_messages: readonly StarterMessage[]
  tool_ids: readonly number[]
  document_set_ids: readonly number[]
  /** A day such as 2026-05-31, or empty. */
  search_start_date: string
  default_model_configuration_id: number | null
}
export type AgentField = keyof AgentValues

export interface FieldsProps {
  values: AgentValues
  set: (change: Partial<AgentValues>) => void
}

export const NEW_AGENT: AgentValues = {
  name: '',
  description: '',
  uploaded_image_id: null,
  system_prompt: '',
  task_prompt: '',
  replace_base_system_prompt: false,
  datetime_aware: true,
  starter_messages: [],
  tool_ids: [],
  document_set_ids: [],
  search_start_date: '',
  default_model_configuration_id: null,
}

export const valuesOf = (agent: FullPersonaSnapshot): AgentValues => ({
  name: agent.name,
  description: agent.description,
  uploaded_image_id: agent.uploaded_image_id,
  system_prompt: agent.system_prompt,
  task_prompt: agent.task_prompt,
  replace_base_system_prompt: agent.replace_base_system_prompt,
  datetime_aware: agent.datetime_aware,
  starter_messages: agent.starter_messages,
  tool_ids: agent.tools.map((it) => it.id),
  document_set_ids: agent.document_sets.map((it) => it.id),
  search_start_date: agent.search_start_date?.slice(0, DAY_LENGTH) ?? '',
  default_model_configuration_id: agent.default_model_configuration_id,
})
const DAY_LENGTH = '2026-05-31'.length
export const MAX_NAME = 1_000

/** `agent`: the stored one, whose other fields stay as they are. */
export function requestOf(values: AgentValues, agent: FullPersonaSnapshot | undefined): PersonaUpsertRequest {
  const messages = values.starter_messages.filter((it) => it.message.trim() !== '')
  return {
    ...values,
    name: values.name.trim(),
    tool_ids: [...values.tool_ids],
    document_set_ids: [...values.document_set_ids],
    starter_messages: messages.map(({ name, message }) => ({
      name: name.trim() || message.slice(0, MAX_NAME),
      message,
    })),
    search_start_date: startDate(values, agent),
    remove_image: values.uploaded_image_id === null,
    ...modelOverrides(values, agent),
    icon_name: agent?.icon_name,
    display_priority: agent?.display_priority,
  }
}

/** An unchanged day keeps its time. */
function startDate({ search_start_date }: AgentValues, agent: FullPersonaSnapshot | undefined): string | null {
  if (search_start_date === '') return null
  const stored = agent?.search_start_date ?? ''
  return stored.startsWith(search_start_date) ? stored : search_start_date
}

/** Older clients name a model by its name. A model that was chosen here replaces it. */
const modelOverrides = (
  { default_model_configuration_id }: AgentValues,
  agent: FullPersonaSnapshot | undefined,
): Pick<PersonaUpsertRequest, 'llm_model_provider_override' | 'llm_model_version_override'> =>
  agent === undefined || default_model_configuration_id !== agent.default_model_configuration_id
    ? {}
    : {
        llm_model_provider_override: agent.llm_model_provider_override,
        llm_model_version_override: agent.llm_model_version_override,
      }

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
const FIELDS: readonly AgentField[] = [
  ...(['name', 'description', 'uploaded_image_id', 'system_prompt', 'task_prompt'] as const),
  ...(['replace_base_system_prompt', 'datetime_aware', 'starter_messages', 'tool_ids'] as const),
  ...(['document_set_ids', 'search_start_date', 'default_model_configuration_id'] as const),
]

export const changedFields = (before: AgentValues, after: AgentValues): AgentField[] =>
  FIELDS.filter((it) => !isSame(before[it], after[it]))

/** Keeps my changes, and takes theirs where I changed nothing. */
export function mergeChanges(base: AgentValues, mine: AgentValues, theirs: AgentValues): AgentValues {
  const ours = changedFields(base, mine)
  return { ...theirs, ...Object.fromEntries(ours.map((it) => [it, mine[it]])) }
}
