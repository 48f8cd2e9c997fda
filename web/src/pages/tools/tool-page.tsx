// One tool: what it is, the bench to try it, and its failed calls.
import { Button } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { grantToolPassthrough, revokeToolPassthrough } from '../../../../src/client/operations.ts'
import type { ToolSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api, isNotFound } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { ChangeTool } from './change-tool.tsx'
import { DeleteTool } from './delete-tool.tsx'
import { PassthroughCard } from './passthrough-grant.tsx'
import { readId } from './read-id.ts'
import { ToolBench } from './tool-bench.tsx'
import { serverOf } from './tool-definition.ts'
import { ToolFacts } from './tool-facts.tsx'
import { ToolSwitch } from './tool-switch.tsx'
import { toolText } from './tool-text.ts'
import { toolQuery, useReloadTools } from './tools-queries.ts'

export function ToolPage({ id: text }: { id: string }) {
  const t = textsOf('admin.tools')
  const id = readId(text)
  const tool = useQuery({ ...toolQuery(id ?? 0), ...(id === null && { queryFn: skipToken }) })
  useTitle(tool.data === undefined ? t('title') : toolText(tool.data).name)
  if (id === null || isNotFound(tool.error))
    return (
      <EmptyState icon="tool" title={t('missing')} heading="h1">
        {t.rich('missing_help', { link: (it) => <AdminLink page="tools">{it}</AdminLink> })}
      </EmptyState>
    )
  return (
    <>
      <AdminLink page="tools" className="tool-back">
        <Icon name="back" size={16} /> {t('title')}
      </AdminLink>
      {tool.isError && <ErrorAlert error={tool.error} retry={() => void tool.refetch()} />}
      {tool.isPending && <LoadingSkeleton lines={8} />}
      {tool.data !== undefined && <ToolDetails tool={tool.data} />}
    </>
  )
}

const isCustom = ({ in_code_tool_id, mcp_server_id }: ToolSnapshot): boolean =>
  in_code_tool_id === null && mcp_server_id == null

function ToolDetails({ tool }: { tool: ToolSnapshot }) {
  const t = textsOf('admin.tools')
  const { name, description } = toolText(tool)
  const [mode, setMode] = useState<'view' | 'change' | 'delete'>('view')
  const view = () => setMode('view')
  return (
    <>
      <div className="page-head">
        <div className="long-text">
          <h1>
            <bdi>{name}</bdi>
          </h1>
          <p dir="auto">{description}</p>
        </div>
        <div className="row">
          <ToolSwitch tool={tool} />
          {isCustom(tool) && mode !== 'change' && (
            <>
              <Button variant="default" onClick={() => setMode('change')}>
                {t('change')}
              </Button>
              <Button variant="default" onClick={() => setMode('delete')}>
                {textsOf('parts')('delete')}
              </Button>
            </>
          )}
        </div>
      </div>
      {mode === 'change' ? <ChangeTool tool={tool} onClose={view} /> : <ToolSections tool={tool} />}
      {mode === 'delete' && <DeleteTool tool={tool} onClose={view} />}
    </>
  )
}

function ToolSections({ tool }: { tool: ToolSnapshot }) {
  const t = textsOf('admin.tools')
  if (tool.in_code_tool_id !== null) return <p className="card card-pad">{t('built_in_note')}</p>
  if (tool.mcp_server_id != null)
    return (
      <p className="card card-pad">
        {t.rich('mcp_note', {
          link: (it) => (
            <AdminLink page="mcp-servers" id={String(tool.mcp_server_id)}>
              {it}
            </AdminLink>
          ),
        })}
      </p>
    )
  return (
    <div className="stack">
      <ToolFacts tool={tool} />
      {tool.passthrough_auth && <ToolPassthrough tool={tool} />}
      <ToolBench key={JSON.stringify(tool.definition)} tool={tool} />
    </div>
  )
}

function ToolPassthrough({ tool }: { tool: ToolSnapshot }) {
  const reload = useReloadTools()
  const server_url = serverOf(tool.definition) ?? ''
  return (
    <PassthroughCard
      name={tool.display_name}
      server={server_url}
      grant={tool.passthrough_grant ?? null}
      onGrant={async () => {
        await grantToolPassthrough(api, { tool_id: tool.id, body: { server_url } })
        await reload()
      }}
      onRevoke={async () => {
        await revokeToolPassthrough(api, { tool_id: tool.id })
        await reload()
      }}
    />
  )
}
