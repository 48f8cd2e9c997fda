// The tools of MCP servers. They are chosen on the page of their server.
import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ToolSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { mcpServersQuery } from '../mcp-servers/mcp-queries.ts'
import { mcpToolsQuery } from './tools-queries.ts'

export function McpTools() {
  const t = textsOf('admin.tools')
  const tools = useQuery(mcpToolsQuery)
  const servers = useQuery(mcpServersQuery)
  const names = new Map(servers.data?.map((it) => [it.id, it.name]))
  const shown = tools.data ?? []
  return (
    <section className="card" aria-labelledby="mcp-tools">
      <div className="section-head">
        <h2 id="mcp-tools">{t('mcp')}</h2>
      </div>
      <p className="section-note dimmed">
        {t.rich('mcp_help', { link: (it) => <AdminLink page="mcp-servers">{it}</AdminLink> })}
      </p>
      {tools.isError && <ErrorAlert error={tools.error} retry={() => void tools.refetch()} />}
      {tools.isPending && <LoadingSkeleton lines={3} />}
      {shown.length > 0 && (
        <RecordTable
          label={t('mcp')}
          rows={shown}
          keyOf={({ id }) => id}
          columns={[
            {
              label: t('tool'),
              className: 'long-text',
              cell: (it) => (
                <>
                  <bdi>{it.display_name}</bdi>
                  <div className="small dimmed" dir="auto">
                    {it.description}
                  </div>
                </>
              ),
            },
            {
              label: t('server'),
              className: 'long-text',
              cell: ({ mcp_server_id: id }) => (
                <AdminLink page="mcp-servers" id={String(id)}>
                  <bdi>{names.get(id ?? 0) ?? String(id)}</bdi>
                </AdminLink>
              ),
            },
            { label: t('state'), className: 'nowrap', cell: (it) => <State tool={it} /> },
          ]}
        />
      )}
    </section>
  )
}

const State = ({ tool: { enabled = true } }: { tool: ToolSnapshot }) => (
  <Badge color={enabled ? 'green' : 'gray'} variant="light" tt="none">
    {textsOf('admin.tools')(enabled ? 'on' : 'off')}
  </Badge>
)
