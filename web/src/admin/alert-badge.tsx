// The number of alerts that need the person, beside the name of the overview.
import { Badge, VisuallyHidden } from '@mantine/core'
import { useAlerts } from '../pages/overview/alerts-query.ts'
import { textsOf } from '../text/texts.ts'

export function AlertBadge() {
  const t = textsOf('admin.overview.needs_you')
  const count = useAlerts().data?.open.filter((it) => it.dismissed === null).length ?? 0
  if (count === 0) return null
  return (
    <>
      <Badge
        display="inline-grid"
        style={{ verticalAlign: 'middle' }}
        ml={6}
        size="sm"
        color="red.9"
        variant="filled"
        circle={count < 10}
        aria-hidden="true"
      >
        {count}
      </Badge>
      <VisuallyHidden>{t('badge', { count })}</VisuallyHidden>
    </>
  )
}
