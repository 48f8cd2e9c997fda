// One MCP server: whether it is connected, who may use it, and which of its tools models see.
import { Button } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { grantMcpPassthrough, revokeMcpPassthrough } from '../../../../src/client/operations.ts'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api, isNotFound } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { PassthroughCard } from '../tools/passthrough-grant.tsx'
import { readId } from '../tools/read-id.ts'
import { DeleteMcpServer } from './delete-mcp-server.tsx'
import { McpAccess } from './mcp-access.tsx'
import { McpConnection } from './mcp-connection.tsx'
import { mcpServerQuery, useReloadMcp } from './mcp-queries.ts'
import { McpServerForm } from './mcp-server-form.tsx'
import { McpToolChoice } from './mcp-tool-choice.tsx'

export function McpServerPage({ id: text }: { id: string }) {
  const t = textsOf('admin.mcp')
  const id = readId(text)
  const server = useQuery({ ...mcpServerQuery(id ?? 0), ...(id === null && { queryFn: skipToken }) })
  useTitle(server.data?.name ?? t('title'))
  if (id === null || isNotFound(server.error))
    return (
      <EmptyState icon="tool" title={t('missing')} heading="h1">
        {t.rich('missing_help', { link: (it) => <AdminLink page="mcp-servers">{it}</AdminLink> })}
      </EmptyState>
    )
  return (
    <>
      <AdminLink page="mcp-servers" className="tool-back">
        <Icon name="back" size={16} /> {t('title')}
      </AdminLink>
      {server.isError && <ErrorAlert error={server.error} retry={() => void server.refetch()} />}
      {server.isPending && <LoadingSkeleton lines={8} />}
      {server.data !== undefined && <ServerDetails server={server.data} />}
    </>
  )
}

function ServerDetails({ server }: { server: MCPServer }) {
  const [dialog, setDialog] = useState<'change' | 'delete' | null>(null)
  const close = () => setDialog(null)
  return (
    <>
      <div className="page-head">
        <div className="long-text">
          <h1>
            <bdi>{server.name}</bdi>
          </h1>
          <p dir="auto">{server.description}</p>
        </div>
        <div className="row">
          <Button variant="default" onClick={() => setDialog('change')}>
            {textsOf('admin.tools')('change')}
          </Button>
          <Button variant="default" onClick={() => setDialog('delete')}>
            {textsOf('parts')('delete')}
          </Button>
        </div>
      </div>
      <div className="stack">
        <McpConnection server={server} />
        {server.auth_type === 'PT_OAUTH' && <ServerPassthrough server={server} />}
        <McpToolChoice server={server} />
        <McpAccess server={server} />
      </div>
      {dialog === 'change' && <McpServerForm server={server} onClose={close} />}
      {dialog === 'delete' && <DeleteMcpServer server={server} onClose={close} />}
    </>
  )
}

function ServerPassthrough({ server: { id, name, server_url, passthrough_grant } }: { server: MCPServer }) {
  const reload = useReloadMcp()
  return (
    <PassthroughCard
      name={name}
      server={server_url}
      grant={passthrough_grant}
      onGrant={async () => {
        await grantMcpPassthrough(api, { server_id: id, body: { server_url } })
        await reload()
      }}
      onRevoke={async () => {
        await revokeMcpPassthrough(api, { server_id: id })
        await reload()
      }}
    />
  )
}
