// A dialog with the tools that an MCP server offers the person now.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { discoverUsableMcpTools } from '../../../../src/client/operations.ts'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

export function McpServerTools({ server, onClose }: { server: MCPServer; onClose: () => void }) {
  const t = textsOf('account.servers')
  const offered = useQuery({
    queryKey: ['connected-tools', server.id],
    queryFn: ({ signal }) => discoverUsableMcpTools(api, { server_id: server.id, signal }),
    gcTime: 0,
    retry: false,
  })
  return (
    <Dialog title={t('tools_of', { name: server.name })} onClose={onClose}>
      {offered.isPending && <LoadingSkeleton lines={4} />}
      {offered.isError && <ErrorAlert error={offered.error} retry={() => void offered.refetch()} />}
      {offered.data?.tools.length === 0 && <p>{t('no_tools')}</p>}
      <ul className="long-text">
        {offered.data?.tools.map((it) => (
          <li key={it.name}>
            <bdi>{it.display_name}</bdi>
            <div className="small dimmed" dir="auto">
              {it.description}
            </div>
          </li>
        ))}
      </ul>
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('close')}
        </Button>
      </div>
    </Dialog>
  )
}
