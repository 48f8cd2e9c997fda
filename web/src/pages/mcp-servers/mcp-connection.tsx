// Whether the server answers: its status, the test, the sign-in, and the pause.
import { Alert, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { discoverMcpTools, setMcpServerStatus } from '../../../../src/client/operations.ts'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadMcp } from './mcp-queries.ts'
import { McpStatus } from './mcp-status.tsx'
import { SignInToServer } from './sign-in-to-server.tsx'

export function McpConnection({ server }: { server: MCPServer }) {
  const t = textsOf('admin.mcp')
  const reload = useReloadMcp()
  const test = useMutation({ mutationFn: () => discoverMcpTools(api, { server_id: server.id }) })
  const isPaused = server.status === 'DISCONNECTED'
  const pause = useMutation({
    mutationFn: () =>
      setMcpServerStatus(api, { server_id: server.id, status: isPaused ? 'CONNECTED' : 'DISCONNECTED' }),
    onSuccess: reload,
  })
  return (
    <section className="card card-pad stack" aria-labelledby="connection">
      <div className="row">
        <h2 id="connection">{t('connection')}</h2>
        <McpStatus status={server.status} />
      </div>
      <p className="dimmed">
        {server.user_can_authenticate && server.auth_type === 'API_TOKEN' && !server.is_authenticated
          ? t.rich('own_credentials', { link: (it) => <Link to="/account">{it}</Link> })
          : t(`status_notes.${server.status}`)}
      </p>
      <ServerFacts server={server} />
      {test.data !== undefined && (
        <Alert color="green" variant="light" role="status" icon={<Icon name="check" />}>
          {t('test_passed', { count: test.data.tools.length })}
        </Alert>
      )}
      {test.isError && <ErrorAlert error={test.error} />}
      {pause.isError && <ErrorAlert error={pause.error} />}
      <div className="row">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t('test')}
        </Button>
        {server.auth_type === 'OAUTH' && (
          <SignInToServer
            id={server.id}
            returnPath={`/admin/mcp-servers/${server.id}`}
            isAgain={server.is_authenticated}
          />
        )}
        {(isPaused || server.status === 'CONNECTED') && (
          <Button variant="default" loading={pause.isPending} onClick={() => pause.mutate()}>
            {isPaused ? t('resume') : t('pause')}
          </Button>
        )}
      </div>
    </section>
  )
}

function ServerFacts({ server }: { server: MCPServer }) {
  const t = textsOf('admin.mcp')
  const secrets = Object.entries(server.admin_credentials ?? {})
  return (
    <dl className="tool-facts">
      <div>
        <dt>{t('address')}</dt>
        <dd>
          <bdi>{server.server_url}</bdi>
        </dd>
      </div>
      <div>
        <dt>{t('auth.type')}</dt>
        <dd>{t(`auth.types.${server.auth_type}`)}</dd>
      </div>
      {server.user_can_authenticate && (
        <div>
          <dt>{t('auth.performer')}</dt>
          <dd>{t('auth.performers.PER_USER')}</dd>
        </div>
      )}
      {secrets.map(([name, value]) => (
        <div key={name}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <code>{value}</code>
          </dd>
        </div>
      ))}
      <div>
        <dt>{t('read_at')}</dt>
        <dd>
          <Time at={server.last_refreshed_at} />
        </dd>
      </div>
    </dl>
  )
}
