import { Badge, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ConnectorIndexingStatus, CredentialSnapshot } from '../../../../src/client/schemas.ts'
import { EndButton, RecordTable } from '../../parts/record-table.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { pairLabel, sourceLabel, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { credentialLabel } from '../add-connector/credential-choice.tsx'
import type { CredentialUses } from './credentials-queries.ts'

export type CredentialTask = 'secret' | 'origins' | 'delete'

interface TableProps {
  credentials: readonly CredentialSnapshot[]
  uses: CredentialUses
  onOpen: (task: CredentialTask, id: number) => void
}

export function CredentialTable({ credentials, uses, onOpen }: TableProps) {
  const t = textsOf('admin.credentials')
  const usedBy = ({ id }: CredentialSnapshot) => uses.get(id) ?? []
  return (
    <RecordTable
      label={t('title')}
      rows={credentials}
      keyOf={({ id }) => id}
      columns={[
        { label: t('name'), className: 'long-text', cell: (it) => <NameCell credential={it} /> },
        { label: t('used_by'), className: 'long-text', cell: (it) => <UsedBy connectors={usedBy(it)} /> },
        {
          label: t('sent_to'),
          className: 'long-text',
          cell: ({ allowed_origins }) => <Origins all={allowed_origins} />,
        },
        { label: t('state'), className: 'nowrap', cell: (it) => <State connectors={usedBy(it)} /> },
      ]}
      action={(it) => (
        <div className="credential-actions">
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={t('change_secret_of', { name: credentialLabel(it) })}
            onClick={() => onOpen('secret', it.id)}
          >
            {t('change_secret')}
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={t('change_origins_of', { name: credentialLabel(it) })}
            onClick={() => onOpen('origins', it.id)}
          >
            {t('change_origins')}
          </Button>
          <EndButton
            label={t('delete')}
            longLabel={t('delete_of', { name: credentialLabel(it) })}
            onClick={() => onOpen('delete', it.id)}
          />
        </div>
      )}
    />
  )
}

const NameCell = ({ credential }: { credential: CredentialSnapshot }) => {
  const t = textsOf('admin.credentials')
  return (
    <div className="credential-name">
      <SourceIcon source={credential.source} size={32} />
      <div>
        <bdi>{credentialLabel(credential)}</bdi>
        <div className="small dimmed">
          {sourceLabel(credential.source)} ·{' '}
          {credential.user_email === null ? t('without_owner') : <bdi>{credential.user_email}</bdi>}
          {credential.admin_public && ` · ${t('shared')}`}
        </div>
      </div>
    </div>
  )
}

export const UsedBy = ({ connectors }: { connectors: readonly ConnectorIndexingStatus[] }) =>
  connectors.length === 0 ? (
    <span className="dimmed">{textsOf('admin.credentials')('unused')}</span>
  ) : (
    <ul className="credential-list">
      {connectors.map(({ cc_pair_id: id, name }) => (
        <li key={id}>
          <Link to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(id) }}>
            <bdi>{pairLabel({ id, name })}</bdi>
          </Link>
        </li>
      ))}
    </ul>
  )

const Origins = ({ all }: { all: readonly string[] }) =>
  all.length === 0 ? (
    <span className="dimmed">{textsOf('admin.credentials')('nowhere_yet')}</span>
  ) : (
    <ul className="credential-list">
      {all.map((it) => (
        <li key={it}>
          <bdi>{it}</bdi>
        </li>
      ))}
    </ul>
  )

function State({ connectors }: { connectors: readonly ConnectorIndexingStatus[] }) {
  const t = textsOf('admin.credentials')
  const failing = connectors.filter((it) => it.sync_state === 'failing').length
  if (failing > 0)
    return (
      <Badge color="red" variant="light" tt="none">
        {t('failing', { count: failing })}
      </Badge>
    )
  const times = connectors.flatMap((it) => it.last_success ?? []).sort()
  return t.rich('last_used', { time: () => <Time at={times.at(-1) ?? null} /> })
}
