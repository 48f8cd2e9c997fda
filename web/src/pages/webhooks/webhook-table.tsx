import type { WebhookSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { type Column, RecordTable } from '../../parts/record-table.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { EVENTS } from './webhook-events.ts'
import { WebhookStatus } from './webhook-status.tsx'

export const WebhookTable = ({ webhooks }: { webhooks: readonly WebhookSnapshot[] }) => (
  <div className="card">
    <RecordTable
      label={textsOf('admin.webhooks')('title')}
      rows={webhooks}
      keyOf={(it) => it.id}
      columns={webhookColumns()}
    />
  </div>
)

function webhookColumns(): Column<WebhookSnapshot>[] {
  const t = textsOf('admin.webhooks.table')
  return [
    {
      label: t('url'),
      className: 'long-text',
      cell: (it) => (
        <AdminLink page="webhooks" id={String(it.id)}>
          <bdi>{it.url}</bdi>
        </AdminLink>
      ),
    },
    { label: t('status'), cell: (it) => <WebhookStatus webhook={it} /> },
    { label: t('events'), cell: eventsText },
    { label: t('connectors'), cell: pairsText },
    { label: t('created'), cell: (it) => <Time at={it.time_created} />, className: 'nowrap' },
  ]
}

const eventsText = ({ events }: WebhookSnapshot): string => {
  const t = textsOf('admin.webhooks.table')
  return events.length === EVENTS.length ? t('all_events') : t('some_events', { count: events.length })
}

const pairsText = ({ cc_pair_ids: ids }: WebhookSnapshot): string => {
  const t = textsOf('admin.webhooks.table')
  return ids === null ? t('all_connectors') : t('some_connectors', { count: ids.length })
}
