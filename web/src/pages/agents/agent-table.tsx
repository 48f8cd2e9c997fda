// The agents in rows, with the switches of an administrator.
import { Badge, Button, Checkbox } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { setPersonaFeatured, setPersonaListed, setPersonaPublic } from '../../../../src/client/operations.ts'
import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { AgentImage } from '../../parts/agent-image.tsx'
import { EndButton, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { allAgentsQuery, useReloadAgents } from './agents-query.ts'
import { useRestoreAgent } from './deleted-notice.tsx'
import { ownerName, sharingText } from './sharing-text.ts'

export type AgentTask = 'share' | 'delete'
type Agent = MinimalPersonaSnapshot

interface Props {
  agents: readonly Agent[]
  onTask: (task: AgentTask, agent: Agent) => void
}

const SWITCHES = ['public', 'listed', 'featured'] as const
type Switch = (typeof SWITCHES)[number]
const FIELDS = { public: 'is_public', listed: 'is_listed', featured: 'is_featured' } as const

export function AgentTable({ agents, onTask }: Props) {
  const t = textsOf('admin.agents')
  const { toggle, error } = useToggle()
  return (
    <>
      {error !== null && <ErrorAlert error={error} />}
      <RecordTable
        label={textsOf('agents')('title')}
        rows={agents}
        keyOf={({ id }) => id}
        columns={[
          { label: textsOf('agents')('agent'), cell: (it) => <NameCell agent={it} /> },
          { label: textsOf('agents')('owner'), className: 'long-text', cell: (it) => <bdi>{ownerName(it)}</bdi> },
          { label: textsOf('agents')('who_may_use'), cell: sharingText },
          ...SWITCHES.map((name) => ({
            label: t(`switches.${name}`),
            cell: (it: Agent) => (
              <Checkbox
                aria-label={t(`switch_of.${name}`, { name: it.name })}
                checked={it[FIELDS[name]]}
                disabled={it.is_deleted}
                onChange={({ currentTarget }) => toggle({ agent: it, name, isOn: currentTarget.checked })}
              />
            ),
          })),
        ]}
        action={(it) => (it.is_deleted ? <Restore agent={it} /> : <Actions agent={it} onTask={onTask} />)}
      />
    </>
  )
}

const SWITCH_KEY = ['agents', 'switches']

interface Change {
  agent: Agent
  name: Switch
  isOn: boolean
}

/** A switch shows at once what it will be. The changes are sent in turn, and none is lost. */
function useToggle(): { toggle: (change: Change) => void; error: Error | null } {
  const [error, setError] = useState<Error | null>(null)
  const queryClient = useQueryClient()
  const reload = useReloadAgents()
  const { mutate } = useMutation({
    mutationKey: SWITCH_KEY,
    scope: { id: SWITCH_KEY.join(' ') },
    mutationFn: saveSwitch,
    onMutate: async ({ agent, name, isOn }) => {
      setError(null)
      await queryClient.cancelQueries(allAgentsQuery)
      queryClient.setQueryData(allAgentsQuery.queryKey, (all) =>
        all?.map((it) => (it.id === agent.id ? { ...it, [FIELDS[name]]: isOn } : it)),
      )
    },
    onError: setError,
    // The list that is read while another change waits would show the switch as it was.
    onSettled: () => (queryClient.isMutating({ mutationKey: SWITCH_KEY }) > 1 ? undefined : reload()),
  })
  return { toggle: mutate, error }
}

function saveSwitch({ agent, name, isOn }: Change) {
  const { id: persona_id } = agent
  if (name === 'public') return setPersonaPublic(api, { persona_id, body: { is_public: isOn } })
  if (name === 'listed') return setPersonaListed(api, { persona_id, body: { is_listed: isOn } })
  return setPersonaFeatured(api, { persona_id, body: { is_featured: isOn } })
}

const NameCell = ({ agent }: { agent: Agent }) => (
  <div className={agent.is_deleted ? 'agent-name agent-gone' : 'agent-name'}>
    <AgentImage name={agent.name} image={agent.is_deleted ? null : agent.uploaded_image_id} />
    <div className="long-text">
      {agent.is_deleted ? (
        <bdi>{agent.name}</bdi>
      ) : (
        <AdminLink page="agents" id={String(agent.id)}>
          <bdi>{agent.name}</bdi>
        </AdminLink>
      )}{' '}
      {agent.is_deleted && (
        <Badge color="gray" variant="light" tt="none">
          {textsOf('admin.agents')('is_deleted')}
        </Badge>
      )}
      <div className="small dimmed" dir="auto">
        {agent.description}
      </div>
    </div>
  </div>
)

function Actions({ agent, onTask }: { agent: Agent; onTask: Props['onTask'] }) {
  const t = textsOf('agents')
  return (
    <div className="row-actions">
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={t('share_named', { name: agent.name })}
        onClick={() => onTask('share', agent)}
      >
        {t('share_agent')}
      </Button>
      {agent.permissions.delete && (
        <EndButton
          label={textsOf('parts')('delete')}
          longLabel={t('delete_named', { name: agent.name })}
          onClick={() => onTask('delete', agent)}
        />
      )}
    </div>
  )
}

function Restore({ agent }: { agent: Agent }) {
  const t = textsOf('admin.agents')
  const restore = useRestoreAgent()
  return (
    <>
      {restore.isError && <ErrorAlert error={restore.error} />}
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={t('restore_named', { name: agent.name })}
        loading={restore.isPending}
        onClick={() => restore.mutate(agent.id)}
      >
        {t('restore')}
      </Button>
    </>
  )
}
