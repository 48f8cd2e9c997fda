import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { checkAuditChain } from '../../../../src/client/operations.ts'
import type { AuditCheck } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

/** Reads the whole audit, so it runs only when it is asked for. */
export function CheckChain() {
  const t = textsOf('admin.audit.check')
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const check = useMutation({ mutationFn: () => checkAuditChain(api), onSettled: () => setIsOpen(true) })
  // The button loses the focus while it is busy, so the dialog does not know it.
  const close = () => {
    setIsOpen(false)
    button.current?.focus()
  }
  return (
    <>
      <Button ref={button} variant="default" loading={check.isPending} onClick={() => check.mutate()}>
        {t('button')}
      </Button>
      {isOpen && (
        <Dialog title={t('title')} onClose={close}>
          {check.isError && <ErrorAlert error={check.error} />}
          {check.data !== undefined && <Verdict check={check.data} />}
          <div className="dialog-buttons">
            <Button onClick={close}>{textsOf('parts')('close')}</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function Verdict({ check }: { check: AuditCheck }) {
  const t = textsOf('admin.audit.check')
  const { broken_at, entries, last_id, last_hash } = check
  return (
    <>
      <p role="status">{broken_at === null ? t('whole', { entries }) : t('broken', { entry: String(broken_at) })}</p>
      {last_hash !== null && (
        <p className="small dimmed long-text">
          {t.rich('last', { entry: String(last_id), hash: () => <code>{last_hash}</code> })}
        </p>
      )}
    </>
  )
}
