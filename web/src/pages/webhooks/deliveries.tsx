// The messages of a webhook: what was sent, when, and what the endpoint answered. A test sends one at once.
import { Badge, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { testWebhook, updateWebhook } from '../../../../src/client/operations.ts'
import type { WebhookDelivery, WebhookSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { CsvButton } from '../../parts/csv/csv-button.tsx'
import { type Column, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { TestVerdict } from './test-verdict.tsx'
import { hasPending, useDeliveries, useReloadWebhooks } from './webhooks-query.ts'

export function Deliveries({ webhook }: { webhook: WebhookSnapshot }) {
  const t = textsOf('admin.webhooks.deliveries')
  const { id: webhook_id } = webhook
  const deliveries = useDeliveries(webhook_id)
  const reload = useReloadWebhooks()
  const test = useMutation({ mutationFn: () => testWebhook(api, { webhook_id }), onSettled: reload })
  const retry = useMutation({
    mutationFn: () => updateWebhook(api, { webhook_id, body: { status: 'active' } }),
    onSettled: reload,
  })
  return (
    <section className="card" aria-labelledby="deliveries">
      <div className="section-head">
        <h2 id="deliveries">{t('title')}</h2>
        <div className="row">
          {deliveries.data !== undefined && deliveries.data.length > 0 && (
            <CsvButton
              size="xs"
              file={`webhook-${webhook_id}-deliveries`}
              records={() => deliveries.data.map(recordOf)}
            />
          )}
          {hasPending(deliveries.data) && webhook.status === 'active' && (
            <Button size="xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
              {t('retry')}
            </Button>
          )}
          <Button size="xs" loading={test.isPending} onClick={() => test.mutate()}>
            {t('test')}
          </Button>
        </div>
      </div>
      {test.isError && <ErrorAlert error={test.error} />}
      {retry.isError && <ErrorAlert error={retry.error} />}
      {test.data !== undefined && <TestVerdict delivery={test.data} />}
      {deliveries.isPending && <LoadingSkeleton />}
      {deliveries.isError && <ErrorAlert error={deliveries.error} retry={() => void deliveries.refetch()} />}
      {deliveries.data?.length === 0 && <p className="section-note dimmed">{t('none')}</p>}
      {deliveries.data !== undefined && deliveries.data.length > 0 && (
        <RecordTable
          label={t('title')}
          rows={deliveries.data}
          keyOf={(it) => it.id}
          columns={deliveryColumns(webhook)}
        />
      )}
    </section>
  )
}

const recordOf = (it: WebhookDelivery) => ({
  ...{ id: it.id, message_id: it.message_id, event: it.event, documents: it.documents, status: it.status },
  ...{ attempts: it.attempts, created_at: it.created_at, next_attempt_at: it.next_attempt_at },
  ...{ delivered_at: it.delivered_at, response_status: it.response_status, answer: it.answer, error: it.error },
})

const STATUS_COLORS = { pending: 'blue', delivered: 'green', failed: 'red' } as const

function deliveryColumns({ status: webhookStatus }: WebhookSnapshot): Column<WebhookDelivery>[] {
  const t = textsOf('admin.webhooks.deliveries')
  return [
    { label: t('event'), cell: (it) => textsOf('admin.webhooks')(`events.${it.event}.title`), className: 'nowrap' },
    {
      label: t('status'),
      cell: ({ status }) => (
        <Badge color={STATUS_COLORS[status]} variant="light" tt="none" miw="max-content">
          {t(`statuses.${status}`)}
        </Badge>
      ),
    },
    { label: t('time'), cell: (it) => <Time at={it.created_at} />, className: 'nowrap' },
    { label: t('attempts'), cell: (it) => formatCount(it.attempts), className: 'number' },
    { label: t('documents'), cell: (it) => formatCount(it.documents), className: 'number' },
    {
      label: t('answer'),
      cell: (it) => <Answer delivery={it} isPaused={webhookStatus === 'paused'} />,
      className: 'long-text',
    },
  ]
}

function Answer({ delivery, isPaused }: { delivery: WebhookDelivery; isPaused: boolean }) {
  const t = textsOf('admin.webhooks.deliveries')
  const { response_status, answer, error, next_attempt_at, message_id } = delivery
  return (
    <>
      {error === null && response_status !== null && <div>{t('response', { status: String(response_status) })}</div>}
      {error !== null && (
        <div className="small" dir="auto">
          {error}
        </div>
      )}
      {next_attempt_at !== null && !isPaused && (
        <div className="small dimmed">{t.rich('next', { time: () => <Time at={next_attempt_at} /> })}</div>
      )}
      <details className="small">
        <summary>{t('details')}</summary>
        <p className="webhook-message">{t.rich('message', { id: () => <code>{message_id}</code> })}</p>
        {answer !== null && answer !== '' && (
          <pre className="webhook-answer" dir="auto">
            {answer}
          </pre>
        )}
      </details>
    </>
  )
}
