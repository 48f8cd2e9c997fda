// Says that an agent was deleted, and restores it.
import { Alert, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { undeletePersona } from '../../../../src/client/operations.ts'
import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadAgents } from './agents-query.ts'

/** Restores a deleted agent as it was. */
export function useRestoreAgent(onDone: () => void = () => {}) {
  const reload = useReloadAgents()
  return useMutation({
    mutationFn: (persona_id: number) => undeletePersona(api, { persona_id }),
    onSuccess: async () => {
      await reload()
      onDone()
    },
  })
}

interface Props {
  /** Absent if none was deleted, or until the list is read again. */
  agent: MinimalPersonaSnapshot | undefined
  onDone: () => void
}

export function DeletedNotice({ agent, onDone }: Props) {
  const t = textsOf('admin.agents')
  const restore = useRestoreAgent(onDone)
  if (agent === undefined || !agent.is_deleted) return null
  return (
    <Alert mb="md" color="gray" variant="light" role="status" icon={<Icon name="trash" />}>
      <div className="row">
        <span>{t.rich('deleted', { name: () => <bdi>{agent.name}</bdi> })}</span>
        <Button size="xs" variant="default" loading={restore.isPending} onClick={() => restore.mutate(agent.id)}>
          {t('undo')}
        </Button>
      </div>
      {restore.isError && <ErrorAlert error={restore.error} />}
    </Alert>
  )
}
