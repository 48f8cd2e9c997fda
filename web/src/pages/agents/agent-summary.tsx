// Facts about an agent that its form does not change: who owns it, who may use it, and the servers behind its tools.
import { useQuery } from '@tanstack/react-query'
import type { FullPersonaSnapshot, MCPServer } from '../../../../src/client/schemas.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { agentServersQuery } from './agents-query.ts'
import { ownerName, sharingText } from './sharing-text.ts'

export function AgentSummary({ agent }: { agent: FullPersonaSnapshot }) {
  const t = textsOf('agents')
  const servers = useQuery(agentServersQuery(agent.id))
  return (
    <>
      <dl className="facts">
        <div>
          <dt>{t('owner')}</dt>
          <dd className="plain">
            <bdi>{ownerName(agent)}</bdi>
          </dd>
        </div>
        <div>
          <dt>{t('who_may_use')}</dt>
          <dd className="plain">{sharingText(agent)}</dd>
        </div>
      </dl>
      {servers.isError && <ErrorAlert error={servers.error} retry={() => void servers.refetch()} />}
      {servers.data !== undefined && servers.data.mcp_servers.length > 0 && (
        <Servers servers={servers.data.mcp_servers} />
      )}
    </>
  )
}

function Servers({ servers }: { servers: readonly MCPServer[] }) {
  const t = textsOf('agents')
  return (
    <section className="card card-pad stack" aria-labelledby="agent-servers">
      <h2 id="agent-servers">{t('servers')}</h2>
      <ul className="agent-servers">
        {servers.map((it) => (
          <li key={it.id}>
            <bdi>{it.name}</bdi>
            <span className="small dimmed">{t(it.is_authenticated ? 'server_ready' : 'server_waits')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
