// The tools that the agent may call, by what provides them.
import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FullPersonaSnapshot, MCPServer, ToolSnapshot } from '../../../../src/client/schemas.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import type { FieldsProps } from './agent-values.ts'
import { serversQuery, toolsQuery } from './agents-query.ts'

interface Props extends FieldsProps {
  agent: FullPersonaSnapshot | undefined
}

export function ToolFields({ values, set, agent }: Props) {
  const t = textsOf('agents.editor')
  const tools = useQuery(toolsQuery)
  const servers = useQuery(serversQuery)
  const { tool_ids: chosen } = values
  const toggle = (id: number) =>
    set({ tool_ids: chosen.includes(id) ? chosen.filter((it) => it !== id) : [...chosen, id] })
  return (
    <section className="card card-pad stack" aria-labelledby="agent-tools">
      <h2 id="agent-tools">{t('fields.tool_ids')}</h2>
      <p className="dimmed">{t('tools_help')}</p>
      {tools.isError && <ErrorAlert error={tools.error} retry={() => void tools.refetch()} />}
      {tools.isPending && <LoadingSkeleton lines={3} />}
      {tools.data !== undefined &&
        groupTools(tools.data, agent?.tools ?? [], servers.data?.mcp_servers ?? []).map((group) => (
          <fieldset key={group.key} className="agent-choices">
            <legend>
              <bdi>{group.label}</bdi>
            </legend>
            {group.tools.map((it) => (
              <Checkbox
                key={it.id}
                label={<bdi>{it.display_name}</bdi>}
                description={<ToolDescription tool={it} />}
                checked={chosen.includes(it.id)}
                onChange={() => toggle(it.id)}
              />
            ))}
          </fieldset>
        ))}
    </section>
  )
}

const ToolDescription = ({ tool }: { tool: ToolSnapshot }) => (
  <span className="agent-tool-help" dir="auto">
    {tool.description}
  </span>
)

interface ToolGroup {
  key: string
  label: string
  tools: ToolSnapshot[]
}

/** A tool of the agent that the person may not use stays in its list. */
function groupTools(
  usable: readonly ToolSnapshot[],
  own: readonly ToolSnapshot[],
  servers: readonly MCPServer[],
): ToolGroup[] {
  const t = textsOf('agents.editor')
  const offered = usable.filter((it) => it.agent_creation_selectable !== false || own.some(({ id }) => id === it.id))
  const closed = own.filter((it) => !offered.some(({ id }) => id === it.id))
  const remote = servers.map((server) => ({
    key: `server ${server.id}`,
    label: t('tools_of_server', { server: server.name }),
    tools: offered.filter((it) => it.mcp_server_id === server.id),
  }))
  const inServer = new Set(remote.flatMap((it) => it.tools.map(({ id }) => id)))
  const local = offered.filter((it) => !inServer.has(it.id))
  const isBuiltIn = (it: ToolSnapshot) => it.in_code_tool_id !== null
  return [
    { key: 'built-in', label: t('built_in_tools'), tools: local.filter(isBuiltIn) },
    { key: 'custom', label: t('custom_tools'), tools: local.filter((it) => !isBuiltIn(it)) },
    ...remote,
    { key: 'closed', label: t('closed_tools'), tools: closed },
  ].filter((it) => it.tools.length > 0)
}
