// Asks the server for its tools, shows what has changed, and takes the changes over when the person agrees.
import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { discoverMcpTools, listMcpToolSnapshots } from '../../../../src/client/operations.ts'
import type { MCPServer, StoredMCPTool } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadMcp } from './mcp-queries.ts'
import { compareMcpTools, isEmptyDifference, type McpToolDifference } from './mcp-tool-difference.ts'

interface Props {
  server: MCPServer
  stored: readonly StoredMCPTool[]
  onClose: () => void
}

export function McpToolChanges({ server, stored, onClose }: Props) {
  const t = textsOf('admin.mcp.changes')
  const reload = useReloadMcp()
  const offered = useQuery({
    queryKey: ['mcp-offered', server.id],
    queryFn: ({ signal }) => discoverMcpTools(api, { server_id: server.id, signal }),
    gcTime: 0,
    retry: false,
  })
  const takeOver = useMutation({
    mutationFn: () => listMcpToolSnapshots(api, { server_id: server.id, source: 'mcp' }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  const difference = offered.data && compareMcpTools(stored, offered.data.tools)
  const isSame = difference !== undefined && isEmptyDifference(difference) && server.status === 'CONNECTED'
  return (
    <Dialog title={t('title')} isWide onClose={onClose}>
      <div className="stack tool-changes">
        {offered.isPending && <LoadingSkeleton lines={4} />}
        {offered.isError && <ErrorAlert error={offered.error} retry={() => void offered.refetch()} />}
        {difference !== undefined && (
          <>
            <p>{isEmptyDifference(difference) ? t('none') : t('help')}</p>
            <Difference difference={difference} />
          </>
        )}
        {takeOver.isError && <ErrorAlert error={takeOver.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {textsOf('parts')(isSame ? 'close' : 'cancel')}
          </Button>
          {difference !== undefined && !isSame && (
            <Button loading={takeOver.isPending} onClick={() => takeOver.mutate()}>
              {t('take_over')}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

function Difference({ difference: { added, removed, changed } }: { difference: McpToolDifference }) {
  const t = textsOf('admin.mcp.changes')
  return (
    <div>
      <Names title={t('added', { count: added.length })} tools={added} />
      <Names title={t('removed', { count: removed.length })} tools={removed} />
      {changed.length > 0 && <h3>{t('changed', { count: changed.length })}</h3>}
      {changed.map(({ name, changes }) => (
        <details key={name} open>
          <summary>
            <code>{name}</code>
          </summary>
          <RecordTable
            label={name}
            rows={changes}
            keyOf={({ field }) => field}
            columns={[
              { label: textsOf('admin.tools')('field'), cell: ({ field }) => t(`fields.${field}`) },
              { label: textsOf('admin.tools')('before'), cell: ({ before }) => <Text text={before} /> },
              { label: textsOf('admin.tools')('after'), cell: ({ after }) => <Text text={after} /> },
            ]}
          />
        </details>
      ))}
    </div>
  )
}

const Text = ({ text }: { text: string }) => (
  <pre className="tool-text" dir="auto">
    {text}
  </pre>
)

const Names = ({ title, tools }: { title: string; tools: readonly { name: string; description: string }[] }) =>
  tools.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul className="long-text">
        {tools.map((it) => (
          <li key={it.name}>
            <code>{it.name}</code> <bdi className="dimmed">{it.description}</bdi>
          </li>
        ))}
      </ul>
    </>
  )
