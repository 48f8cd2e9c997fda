// The agents that a person may use, and their own ones.
import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { inOrder } from '../chat/personas-query.ts'
import { AgentCard } from './agent-card.tsx'
import { AgentPage, NEW } from './agent-page.tsx'
import { usableAgentsQuery } from './agents-query.ts'
import { ShareAgent } from './share-agent.tsx'
import './agents.css'

export function AgentsPage() {
  const { id } = useParams({ from: '/signed-in/agents/{-$id}' })
  const navigate = useNavigate()
  const me = useMe()
  const t = textsOf('agents')
  if (me !== undefined && !hasPermission(me, 'chat')) {
    return (
      <EmptyState icon="chat" title={t('no_access')} heading="h1">
        {t('no_access_help')}
      </EmptyState>
    )
  }
  if (id === undefined) return <AgentList />
  const open = (next: string | undefined) => void navigate({ to: '/agents/{-$id}', params: { id: next } })
  return (
    <div className="agents">
      <AgentPage
        id={id}
        back={
          <Link to="/agents/{-$id}" params={{ id: undefined }} className="agent-back">
            <Icon name="back" size={16} /> {t('title')}
          </Link>
        }
        onCreated={(created) => open(String(created))}
        onDeleted={() => open(undefined)}
        onCancel={() => open(undefined)}
      />
    </div>
  )
}

function AgentList() {
  const t = textsOf('agents')
  const me = useMe()
  const [text, setText] = useState('')
  const [shared, setShared] = useState<MinimalPersonaSnapshot | null>(null)
  const agents = useQuery(usableAgentsQuery)
  useTitle(t('title'))
  const isOwn = (it: MinimalPersonaSnapshot) => it.owner !== null && it.owner.id === me?.id
  const found = agents.data?.filter((it) => hasWords(it, text)) ?? []
  const groups = [
    { key: 'mine', title: t('mine'), agents: found.filter(isOwn) },
    { key: 'others', title: t('others'), agents: inOrder(found).filter((it) => !isOwn(it)) },
  ].filter((it) => it.agents.length > 0)
  return (
    <div className="agents">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
        <LinkButton leftSection={<Icon name="plus" size={16} />} to="/agents/{-$id}" params={{ id: NEW }}>
          {t('editor.new')}
        </LinkButton>
      </div>
      <TextInput
        className="agent-search"
        aria-label={t('find')}
        placeholder={t('find')}
        maxLength={500}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {agents.isError && <ErrorAlert error={agents.error} retry={() => void agents.refetch()} />}
      {agents.isPending && <LoadingSkeleton lines={8} />}
      {agents.data !== undefined && found.length === 0 && <EmptyState icon="filter" title={t('no_match')} />}
      {groups.map((it) => (
        <section key={it.key} aria-label={it.title}>
          <p className="agent-group" aria-hidden="true">
            {it.title}
          </p>
          <ul className="agent-cards">
            {it.agents.map((agent) => (
              <AgentCard key={agent.id} agent={agent} isOwn={isOwn(agent)} onShare={() => setShared(agent)} />
            ))}
          </ul>
        </section>
      ))}
      {shared !== null && <ShareAgent agent={shared} onClose={() => setShared(null)} />}
    </div>
  )
}

const hasWords = ({ name, description }: MinimalPersonaSnapshot, text: string): boolean =>
  `${name} ${description}`.toLowerCase().includes(text.trim().toLowerCase())
