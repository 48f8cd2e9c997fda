// One agent, to change it, or a new one. The administration and the page of everybody show it.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { FullPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { isNotFound } from '../../api.ts'
import { LinkButton } from '../../parts/link-button.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { AgentEditor } from './agent-editor.tsx'
import { AgentSummary } from './agent-summary.tsx'
import { agentQuery } from './agents-query.ts'
import { DeleteAgent } from './delete-agent.tsx'
import { ShareAgent } from './share-agent.tsx'
import './agents.css'

export interface AgentPageProps {
  /** The id of an agent, or `new`. */
  id: string
  /** The way back to the list. */
  back: ReactNode
  onCreated: (id: number) => void
  onDeleted: (id: number) => void
  onCancel: () => void
}

export const NEW = 'new'
const readId = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null)

export function AgentPage({ id: text, back, onCreated, onDeleted, onCancel }: AgentPageProps) {
  const t = textsOf('agents')
  const id = readId(text)
  const agent = useQuery(agentQuery(id))
  useTitle(text === NEW ? t('editor.new') : (agent.data?.name ?? t('agent')))
  if (text === NEW) {
    return (
      <>
        {back}
        <div className="page-head">
          <div>
            <h1>{t('editor.new')}</h1>
            <p>{t('sees')}</p>
          </div>
        </div>
        <AgentEditor onCreated={(it) => onCreated(it.id)} onCancel={onCancel} />
      </>
    )
  }
  if (id === null || isNotFound(agent.error)) {
    return (
      <>
        {back}
        <EmptyState icon="chat" title={t('missing')} heading="h1">
          {t('missing_help')}
        </EmptyState>
      </>
    )
  }
  return (
    <>
      {back}
      {agent.isError && <ErrorAlert error={agent.error} retry={() => void agent.refetch()} />}
      {agent.isPending && <LoadingSkeleton lines={10} />}
      {agent.data !== undefined && <StoredAgent key={agent.data.id} agent={agent.data} onDeleted={onDeleted} />}
    </>
  )
}

function StoredAgent({ agent, onDeleted }: { agent: FullPersonaSnapshot; onDeleted: (id: number) => void }) {
  const t = textsOf('agents')
  const [dialog, setDialog] = useState<'share' | 'delete' | null>(null)
  const close = () => setDialog(null)
  const { permissions, id } = agent
  return (
    <>
      <div className="page-head">
        <div className="long-text">
          <h1>
            <bdi>{agent.name}</bdi>
          </h1>
          <p>{t('sees')}</p>
        </div>
        <div className="row">
          <LinkButton variant="default" to="/chat/{-$chat_session_id}" search={{ persona: id }}>
            {t('start_chat')}
          </LinkButton>
          {permissions.share && (
            <Button variant="default" onClick={() => setDialog('share')}>
              {t('share_agent')}
            </Button>
          )}
          {permissions.delete && (
            <Button variant="default" onClick={() => setDialog('delete')}>
              {textsOf('parts')('delete')}
            </Button>
          )}
        </div>
      </div>
      <div className="stack">
        <AgentSummary agent={agent} />
        {permissions.edit ? <AgentEditor agent={agent} /> : <p className="card card-pad">{t('read_only')}</p>}
      </div>
      {dialog === 'share' && <ShareAgent agent={agent} onClose={close} />}
      {dialog === 'delete' && <DeleteAgent agent={agent} onDeleted={() => onDeleted(id)} onClose={close} />}
    </>
  )
}
