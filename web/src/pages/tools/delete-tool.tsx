// Deletes a tool after the person has seen what uses it. While an agent uses it, it stays.
import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deleteCustomTool } from '../../../../src/client/operations.ts'
import type { ToolSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { agentsOfToolsQuery, useReloadTools } from './tools-queries.ts'

export function DeleteTool({ tool, onClose }: { tool: ToolSnapshot; onClose: () => void }) {
  const t = textsOf('admin.tools.delete')
  const reload = useReloadTools()
  const navigate = useNavigate()
  const agents = useQuery(agentsOfToolsQuery([tool.id]))
  const remove = useMutation({
    mutationFn: () => deleteCustomTool(api, { tool_id: tool.id }),
    onSuccess: async () => {
      await navigate({ to: '/admin/$page/{-$id}', params: { page: 'tools', id: undefined } })
      await reload()
    },
  })
  const isUsed = agents.data !== undefined && agents.data.length > 0
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <p className="long-text">{t.rich('help', { name: () => <bdi>{tool.display_name}</bdi> })}</p>
      {agents.isPending && <LoadingSkeleton lines={1} />}
      {agents.isError && <ErrorAlert error={agents.error} retry={() => void agents.refetch()} />}
      {agents.data?.length === 0 && <p>{t('unused')}</p>}
      {isUsed && (
        <>
          <p>{t('used', { count: agents.data.length })}</p>
          <ul className="long-text">
            {agents.data.map((it) => (
              <li key={it.id}>
                <bdi>{it.name}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      {tool.oauth_config_id != null && <p>{t('oauth_config')}</p>}
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button
          color="red"
          loading={remove.isPending}
          disabled={agents.data === undefined || isUsed}
          onClick={() => remove.mutate()}
        >
          {t('delete')}
        </Button>
      </div>
    </Dialog>
  )
}
