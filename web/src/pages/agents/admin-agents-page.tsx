// The agents of everybody, for administrators: a list with what each one is open to, and a page for each agent.
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { CsvButton } from '../../parts/csv/csv-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { AgentPage, NEW } from './agent-page.tsx'
import { AgentTable, type AgentTask } from './agent-table.tsx'
import { allAgentsQuery } from './agents-query.ts'
import { DeleteAgent } from './delete-agent.tsx'
import { DeletedNotice } from './deleted-notice.tsx'
import { ShareAgent } from './share-agent.tsx'
import { ownerName } from './sharing-text.ts'
import './agents.css'

const PAGE = '/admin/$page/{-$id}'

export function AdminAgentsPage({ id }: AdminPageProps) {
  const navigate = useNavigate()
  /** The agent that was deleted last, which can be restored. */
  const [deleted, setDeleted] = useState<number | null>(null)
  const open = (next: string | undefined) => void navigate({ to: PAGE, params: { page: 'agents', id: next } })
  if (id === undefined) return <AgentList deleted={deleted} onDeleted={setDeleted} onNew={() => open(NEW)} />
  return (
    <AgentPage
      id={id}
      back={
        <AdminLink page="agents" className="agent-back">
          <Icon name="back" size={16} /> {textsOf('agents')('title')}
        </AdminLink>
      }
      onCreated={(created) => open(String(created))}
      onDeleted={(it) => {
        setDeleted(it)
        open(undefined)
      }}
      onCancel={() => open(undefined)}
    />
  )
}

interface ListProps {
  deleted: number | null
  onDeleted: (id: number | null) => void
  onNew: () => void
}

function AgentList({ deleted, onDeleted, onNew }: ListProps) {
  const t = textsOf('admin.agents')
  const [filter, setFilter] = useState({ text: '', isWithDeleted: false })
  const [task, setTask] = useState<{ task: AgentTask; agent: MinimalPersonaSnapshot } | null>(null)
  const agents = useQuery(allAgentsQuery)
  useTitle(textsOf('agents')('title'))
  const close = () => setTask(null)
  const found = agents.data?.filter((it) => isFound(it, filter))
  return (
    <>
      <PageHead title={textsOf('agents')('title')} help={t('intro')}>
        {found !== undefined && found.length > 0 && <CsvButton file="agents" records={() => found.map(recordOf)} />}
        <Button leftSection={<Icon name="plus" size={16} />} onClick={onNew}>
          {textsOf('agents')('editor.new')}
        </Button>
      </PageHead>
      <div className="agent-filters">
        <TextInput
          aria-label={textsOf('agents')('find')}
          placeholder={textsOf('agents')('find')}
          maxLength={500}
          value={filter.text}
          onChange={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
        />
        <Checkbox
          label={t('show_deleted')}
          checked={filter.isWithDeleted}
          onChange={(event) => setFilter({ ...filter, isWithDeleted: event.currentTarget.checked })}
        />
      </div>
      <DeletedNotice agent={agents.data?.find((it) => it.id === deleted)} onDone={() => onDeleted(null)} />
      {agents.isError && <ErrorAlert error={agents.error} retry={() => void agents.refetch()} />}
      {agents.isPending && <LoadingSkeleton lines={8} />}
      {found !== undefined && (
        <div className="card">
          {found.length === 0 ? (
            <EmptyState icon="filter" title={textsOf('agents')('no_match')} />
          ) : (
            <AgentTable agents={found} onTask={(it, agent) => setTask({ task: it, agent })} />
          )}
        </div>
      )}
      {task?.task === 'share' && <ShareAgent agent={task.agent} onClose={close} />}
      {task?.task === 'delete' && (
        <DeleteAgent
          agent={task.agent}
          onDeleted={() => {
            onDeleted(task.agent.id)
            close()
          }}
          onClose={close}
        />
      )}
    </>
  )
}

function isFound(agent: MinimalPersonaSnapshot, { text, isWithDeleted }: { text: string; isWithDeleted: boolean }) {
  if (agent.is_deleted && !isWithDeleted) return false
  const words = `${agent.name} ${agent.description} ${ownerName(agent)}`.toLowerCase()
  return words.includes(text.trim().toLowerCase())
}

const recordOf = (it: MinimalPersonaSnapshot) => ({
  ...{ id: it.id, name: it.name, description: it.description, owner: it.owner?.email ?? null },
  ...{ is_public: it.is_public, is_listed: it.is_listed, is_featured: it.is_featured, is_deleted: it.is_deleted },
  users: it.users.map(({ email }) => email),
  groups: it.group_shares.map(({ group_name }) => group_name),
  document_sets: it.document_sets.map(({ name }) => name),
})
