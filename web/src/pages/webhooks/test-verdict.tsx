// The result of a test: the endpoint confirmed the message, or why not.
import { Alert } from '@mantine/core'
import type { WebhookDelivery } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'

export function TestVerdict({ delivery: { status, response_status, error } }: { delivery: WebhookDelivery }) {
  const t = textsOf('admin.webhooks.test')
  const isGood = status === 'delivered'
  return (
    <Alert
      role="status"
      className="webhook-verdict"
      variant="light"
      color={isGood ? 'green' : 'red'}
      icon={<Icon name={isGood ? 'check' : 'alert'} />}
      title={isGood ? t('works') : t('fails')}
    >
      {error !== null && (
        <p className="webhook-reason" dir="auto">
          {error}
        </p>
      )}
      <p className="webhook-reason">
        {isGood
          ? t('works_help', { status: String(response_status) })
          : response_status === null
            ? t('no_answer_help')
            : t('fails_help')}
      </p>
    </Alert>
  )
}
