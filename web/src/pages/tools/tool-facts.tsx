// How a tool reaches its server, and who may use it.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ToolSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { serverOf } from './tool-definition.ts'
import { headersOf } from './tool-values.ts'
import { agentsOfToolsQuery } from './tools-queries.ts'

export function ToolFacts({ tool }: { tool: ToolSnapshot }) {
  const t = textsOf('admin.tools')
  return (
    <section className="card card-pad" aria-label={t('facts')}>
      <dl className="tool-facts">
        <ToolFact name={t('server')}>
          <bdi>{serverOf(tool.definition) ?? t('none')}</bdi>
        </ToolFact>
        <ToolFact name={t('form.headers')}>
          <Headers tool={tool} />
        </ToolFact>
        <ToolFact name={t('form.oauth_config')}>
          <OauthConfig tool={tool} />
        </ToolFact>
        <ToolFact name={t('form.public')}>{tool.is_public === true ? t('yes') : t('no')}</ToolFact>
        <ToolFact name={t('form.confirmed')}>{tool.requires_confirmation === false ? t('no') : t('yes')}</ToolFact>
        <ToolFact name={t('agents')}>
          <Agents id={tool.id} />
        </ToolFact>
      </dl>
    </section>
  )
}

const ToolFact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function Headers({ tool }: { tool: ToolSnapshot }) {
  const headers = headersOf(tool)
  if (headers.length === 0) return textsOf('admin.tools')('none')
  return headers.map(({ key, value }) => (
    <p key={key}>
      <code>
        {key}: {value}
      </code>
    </p>
  ))
}

const OauthConfig = ({ tool: { oauth_config_id: id, oauth_config_name: name } }: { tool: ToolSnapshot }) =>
  id == null ? (
    textsOf('admin.tools')('none')
  ) : (
    <AdminLink page="oauth-configs" id={String(id)}>
      <bdi>{name}</bdi>
    </AdminLink>
  )

function Agents({ id }: { id: number }) {
  const t = textsOf('admin.tools')
  const agents = useQuery(agentsOfToolsQuery([id]))
  if (agents.isError) return <ErrorAlert error={agents.error} retry={() => void agents.refetch()} />
  if (agents.data === undefined) return '…'
  return agents.data.length === 0
    ? t('no_agents')
    : agents.data.map((it) => (
        <p key={it.id}>
          <bdi>{it.name}</bdi>
        </p>
      ))
}
