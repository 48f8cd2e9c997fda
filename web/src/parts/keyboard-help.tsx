// Lists the keyboard shortcuts in a dialog that "?" opens.
import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { isTextField } from '../pages/search/use-search-keys.ts'
import { textsOf } from '../text/texts.ts'
import { Dialog } from './dialog.tsx'
import { KEY_GROUPS, keyTexts } from './key-help.ts'
import { KeyList } from './key-list.tsx'

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
  return isOpen ? <HelpDialog onClose={() => setOpen(false)} /> : null
}

function HelpDialog({ onClose }: { onClose: () => void }) {
  const t = textsOf('keys')
  const content = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The focus is on the button at the end.
    content.current?.closest('dialog')?.scrollTo(0, 0)
  }, [])
  return (
    <Dialog title={t('title')} onClose={onClose} isWide>
      <div className="key-groups" ref={content}>
        {KEY_GROUPS.map((group) => (
          <section key={group} aria-label={t(`groups.${group}`)}>
            <h3 className="key-group">{t(`groups.${group}`)}</h3>
            <KeyList className="start-keys" keys={keyTexts(group)} />
          </section>
        ))}
      </div>
      <form method="dialog" className="dialog-buttons">
        <Button type="submit" variant="default">
          {textsOf('parts')('close')}
        </Button>
      </form>
    </Dialog>
  )
}
