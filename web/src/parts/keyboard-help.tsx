// Lists the keyboard shortcuts in a dialog that "?" opens.
import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { isTextField } from '../pages/search/use-search-keys.ts'
import { Dialog } from './dialog.tsx'
import { KeyList } from './key-list.tsx'

export const SEARCH_KEYS = [
  ['/', 'Go to the search box'],
  ['↓ ↑', 'Move through the results'],
  ['Enter', 'Open the result'],
  ['Esc', 'Back to the search box, then clear it'],
  ['?', 'All keyboard shortcuts'],
] as const

const GROUPS = [
  ['Search', SEARCH_KEYS],
  [
    'Chat',
    [
      ['/', 'Go to the question field'],
      ['Enter', 'Send the question'],
      ['Shift + Enter', 'New line'],
      ['Esc', 'Stop the answer'],
    ],
  ],
] as const

export function KeyboardHelp() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (isTextField(document.activeElement) || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      setOpen(true)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  if (!isOpen) return null
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setOpen(false)}>
      {GROUPS.map(([title, keys]) => (
        <section key={title} aria-label={title}>
          <h3 className="key-group">{title}</h3>
          <KeyList className="start-keys" keys={keys} />
        </section>
      ))}
      <form method="dialog" className="dialog-buttons">
        <Button type="submit" variant="default">
          Close
        </Button>
      </form>
    </Dialog>
  )
}
