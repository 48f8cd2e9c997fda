// The list of what needs an administrator now, with what was dismissed and what ended lately.
import type { ReactNode } from 'react'
import type { Alert } from '../../../../src/client/schemas.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { AlertRow } from './alert-row.tsx'
import { useAlerts } from './alerts-query.ts'
import './needs-you.css'

export function NeedsYou() {
  const t = textsOf('admin.overview.needs_you')
  return (
    <section className="card card-pad needs-you" aria-labelledby="needs-you">
      <h2 id="needs-you">{t('title')}</h2>
      <Content />
    </section>
  )
}

function Content() {
  const t = textsOf('admin.overview.needs_you')
  const { data, error, refetch } = useAlerts()
  if (data === undefined)
    return error ? <ErrorAlert error={error} retry={() => void refetch()} /> : <LoadingSkeleton lines={3} />
  const shown = data.open.filter((it) => it.dismissed === null)
  const dismissed = data.open.filter((it) => it.dismissed !== null)
  return (
    <>
      {shown.length === 0 ? (
        <EmptyState icon="check" title={t('nothing')}>
          {t('nothing_help')}
        </EmptyState>
      ) : (
        <AlertList alerts={shown} />
      )}
      <Folded alerts={dismissed} title={t('dismissed', { count: dismissed.length })} />
      <Folded alerts={data.ended} title={t('recent', { count: data.ended.length })} />
    </>
  )
}

const AlertList = ({ alerts }: { alerts: readonly Alert[] }) => (
  <ul className="alerts">
    {alerts.map((it) => (
      <AlertRow key={it.id} alert={it} />
    ))}
  </ul>
)

function Folded({ alerts, title }: { alerts: readonly Alert[]; title: ReactNode }) {
  if (alerts.length === 0) return null
  return (
    <details>
      <summary>{title}</summary>
      <AlertList alerts={alerts} />
    </details>
  )
}
