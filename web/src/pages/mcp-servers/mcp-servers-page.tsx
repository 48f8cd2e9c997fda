// MCP servers: other systems that offer tools.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, Time } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import '../tools/tools.css'
import { mcpServersQuery } from './mcp-queries.ts'
import { McpServerForm } from './mcp-server-form.tsx'
import { McpServerPage } from './mcp-server-page.tsx'
import { McpStatus } from './mcp-status.tsx'

export const McpServersPage = ({ id }: AdminPageProps) =>
  id === undefined ? <McpServerList /> : <McpServerPage key={id} id={id} />

function McpServerList() {
  const t = textsOf('admin.mcp')
  const navigate = useNavigate()
  const [isCreating, setIsCreating] = useState(false)
  const servers = useQuery(mcpServersQuery)
  useTitle(t('title'))
  return (
    <>
      <PageHead title={t('title')} help={t('help')}>
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setIsCreating(true)}>
          {t('new')}
        </Button>
      </PageHead>
      {servers.isError && <ErrorAlert error={servers.error} retry={() => void servers.refetch()} />}
      {servers.isPending && <LoadingSkeleton lines={5} />}
      {servers.data?.length === 0 && (
        <div className="card">
          <EmptyState icon="tool" title={t('empty')}>
            {t('empty_help')}
          </EmptyState>
        </div>
      )}
      {servers.data !== undefined && servers.data.length > 0 && (
        <div className="card">
          <ServerTable servers={servers.data} />
        </div>
      )}
      {isCreating && (
        <McpServerForm
          onClose={() => setIsCreating(false)}
          onDone={(id) => void navigate({ to: '/admin/$page/{-$id}', params: { page: 'mcp-servers', id: String(id) } })}
        />
      )}
    </>
  )
}

function ServerTable({ servers }: { servers: readonly MCPServer[] }) {
  const t = textsOf('admin.mcp')
  return (
    <RecordTable
      label={t('title')}
      rows={servers}
      keyOf={({ id }) => id}
      columns={[
        {
          label: textsOf('parts')('name'),
          className: 'long-text',
          cell: (it) => (
            <>
              <AdminLink page="mcp-servers" id={String(it.id)}>
                <bdi>{it.name}</bdi>
              </AdminLink>
              <div className="small dimmed">
                <bdi>{it.server_url}</bdi>
              </div>
            </>
          ),
        },
        { label: t('status'), className: 'nowrap', cell: (it) => <McpStatus status={it.status} /> },
        { label: t('auth.type'), cell: (it) => t(`auth.types.${it.auth_type}`) },
        { label: t('tools'), className: 'number', cell: (it) => formatCount(it.tool_count) },
        { label: t('read_at'), className: 'nowrap', cell: (it) => <Time at={it.last_refreshed_at} /> },
      ]}
    />
  )
}
