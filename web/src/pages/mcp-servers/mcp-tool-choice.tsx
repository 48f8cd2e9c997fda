// The tools of a server: which ones models see, and which need the approval of the person who asks.
import { Badge, Button, Checkbox, NativeSelect } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getMcpServer, selectMcpTools, updateMcpServer } from '../../../../src/client/operations.ts'
import type { MCPServer, StoredMCPTool } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { storedMcpToolsQuery, useReloadMcp } from './mcp-queries.ts'
import { McpToolChanges } from './mcp-tool-changes.tsx'

export function McpToolChoice({ server }: { server: MCPServer }) {
  const t = textsOf('admin.mcp')
  const [isComparing, setIsComparing] = useState(false)
  const tools = useQuery(storedMcpToolsQuery(server.id))
  const stored = tools.data ?? []
  return (
    <section className="card" aria-labelledby="mcp-tools">
      <div className="section-head">
        <h2 id="mcp-tools">{t('tools')}</h2>
        <Button
          size="xs"
          variant={stored.length === 0 ? 'filled' : 'default'}
          disabled={tools.data === undefined}
          onClick={() => setIsComparing(true)}
        >
          {stored.length === 0 ? t('read_tools') : t('check_changes')}
        </Button>
      </div>
      <p className="section-note dimmed">{t('tools_help')}</p>
      {tools.isError && <ErrorAlert error={tools.error} retry={() => void tools.refetch()} />}
      {tools.isPending && <LoadingSkeleton lines={4} />}
      {tools.data?.length === 0 && (
        <EmptyState icon="tool" title={t('no_tools')}>
          {t('no_tools_help')}
        </EmptyState>
      )}
      {stored.length > 0 && <Choice key={enabledNames(stored).join('\n')} server={server} tools={stored} />}
      {isComparing && <McpToolChanges server={server} stored={stored} onClose={() => setIsComparing(false)} />}
    </section>
  )
}

const enabledNames = (tools: readonly StoredMCPTool[]): string[] =>
  tools.filter((it) => it.enabled !== false).map((it) => it.name)

interface ChoiceProps {
  server: MCPServer
  tools: readonly StoredMCPTool[]
}

function Choice({ server, tools }: ChoiceProps) {
  const t = textsOf('admin.mcp')
  const reload = useReloadMcp()
  const [chosen, setChosen] = useState<readonly string[]>(() => enabledNames(tools))
  const save = useMutation({
    mutationFn: () => selectMcpTools(api, { body: { server_id: server.id, selected_tools: [...chosen] } }),
    onSuccess: reload,
  })
  const toggle = (name: string) => {
    save.reset()
    setChosen(chosen.includes(name) ? chosen.filter((it) => it !== name) : [...chosen, name])
  }
  const isChanged = chosen.toSorted().join('\n') !== enabledNames(tools).toSorted().join('\n')
  return (
    <>
      <RecordTable
        label={t('tools')}
        rows={tools}
        keyOf={({ id }) => id}
        columns={[
          {
            label: t('use'),
            cell: (it) => (
              <Checkbox
                aria-label={t('use_of', { name: it.display_name })}
                checked={chosen.includes(it.name)}
                onChange={() => toggle(it.name)}
              />
            ),
          },
          { label: textsOf('admin.tools')('tool'), className: 'long-text', cell: (it) => <ToolName tool={it} /> },
          { label: t('approval'), cell: (it) => <Approval server={server} tool={it} /> },
        ]}
      />
      {save.isError && <ErrorAlert error={save.error} />}
      <div className="section-end row">
        <Button
          size="xs"
          variant="default"
          onClick={() => setChosen(chosen.length === tools.length ? [] : tools.map((it) => it.name))}
        >
          {chosen.length === tools.length ? t('choose_none') : t('choose_all')}
        </Button>
        <Button size="xs" disabled={!isChanged} loading={save.isPending} onClick={() => save.mutate()}>
          {t('save_choice', { count: chosen.length })}
        </Button>
      </div>
    </>
  )
}

function ToolName({ tool }: { tool: StoredMCPTool }) {
  const t = textsOf('admin.mcp')
  return (
    <>
      <bdi>{tool.display_name}</bdi>{' '}
      {tool.is_read_only && (
        <Badge color="gray" variant="light" tt="none">
          {t('read_only')}
        </Badge>
      )}{' '}
      {!tool.is_offered && (
        <Badge color="red" variant="light" tt="none">
          {t('withdrawn')}
        </Badge>
      )}
      <div className="small dimmed" dir="auto">
        {tool.description}
      </div>
    </>
  )
}

const POLICIES = ['', 'ask', 'allow'] as const

/** Without a policy, tools that the server declares read-only run at once, and the others ask. */
function Approval({ server, tool }: { server: MCPServer; tool: StoredMCPTool }) {
  const t = textsOf('admin.mcp')
  const reload = useReloadMcp()
  const save = useMutation({
    mutationFn: async (policy: (typeof POLICIES)[number]) => {
      // The policies are replaced together, so those of the other tools must be the ones that are stored now.
      const { tool_policies: stored, version } = await getMcpServer(api, { server_id: server.id })
      const { [tool.name]: _, ...others } = stored
      const tool_policies = policy === '' ? others : { ...others, [tool.name]: policy }
      return updateMcpServer(api, { server_id: server.id, body: { tool_policies, expected_version: version } })
    },
    onSettled: reload,
  })
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('approval_of', { name: tool.display_name })}
        value={server.tool_policies[tool.name] ?? ''}
        disabled={save.isPending}
        onChange={({ currentTarget: { value } }) => save.mutate(POLICIES.find((it) => it === value) ?? '')}
        data={[
          { value: '', label: tool.is_read_only ? t('policies.default_allow') : t('policies.default_ask') },
          { value: 'ask', label: t('policies.ask') },
          { value: 'allow', label: t('policies.allow') },
        ]}
      />
      {save.isError && <ErrorAlert error={save.error} />}
    </>
  )
}
