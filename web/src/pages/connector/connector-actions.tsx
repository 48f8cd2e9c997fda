// The actions on a connector: run, pause, cancel, rename, access, delete.
import { Button, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { cancelCcPairRun, runConnector, setCcPairStatus } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ActionsMenu } from '../../parts/actions-menu.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { ChooseAccess } from './choose-access.tsx'
import { ChooseSchedule } from './choose-schedule.tsx'
import { DeleteConnector } from './delete-connector.tsx'
import { RenameConnector } from './rename-connector.tsx'
import { SwapCredential } from './swap-credential.tsx'

type OpenDialog = 'rename' | 'access' | 'schedule' | 'credential' | 'delete' | null

export function ConnectorActions({ pair }: { pair: CCPairFullInfo }) {
  const t = textsOf('admin.connector.actions')
  const queryClient = useQueryClient()
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const close = () => setDialog(null)
  const act = useMutation({
    mutationFn: (action: () => Promise<unknown>) => action(),
    onSettled: () => queryClient.invalidateQueries(),
  })
  if (!pair.is_editable_for_current_user) return null
  const isPaused = pair.status === 'PAUSED'
  const isPulled = pair.pull.state !== 'pushed'
  const isBusy = ['in_progress', 'not_started'].includes(pair.last_index_attempt_status ?? '')
  const mayRun = !isPaused && !isBusy
  const run = (from_beginning: boolean) => {
    const body = { connector_id: pair.connector.id, credential_ids: [pair.credential.id], from_beginning }
    act.mutate(() => runConnector(api, { body }))
  }
  return (
    <div className="connector-actions">
      <div className="row">
        {isPulled && !isPaused && isBusy && (
          <Button
            variant="default"
            leftSection={<Icon name="stop" size={16} />}
            onClick={() => act.mutate(() => cancelCcPairRun(api, { cc_pair_id: pair.id }))}
          >
            {t('cancel')}
          </Button>
        )}
        {isPulled && mayRun && (
          <Button leftSection={<Icon name="retry" size={16} />} loading={act.isPending} onClick={() => run(false)}>
            {t('run')}
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<Icon name={isPaused ? 'play' : 'pause'} size={16} />}
          onClick={() =>
            act.mutate(() =>
              setCcPairStatus(api, { cc_pair_id: pair.id, body: { status: isPaused ? 'ACTIVE' : 'PAUSED' } }),
            )
          }
        >
          {isPaused ? t('resume') : t('pause')}
        </Button>
        <ActionsMenu button={<Button variant="default">{t('more')}</Button>}>
          {isPulled && (
            // A run may begin while the menu is open: a disabled button would lose the focus.
            <Menu.Item {...(!mayRun && { 'data-disabled': true })} onClick={() => mayRun && run(true)}>
              {t('full_run')}
            </Menu.Item>
          )}
          <Menu.Item onClick={() => setDialog('rename')}>{t('rename')}</Menu.Item>
          <Menu.Item onClick={() => setDialog('access')}>{t('access')}</Menu.Item>
          {isPulled && <Menu.Item onClick={() => setDialog('schedule')}>{t('schedule')}</Menu.Item>}
          {pair.credential.id !== 0 && <Menu.Item onClick={() => setDialog('credential')}>{t('credential')}</Menu.Item>}
          <Menu.Item color="var(--mantine-color-error)" onClick={() => setDialog('delete')}>
            {t('delete')}
          </Menu.Item>
        </ActionsMenu>
      </div>
      {act.isError && <ErrorAlert error={act.error} />}
      {dialog === 'rename' && <RenameConnector pair={pair} onClose={close} />}
      {dialog === 'access' && <ChooseAccess pair={pair} onClose={close} />}
      {dialog === 'schedule' && <ChooseSchedule pair={pair} onClose={close} />}
      {dialog === 'credential' && <SwapCredential pair={pair} onClose={close} />}
      {dialog === 'delete' && <DeleteConnector pair={pair} onClose={close} />}
    </div>
  )
}
