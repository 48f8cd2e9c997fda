// Chats of all people, for administrators, as far as the privacy setting allows.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { AdminLink } from '../../admin/admin-link.tsx'
import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { ChatList } from './chat-list.tsx'
import { Exports } from './exports.tsx'
import { settingsQuery } from './history-query.ts'
import { OneChat } from './one-chat.tsx'
import './history.css'

export function HistoryPage({ id }: AdminPageProps) {
  const t = textsOf('admin.history')
  const settings = useQuery(settingsQuery)
  useTitle(t('title'))
  if (settings.isPending) return <LoadingSkeleton lines={8} />
  if (settings.isError) return <ErrorAlert error={settings.error} retry={() => void settings.refetch()} />
  const type = settings.data.query_history_type
  if (type === 'disabled') return <Closed />
  const isNamed = type === 'normal'
  if (id !== undefined) return <OneChat id={id} isNamed={isNamed} />
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
      </div>
      <p role="note">{t.rich(isNamed ? 'named' : 'not_named', { link: settingsLink })}</p>
      <ChatList isNamed={isNamed} />
      <Exports />
    </div>
  )
}

const settingsLink = (text: ReactNode) => <AdminLink page="settings">{text}</AdminLink>

function Closed() {
  const t = textsOf('admin.history')
  return (
    <div className="card">
      <EmptyState icon="history" title={t('closed')} heading="h1">
        {t.rich('closed_help', { link: settingsLink })}
      </EmptyState>
    </div>
  )
}
