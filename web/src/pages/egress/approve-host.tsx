// A dialog that allows calls to a host: one that was refused, or one that is typed.
import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createEgressApproval } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { type HostAndPort, toApproval } from './approved-host.ts'
import { useReloadEgress } from './egress-query.ts'

const MAX_TEXT = 1_000
const MAX_PORT = 65_535

export interface HostToApprove extends HostAndPort {
  reason: string
}

interface ApproveProps {
  /** The values that the form shows at first. */
  suggested: HostToApprove
  onClose: () => void
}

export function ApproveHost({ suggested, onClose }: ApproveProps) {
  const t = textsOf('admin.egress.approve')
  const [host, setHost] = useState(suggested.host)
  const [port, setPort] = useState(toApproval(suggested).port?.toString() ?? '')
  const [reason, setReason] = useState(suggested.reason)
  const reload = useReloadEgress()
  const approve = useMutation({
    mutationFn: () =>
      createEgressApproval(api, {
        body: { host: host.trim(), port: port === '' ? null : Number(port), reason: reason.trim() },
      }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (host.trim() !== '' && reason.trim() !== '') approve.mutate()
  }
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="dimmed">{t('help')}</p>
        <TextInput
          label={t('host')}
          description={t('host_help')}
          value={host}
          onChange={(event) => setHost(event.currentTarget.value)}
          maxLength={MAX_TEXT}
          required
          withAsterisk={false}
        />
        <TextInput
          label={t('port')}
          description={t('port_help')}
          type="number"
          min={1}
          max={MAX_PORT}
          value={port}
          onChange={(event) => setPort(event.currentTarget.value)}
        />
        <TextInput
          label={t('reason')}
          description={t('reason_help')}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={MAX_TEXT}
          dir="auto"
          required
          withAsterisk={false}
        />
        {approve.isError && <ErrorAlert error={approve.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {textsOf('parts')('cancel')}
          </Button>
          <Button type="submit" loading={approve.isPending}>
            {t('confirm')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
