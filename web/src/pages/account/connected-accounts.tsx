// The accounts elsewhere with which tools act for the person, and where they connect and disconnect them.
import { Badge } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { revokeOauthToken } from '../../../../src/client/operations.ts'
import type { ToolSnapshot, UserOAuthTokenStatus } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { EndButton, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { listText, Time } from '../../parts/text.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { ConnectAccount } from '../chat/connect-account.tsx'
import { tokenStatusesQuery, toolsWithAccountQuery } from './connected-queries.ts'

interface Account {
  id: number
  name: string
  /** The names of the tools that use it. */
  tools: string[]
  /** Null if the person has not connected it. */
  status: UserOAuthTokenStatus | null
}

export function ConnectedAccounts() {
  const t = textsOf('account.connected')
  const statuses = useQuery(tokenStatusesQuery)
  const tools = useQuery({ ...toolsWithAccountQuery, enabled: hasPermission(useMe(), 'manage:actions') })
  const accounts = accountsOf(statuses.data ?? [], tools.data ?? [])
  const error = statuses.error ?? tools.error
  return (
    <section className="card" aria-labelledby="connected">
      <div className="section-head">
        <h2 id="connected">{t('title')}</h2>
      </div>
      <p className="section-note dimmed">{t('help')}</p>
      {error !== null && <ErrorAlert error={error} />}
      {(statuses.isPending || tools.isLoading) && <LoadingSkeleton lines={2} />}
      {statuses.data !== undefined && !tools.isLoading && accounts.length === 0 && (
        <p className="section-note">{t('none')}</p>
      )}
      {accounts.length > 0 && <AccountTable accounts={accounts} />}
    </section>
  )
}

function accountsOf(statuses: readonly UserOAuthTokenStatus[], tools: readonly ToolSnapshot[]): Account[] {
  const accounts = new Map<number, Account>()
  for (const status of statuses) {
    const { oauth_config_id: id, oauth_config_name: name } = status
    accounts.set(id, { id, name, tools: [], status })
  }
  for (const { oauth_config_id: id, oauth_config_name: name, display_name } of tools) {
    if (id == null) continue
    const known = accounts.get(id) ?? { id, name: name ?? '', tools: [], status: null }
    accounts.set(id, { ...known, tools: [...known.tools, display_name] })
  }
  return [...accounts.values()]
}

function AccountTable({ accounts }: { accounts: readonly Account[] }) {
  const t = textsOf('account.connected')
  return (
    <RecordTable
      label={t('title')}
      rows={accounts}
      keyOf={({ id }) => id}
      columns={[
        { label: t('account'), className: 'long-text', cell: ({ name }) => <bdi>{name}</bdi> },
        {
          label: t('tools'),
          className: 'long-text',
          cell: ({ tools }) => (tools.length === 0 ? t('no_tools') : <bdi>{listText(tools)}</bdi>),
        },
        { label: t('state'), className: 'nowrap', cell: ({ status }) => <State status={status} /> },
      ]}
      action={(it) => <AccountAction account={it} />}
    />
  )
}

const MS = 1_000

function State({ status }: Pick<Account, 'status'>) {
  const t = textsOf('account.connected')
  if (status === null) return <span className="dimmed">{t('not_connected')}</span>
  const { expires_at, is_expired } = status
  return (
    <>
      <Badge color={is_expired ? 'yellow' : 'green'} variant="light" tt="none">
        {is_expired ? t('expired') : t('is_connected')}
      </Badge>
      {!is_expired && expires_at !== null && (
        <div className="small dimmed">
          {t.rich('until', { time: () => <Time at={new Date(expires_at * MS).toISOString()} /> })}
        </div>
      )}
    </>
  )
}

function AccountAction({ account: { id, name, status } }: { account: Account }) {
  const t = textsOf('account.connected')
  const queryClient = useQueryClient()
  const disconnect = useMutation({
    mutationFn: () => revokeOauthToken(api, { oauth_config_id: id }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['connected'] }),
  })
  if (status === null) return <ConnectAccount oauth_config_id={id} />
  return (
    <>
      {disconnect.isError && <ErrorAlert error={disconnect.error} />}
      <EndButton
        label={t('disconnect')}
        longLabel={t('disconnect_of', { name })}
        isPending={disconnect.isPending}
        onClick={() => disconnect.mutate()}
      />
    </>
  )
}
