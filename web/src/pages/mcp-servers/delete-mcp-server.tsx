import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deleteMcpServer } from '../../../../src/client/operations.ts'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { agentsOfToolsQuery } from '../tools/tools-queries.ts'
import { storedMcpToolsQuery, useReloadMcp } from './mcp-queries.ts'

export function DeleteMcpServer({ server, onClose }: { server: MCPServer; onClose: () => void }) {
  const t = textsOf('admin.mcp.delete')
  const reload = useReloadMcp()
  const navigate = useNavigate()
  const tools = useQuery(storedMcpToolsQuery(server.id))
  const ids = tools.data?.map((it) => it.id) ?? []
  const agents = useQuery({ ...agentsOfToolsQuery(ids), enabled: tools.data !== undefined })
  const remove = useMutation({
    mutationFn: () => deleteMcpServer(api, { server_id: server.id }),
    onSuccess: async () => {
      await navigate({ to: '/admin/$page/{-$id}', params: { page: 'mcp-servers', id: undefined } })
      await reload()
    },
  })
  const error = remove.error ?? tools.error ?? agents.error
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <p className="long-text">{t.rich('help', { name: () => <bdi>{server.name}</bdi> })}</p>
      {agents.isPending && error === null && <LoadingSkeleton lines={2} />}
      {agents.data !== undefined && (
        <ul className="long-text">
          <li>{t('tools', { count: ids.length })}</li>
          <li>
            {agents.data.length === 0
              ? t('no_agents')
              : t.rich('agents', { names: () => <bdi>{listText(agents.data.map((it) => it.name))}</bdi> })}
          </li>
          <li>{t('credentials')}</li>
        </ul>
      )}
      {error !== null && <ErrorAlert error={error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button
          color="red"
          loading={remove.isPending}
          disabled={agents.data === undefined}
          onClick={() => remove.mutate()}
        >
          {t('delete')}
        </Button>
      </div>
    </Dialog>
  )
}
