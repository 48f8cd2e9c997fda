import { Badge } from '@mantine/core'
import type { WebhookSnapshot } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'

export const WebhookStatus = ({ webhook: { status } }: { webhook: WebhookSnapshot }) => (
  <Badge color={status === 'active' ? 'green' : 'yellow'} variant="light" tt="none" miw="max-content">
    {textsOf('admin.webhooks')(`statuses.${status}`)}
  </Badge>
)
