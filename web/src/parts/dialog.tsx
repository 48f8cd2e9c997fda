// A native dialog: it traps the focus and closes on Escape. It gives the focus back, also when a button of it takes it away.
import { type ReactNode, useEffect, useId, useRef } from 'react'

interface DialogProps {
  title: string
  onClose: () => void
  /** For tables. */
  isWide?: boolean
  children: ReactNode
}

export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    if (dialog.current?.open !== false) return
    const opener = document.activeElement
    dialog.current.showModal()
    return () => {
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} className={isWide ? 'dialog dialog-wide' : 'dialog'} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
