// The form of a new or stored agent. If another person changed the agent meanwhile, the form takes their changes where it
// has none, says which fields they changed, and saves only when asked again.
import { Alert, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { createPersona, getPersona, updatePersona } from '../../../../src/client/operations.ts'
import type { FullPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import {
  type AgentField,
  type AgentValues,
  changedFields,
  mergeChanges,
  NEW_AGENT,
  requestOf,
  valuesOf,
} from './agent-values.ts'
import { useReloadAgents } from './agents-query.ts'
import { BasicFields } from './basic-fields.tsx'
import { InstructionFields } from './instruction-fields.tsx'
import { KnowledgeFields } from './knowledge-fields.tsx'
import { ModelFields } from './model-fields.tsx'
import { StarterMessages } from './starter-messages.tsx'
import { ToolFields } from './tool-fields.tsx'

interface Props {
  /** Absent for a new one. */
  agent?: FullPersonaSnapshot
  onCreated?: (agent: FullPersonaSnapshot) => void
  onCancel?: () => void
}

export function AgentEditor({ agent, onCreated, onCancel }: Props) {
  const form = useAgentForm(agent, onCreated)
  const { values, set, save, theirs, isChanged } = form
  const t = textsOf('agents.editor')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const fields = { values, set }
  return (
    <form className="stack" onSubmit={submit} aria-label={agent?.name ?? t('new')}>
      <BasicFields {...fields} />
      <InstructionFields {...fields} agent={agent} />
      <KnowledgeFields {...fields} agent={agent} />
      <ToolFields {...fields} agent={agent} />
      <ModelFields {...fields} />
      <StarterMessages {...fields} />
      {theirs.length > 0 && <Conflict fields={theirs} />}
      {save.isError && !isConflict(save.error) && <ErrorAlert error={save.error} />}
      <div className="row agent-save">
        <Button type="submit" loading={save.isPending} disabled={agent !== undefined && !isChanged}>
          {agent === undefined ? t('create') : textsOf('parts')('save')}
        </Button>
        {onCancel !== undefined && (
          <Button variant="default" onClick={onCancel}>
            {textsOf('parts')('cancel')}
          </Button>
        )}
        <span role="status" className="small dimmed">
          {save.isSuccess && !isChanged && t('saved')}
        </span>
      </div>
    </form>
  )
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.error_code === 'PERSONA_CHANGED'

function useAgentForm(agent: FullPersonaSnapshot | undefined, onCreated: Props['onCreated']) {
  const [base, setBase] = useState(agent)
  const [values, setValues] = useState<AgentValues>(() => initialValues(agent))
  const [theirs, setTheirs] = useState<readonly AgentField[]>([])
  const queryClient = useQueryClient()
  const reload = useReloadAgents()
  const adopt = (current: FullPersonaSnapshot) => {
    const seen = initialValues(base)
    setTheirs(changedFields(seen, valuesOf(current)))
    setValues(mergeChanges(seen, values, valuesOf(current)))
    setBase(current)
  }
  const save = useMutation({
    mutationFn: async () => {
      if (base === undefined) return createPersona(api, { body: requestOf(values, base) })
      try {
        return await update(values, base)
      } catch (error) {
        if (!isConflict(error)) throw error
        const current = await getPersona(api, { persona_id: base.id })
        // Sharing and the switches of the list change the version, and nothing in the form.
        if (changedFields(valuesOf(base), valuesOf(current)).length === 0) return update(values, current)
        adopt(current)
        throw error
      }
    },
    onSuccess: async (saved) => {
      setTheirs([])
      setBase(saved)
      setValues(valuesOf(saved))
      queryClient.setQueryData(['agents', 'one', saved.id], saved)
      await reload()
      if (base === undefined) onCreated?.(saved)
    },
  })
  const set = (change: Partial<AgentValues>) => setValues((before) => ({ ...before, ...change }))
  return { values, set, save, theirs, isChanged: changedFields(initialValues(base), values).length > 0 }
}

const update = (values: AgentValues, stored: FullPersonaSnapshot): Promise<FullPersonaSnapshot> =>
  updatePersona(api, {
    persona_id: stored.id,
    body: { ...requestOf(values, stored), expected_version: stored.version },
  })

const initialValues = (agent: FullPersonaSnapshot | undefined): AgentValues =>
  agent === undefined ? NEW_AGENT : valuesOf(agent)

function Conflict({ fields }: { fields: readonly AgentField[] }) {
  const t = textsOf('agents.editor')
  return (
    <Alert color="yellow" variant="light" role="alert" icon={<Icon name="alert" />} title={t('conflict')}>
      {t('conflict_help', { fields: listText(fields.map((it) => t(`fields.${it}`))) })}
    </Alert>
  )
}
