// A menu of actions behind a button. It appears and disappears at once: a menu that fades takes the focus late, and keys
// that are pressed meanwhile are lost. It moves with its button: a menu that is hidden while it is open loses the focus,
// and Escape no longer closes it.
import { Menu } from '@mantine/core'
import type { MouseEvent, ReactNode } from 'react'

interface ActionsMenuProps {
  button: ReactNode
  /** `Menu.Item`s. */
  children: ReactNode
}

export function ActionsMenu({ button, children }: ActionsMenuProps) {
  return (
    <Menu
      position="bottom-end"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      hideDetached={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown onClickCapture={focusButton}>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** A dialog that an action opens gives the focus back to the button: the item is gone with the menu. */
function focusButton({ currentTarget, target }: MouseEvent) {
  const isPossible = target instanceof Element && target.closest('[role=menuitem]:not([aria-disabled])') !== null
  if (isPossible) document.getElementById(currentTarget.getAttribute('aria-labelledby') ?? '')?.focus()
}
