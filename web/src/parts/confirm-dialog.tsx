// Asks before something that is hard to undo.
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { textsOf } from '../text/texts.ts'
import { Dialog } from './dialog.tsx'
import { ErrorAlert } from './states.tsx'

interface ConfirmProps {
  title: string
  /** The text of the button that does it. */
  action: string
  isPending: boolean
  /** Null if there is none. */
  error: unknown
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

export const ConfirmDialog = ({ title, action, isPending, error, onConfirm, onClose, children }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <p>{children}</p>
    {error !== null && <ErrorAlert error={error} />}
    <div className="dialog-buttons">
      <Button variant="default" onClick={onClose}>
        {textsOf('parts')('cancel')}
      </Button>
      <Button color="red" loading={isPending} onClick={onConfirm}>
        {action}
      </Button>
    </div>
  </Dialog>
)
