// All kinds of sources, with a search over their names and descriptions.
import { Badge, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ConnectorSource } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { kindHelp, kindTitle } from './kind-texts.ts'

export function Gallery({ kinds }: { kinds: readonly ConnectorSource[] }) {
  const t = textsOf('admin.add_connector')
  const [typed, setTyped] = useState('')
  const words = typed.toLowerCase().split(' ').filter(Boolean)
  const isShown = (text: string) => words.every((it) => text.toLowerCase().includes(it))
  const shown = kinds
    .map((kind) => ({ kind, title: kindTitle(kind), help: kindHelp(kind) }))
    .filter(({ kind, title, help }) => isShown([kind.source, ...kind.aliases, title, help].join(' ')))
    .sort((one, other) => one.title.localeCompare(other.title))
  const isPushShown = isShown(`${t('push_title')} ${t('push_help')}`)
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('help')}</p>
        </div>
        <TextInput
          type="search"
          aria-label={t('search')}
          placeholder={t('search')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          leftSection={<Icon name="search" size={16} />}
          maxLength={200}
        />
      </div>
      <p className="sr-only" role="status">
        {t('shown', { count: shown.length + (isPushShown ? 1 : 0) })}
      </p>
      {shown.length === 0 && !isPushShown && (
        <div className="card">
          <EmptyState icon="search" title={t('none_title')}>
            {t.rich('none_help', { link: (text) => <AdminLink page="ingestion">{text}</AdminLink> })}
          </EmptyState>
        </div>
      )}
      <ul className="gallery">
        {shown.map(({ kind, title, help }) => (
          <li key={kind.source}>
            <AdminLink page="add-connector" id={kind.source} className="card gallery-kind">
              <SourceIcon source={kind.source} />
              <strong>{title}</strong>
              <span className="small dimmed">{help}</span>
              <RightsBadge isFollowed={kind.supports_sync} />
            </AdminLink>
          </li>
        ))}
        {isPushShown && (
          <li>
            <AdminLink page="ingestion" className="card gallery-kind">
              <SourceIcon source="ingestion_api" />
              <strong>{t('push_title')}</strong>
              <span className="small dimmed">{t('push_help')}</span>
              <Badge variant="light" color="gray" tt="none">
                {t('push_badge')}
              </Badge>
            </AdminLink>
          </li>
        )}
      </ul>
    </>
  )
}

export const RightsBadge = ({ isFollowed }: { isFollowed: boolean }) => (
  <Badge variant="light" color={isFollowed ? 'green' : 'gray'} tt="none">
    {textsOf('admin.add_connector')(isFollowed ? 'rights_followed' : 'rights_chosen')}
  </Badge>
)
