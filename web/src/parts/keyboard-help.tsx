// Lists the keyboard shortcuts in a dialog that "?" opens.
import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { isTextField } from '../pages/search/use-search-keys.ts'
import { textsOf } from '../text/texts.ts'
import { Dialog } from './dialog.tsx'
import { KeyList } from './key-list.tsx'

export function searchKeys() {
  const t = textsOf('keys')
  return [
    ['/', t('search_box')],
    ['↓ ↑', t('move')],
    [t('enter'), t('open')],
    [t('escape'), t('back')],
    [t('palette_key'), t('palette')],
    ['?', t('all')],
  ] as const
}

function chatKeys() {
  const t = textsOf('keys')
  return [
    ['/', t('question_field')],
    [t('enter'), t('send')],
    [t('shift_enter'), t('new_line')],
    [t('escape'), t('stop')],
  ] as const
}

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
  const t = textsOf('keys')
  const groups = [
    [t('search'), searchKeys()],
    [t('chat'), chatKeys()],
  ] as const
  return (
    <Dialog title={t('title')} onClose={() => setOpen(false)}>
      {groups.map(([title, keys]) => (
        <section key={title} aria-label={title}>
          <h3 className="key-group">{title}</h3>
          <KeyList className="start-keys" keys={keys} />
        </section>
      ))}
      <form method="dialog" className="dialog-buttons">
        <Button type="submit" variant="default">
          {textsOf('parts')('close')}
        </Button>
      </form>
    </Dialog>
  )
}
