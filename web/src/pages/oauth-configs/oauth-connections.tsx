// The people and keys that have connected their account.
import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { OAuthConnection } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { oauthConnectionsQuery } from './oauth-configs-queries.ts'

export function OauthConnections({ id }: { id: number }) {
  const t = textsOf('admin.oauth_configs.connections')
  const connections = useQuery(oauthConnectionsQuery(id))
  const shown = connections.data ?? []
  return (
    <section className="card" aria-labelledby="connections">
      <div className="section-head">
        <h2 id="connections">{t('title')}</h2>
      </div>
      <p className="section-note dimmed">{t('help')}</p>
      {connections.isError && <ErrorAlert error={connections.error} retry={() => void connections.refetch()} />}
      {connections.isPending && <LoadingSkeleton lines={2} />}
      {connections.data?.length === 0 && <p className="section-note">{t('none')}</p>}
      {shown.length > 0 && (
        <RecordTable
          label={t('title')}
          rows={shown}
          keyOf={({ user_id }) => user_id}
          columns={[
            { label: t('who'), className: 'long-text', cell: (it) => <Holder connection={it} /> },
            { label: t('renewed'), className: 'nowrap', cell: (it) => <Time at={it.connected_at} /> },
            { label: textsOf('parts')('expires'), className: 'nowrap', cell: (it) => <Expires connection={it} /> },
          ]}
        />
      )}
    </section>
  )
}

const Holder = ({ connection: { email, name, user_id } }: { connection: OAuthConnection }) => (
  <>
    <bdi>{email ?? textsOf('admin.oauth_configs.connections')('key', { id: user_id })}</bdi>
    {name !== null && (
      <div className="small dimmed">
        <bdi>{name}</bdi>
      </div>
    )}
  </>
)

function Expires({ connection: { expires_at, is_expired } }: { connection: OAuthConnection }) {
  const t = textsOf('admin.oauth_configs.connections')
  if (!is_expired) return <Time at={expires_at} none={t('not_said')} />
  return (
    <Badge color="red" variant="light" tt="none">
      {textsOf('parts')('expired')}
    </Badge>
  )
}
