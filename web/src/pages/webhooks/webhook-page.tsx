// One webhook: its state, what can be done with it, and its deliveries.
import { Alert } from '@mantine/core'
import type { WebhookSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { fact } from '../../parts/fact.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { listText, pairLabel } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { Deliveries } from './deliveries.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { EVENTS } from './webhook-events.ts'
import { useConnectorPairs, useWebhooks } from './webhooks-query.ts'

export function WebhookPage({ id }: { id: string }) {
  const t = textsOf('admin.webhooks')
  const webhooks = useWebhooks()
  const webhook = webhooks.data?.find((it) => String(it.id) === id)
  useTitle(t('title'))
  if (webhooks.isPending) return <LoadingSkeleton lines={6} />
  if (webhook !== undefined) return <Webhook webhook={webhook} />
  if (webhooks.isError) return <ErrorAlert error={webhooks.error} retry={() => void webhooks.refetch()} />
  return (
    <EmptyState icon="send" title={t('not_found')} heading="h1">
      {t.rich('not_found_help', { link: (text) => <AdminLink page="webhooks">{text}</AdminLink> })}
    </EmptyState>
  )
}

const Webhook = ({ webhook }: { webhook: WebhookSnapshot }) => (
  <div className="stack">
    <div>
      <AdminLink page="webhooks">{textsOf('admin.webhooks')('all')}</AdminLink>
    </div>
    <div className="page-head">
      <h1 className="long-text">
        <bdi>{webhook.url}</bdi>
      </h1>
      <WebhookActions webhook={webhook} />
    </div>
    <PausedNotice webhook={webhook} />
    <WebhookFacts webhook={webhook} />
    <Deliveries webhook={webhook} />
  </div>
)

/** The reason that the program writes when an administrator pauses a webhook; it is translated here. */
const BY_ADMINISTRATOR = /^Paused by an administrator\.$/

function PausedNotice({ webhook: { status, reason } }: { webhook: WebhookSnapshot }) {
  const t = textsOf('admin.webhooks')
  if (status === 'active') return null
  const isByHand = BY_ADMINISTRATOR.test(reason ?? '')
  return (
    <Alert color="yellow" variant="light" icon={<Icon name="pause" />} title={t('paused_title')}>
      {!isByHand && (
        <p className="webhook-reason" dir="auto">
          {reason}
        </p>
      )}
      <p className="webhook-reason">{isByHand ? t('paused_by_hand') : t('paused_help')}</p>
    </Alert>
  )
}

function WebhookFacts({ webhook }: { webhook: WebhookSnapshot }) {
  const t = textsOf('admin.webhooks')
  const names = usePairNames(webhook)
  const facts = [
    fact(t('table.status'), t(`statuses.${webhook.status}`)),
    fact(
      t('table.events'),
      webhook.events.length === EVENTS.length
        ? t('table.all_events')
        : listText(webhook.events.map((it) => t(`events.${it}.title`))),
    ),
    fact(t('table.connectors'), names === null ? t('table.all_connectors') : listText(names)),
  ]
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="plain" dir="auto">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Null for all. */
function usePairNames({ cc_pair_ids: ids }: WebhookSnapshot): string[] | null {
  const pairs = useConnectorPairs().data ?? []
  return ids?.map((id) => pairLabel({ id, name: pairs.find((it) => it.cc_pair_id === id)?.name ?? '' })) ?? null
}
