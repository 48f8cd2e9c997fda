// The addresses to which events are sent, for administrators. Each webhook has a page with its deliveries.
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { WebhookSnapshot } from '../../../../src/client/schemas.ts'
import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { CsvButton } from '../../parts/csv/csv-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { NewWebhook } from './new-webhook.tsx'
import { VerifySignature } from './verify-signature.tsx'
import { WebhookPage } from './webhook-page.tsx'
import { WebhookTable } from './webhook-table.tsx'
import { useWebhooks } from './webhooks-query.ts'
import './webhooks.css'

export const WebhooksPage = ({ id }: AdminPageProps) => (id === undefined ? <WebhookList /> : <WebhookPage id={id} />)

function WebhookList() {
  const t = textsOf('admin.webhooks')
  const webhooks = useWebhooks()
  const [isAdding, setIsAdding] = useState(false)
  useTitle(t('title'))
  return (
    <div className="stack">
      <PageHead title={t('title')} help={t('intro')}>
        {webhooks.data !== undefined && webhooks.data.length > 0 && (
          <CsvButton file="webhooks" records={() => webhooks.data.map(recordOf)} />
        )}
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setIsAdding(true)}>
          {t('new')}
        </Button>
      </PageHead>
      {webhooks.isError && <ErrorAlert error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {webhooks.isPending && <LoadingSkeleton />}
      {webhooks.data?.length === 0 && (
        <div className="card">
          <EmptyState icon="send" title={t('none')}>
            {t('none_help')}
          </EmptyState>
        </div>
      )}
      {webhooks.data !== undefined && webhooks.data.length > 0 && <WebhookTable webhooks={webhooks.data} />}
      <VerifySignature />
      {isAdding && <NewWebhook onClose={() => setIsAdding(false)} />}
    </div>
  )
}

const recordOf = ({ id, url, status, reason, events, cc_pair_ids, time_created, time_updated }: WebhookSnapshot) => ({
  ...{ id, url, status, reason, events, cc_pair_ids, time_created, time_updated },
})
