// One alert: what it is, since when, and the way out.
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Alert } from '../../../../src/client/schemas.ts'
import { allowedPages } from '../../admin/admin-pages.ts'
import { Icon } from '../../parts/icon.tsx'
import { exactDay, Time } from '../../parts/text.tsx'
import { useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { useDismissal } from './alerts-query.ts'
import { DismissMenu } from './dismiss-menu.tsx'

export function AlertRow({ alert }: { alert: Alert }) {
  const t = textsOf('admin.overview.needs_you')
  const isOver = alert.ended_at !== null
  return (
    <li className={isOver ? 'alert over' : 'alert'}>
      <Icon name={isOver ? 'check' : 'alert'} />
      <div className="alert-text">
        <strong>{alertHeading(alert)}</strong>
        {alert.reason !== null && <p dir="auto">{alert.reason}</p>}
        <p className="dimmed small">
          {isOver
            ? t.rich('ended', { time: () => <Time at={alert.ended_at} /> })
            : t.rich('since', { time: () => <Time at={alert.since} /> })}{' '}
          <Due alert={alert} />
        </p>
      </div>
      {!isOver && <Actions alert={alert} />}
    </li>
  )
}

const titleValues = ({ name, count }: Alert) => ({
  name: name ?? textsOf('admin.overview.needs_you')('nameless'),
  count: count ?? 0,
})

/** For labels. */
export const alertTitle = (alert: Alert): string =>
  textsOf('admin.overview.needs_you').markup(`kinds.${alert.kind}`, { ...titleValues(alert), it: (text) => text })

/** The name cannot change the direction of the words around it. */
const alertHeading = (alert: Alert): ReactNode =>
  textsOf('admin.overview.needs_you').rich(`kinds.${alert.kind}`, {
    ...titleValues(alert),
    it: (text) => <bdi>{text}</bdi>,
  })

function Due({ alert: { kind, due_at, ended_at } }: { alert: Alert }) {
  const t = textsOf('admin.overview.needs_you')
  if (due_at === null || ended_at !== null) return null
  if (kind.endsWith('_expiring')) return t('expires', { day: exactDay(due_at) })
  if (kind.endsWith('_expired')) return t('expired', { day: exactDay(due_at) })
  return t.rich('next_try', { time: () => <Time at={due_at} /> })
}

/** The pages that alerts lead to. The overview itself needs no link. */
const TARGETS = [
  'connector',
  'access',
  'scim',
  'sign-in',
  'ingestion',
  'mcp-servers',
  'models',
  'embedding',
  'webhooks',
  'backup',
] as const

function Actions({ alert }: { alert: Alert }) {
  const t = textsOf('admin.overview.needs_you')
  const { restore } = useDismissal()
  const pages = allowedPages(useMe()).map((it): string => it.name)
  const name = alert.page.split('/')[2]
  // The page of a connector is not in the navigation. Everybody who sees an alert of a connector may open it.
  const target = TARGETS.find((it) => it === name && (it === 'connector' || pages.includes(it)))
  return (
    <div className="alert-actions">
      {target !== undefined && (
        <Button component={Link} to={alert.page} size="xs" variant="default">
          {t(`actions.${target}`)}
        </Button>
      )}
      {alert.dismissed === null ? (
        <DismissMenu alert={alert} title={alertTitle(alert)} />
      ) : (
        <Button
          size="xs"
          variant="default"
          aria-label={t('show_again_what', { alert: alertTitle(alert) })}
          onClick={() => alert.dismissed && restore.mutate({ alert_id: alert.id, for: alert.dismissed.for })}
        >
          {t('show_again')}
        </Button>
      )}
    </div>
  )
}
