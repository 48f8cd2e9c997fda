// Hides an alert for a person or for everybody. The folded list of dismissed alerts shows it again.
import { Button, Menu } from '@mantine/core'
import type { Alert } from '../../../../src/client/schemas.ts'
import { ActionsMenu } from '../../parts/actions-menu.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { useDismissal } from './alerts-query.ts'

const DAY_MS = 86_400_000

export function DismissMenu({ alert, title }: { alert: Alert; title: string }) {
  const t = textsOf('admin.overview.needs_you')
  const { dismiss } = useDismissal()
  const mayForAll = hasPermission(useMe(), 'admin')
  const hide = (target: 'me' | 'everybody', until: string | null) =>
    dismiss.mutate({ alert_id: alert.id, for: target, until })
  return (
    <ActionsMenu
      button={
        <Button size="xs" variant="subtle" color="gray" aria-label={t('dismiss_what', { alert: title })}>
          {t('dismiss')}
        </Button>
      }
    >
      <Menu.Item onClick={() => hide('me', new Date(Date.now() + DAY_MS).toISOString())}>{t('for_me_day')}</Menu.Item>
      <Menu.Item onClick={() => hide('me', null)}>{t('for_me')}</Menu.Item>
      {mayForAll && <Menu.Item onClick={() => hide('everybody', null)}>{t('for_everybody')}</Menu.Item>}
    </ActionsMenu>
  )
}
