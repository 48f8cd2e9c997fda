// The MCP servers that the person may use, and what each needs of them.
import { Badge, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { givePassthroughConsent } from '../../../../src/client/operations.ts'
import type { MCPServer, PassthroughConsent } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { SignInToServer } from '../mcp-servers/sign-in-to-server.tsx'
import { consentsQuery, usableServersQuery } from './connected-queries.ts'
import { McpCredentials } from './mcp-credentials.tsx'
import { McpServerTools } from './mcp-server-tools.tsx'

type Opened = { dialog: 'credentials' | 'tools'; server: MCPServer }

export function OwnMcpServers() {
  const t = textsOf('account.servers')
  const servers = useQuery(usableServersQuery)
  const consents = useQuery(consentsQuery)
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = () => setOpened(null)
  if (servers.data?.length === 0) return null
  return (
    <section className="card" aria-labelledby="own-servers">
      <div className="section-head">
        <h2 id="own-servers">{t('title')}</h2>
      </div>
      <p className="section-note dimmed">{t('help')}</p>
      {servers.isError && <ErrorAlert error={servers.error} retry={() => void servers.refetch()} />}
      {servers.isPending && <LoadingSkeleton lines={2} />}
      {servers.data !== undefined && (
        <ServerTable
          servers={servers.data}
          consents={consents.data}
          onOpen={(dialog, server) => setOpened({ dialog, server })}
        />
      )}
      {opened?.dialog === 'credentials' && <McpCredentials server={opened.server} onClose={close} />}
      {opened?.dialog === 'tools' && <McpServerTools server={opened.server} onClose={close} />}
    </section>
  )
}

interface TableProps {
  servers: readonly MCPServer[]
  consents: readonly PassthroughConsent[] | undefined
  onOpen: (dialog: Opened['dialog'], server: MCPServer) => void
}

function ServerTable({ servers, consents, onOpen }: TableProps) {
  const t = textsOf('account.servers')
  return (
    <RecordTable
      label={t('title')}
      rows={servers}
      keyOf={({ id }) => id}
      columns={[
        {
          label: t('server'),
          className: 'long-text',
          cell: ({ name, description }) => (
            <>
              <bdi>{name}</bdi>
              <div className="small dimmed" dir="auto">
                {description}
              </div>
            </>
          ),
        },
        { label: t('tools'), className: 'number', cell: (it) => formatCount(it.tool_count) },
        { label: t('state'), cell: (it) => <ServerState server={it} hasConsent={hasConsent(consents, it)} /> },
      ]}
      action={(server) => (
        <div className="row-actions">
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('show_tools_of', { name: server.name })}
            onClick={() => onOpen('tools', server)}
          >
            {t('show_tools')}
          </Button>
          <ServerAction
            server={server}
            hasConsent={hasConsent(consents, server)}
            onCredentials={() => onOpen('credentials', server)}
          />
        </div>
      )}
    />
  )
}

const hasConsent = (consents: readonly PassthroughConsent[] | undefined, { id }: MCPServer): boolean =>
  consents?.some((it) => it.kind === 'mcp_server' && it.id === id) ?? false

interface StateProps {
  server: MCPServer
  hasConsent: boolean
}

function ServerState({ server, hasConsent: isAgreed }: StateProps) {
  const t = textsOf('account.servers')
  const state = stateOf(server, isAgreed)
  return (
    <Badge color={state === 'ready' ? 'green' : state === 'paused' ? 'gray' : 'yellow'} variant="light" tt="none">
      {t(`states.${state}`)}
    </Badge>
  )
}

function stateOf(server: MCPServer, isAgreed: boolean) {
  if (server.status === 'DISCONNECTED') return 'paused'
  if (!server.is_authenticated)
    return server.user_can_authenticate ? (server.auth_type === 'OAUTH' ? 'sign_in' : 'credentials') : 'closed'
  if (server.auth_type === 'PT_OAUTH' && !isAgreed && !server.permissions.edit) return 'consent'
  return server.status === 'CONNECTED' ? 'ready' : 'closed'
}

function ServerAction({ server, hasConsent: isAgreed, onCredentials }: StateProps & { onCredentials: () => void }) {
  const t = textsOf('account.servers')
  if (server.user_can_authenticate && server.auth_type === 'API_TOKEN')
    return (
      <Button
        variant="subtle"
        size="compact-sm"
        aria-label={t('enter_credentials_of', { name: server.name })}
        onClick={onCredentials}
      >
        {t('enter_credentials')}
      </Button>
    )
  if (server.user_can_authenticate && server.auth_type === 'OAUTH')
    return <SignInToServer id={server.id} returnPath="/account" isAgain={server.is_authenticated} size="xs" />
  return stateOf(server, isAgreed) === 'consent' ? <GiveConsent server={server} /> : null
}

function GiveConsent({ server: { id, name } }: { server: MCPServer }) {
  const t = textsOf('account.servers')
  const queryClient = useQueryClient()
  const give = useMutation({
    mutationFn: () => givePassthroughConsent(api, { body: { mcp_server_id: id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['connected'] }),
  })
  return (
    <>
      {give.isError && <ErrorAlert error={give.error} />}
      <Button
        variant="subtle"
        size="compact-sm"
        loading={give.isPending}
        aria-label={t('consent_of', { name })}
        onClick={() => give.mutate()}
      >
        {t('consent')}
      </Button>
    </>
  )
}
