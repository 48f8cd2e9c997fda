// Goes to a page, a source, a person, a document or a recent search by typing a part of its name.
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { allowedPages } from '../../admin/admin-pages.ts'
import { Icon } from '../../parts/icon.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { useMe } from '../../session.ts'
import { loadAdminTexts } from '../../text/load-texts.ts'
import { textsOf } from '../../text/texts.ts'
import { type Entry, type EntryGroup, useEntries } from './use-entries.ts'
import './palette.css'

const MAX_TEXT = 200

/** The names of the administration's pages are texts of their own. */
export function Palette({ onClose }: { onClose: () => void }) {
  const isAdmin = allowedPages(useMe()).length > 0
  const texts = useQuery({
    queryKey: ['admin-texts'],
    queryFn: () => loadAdminTexts().then(() => true),
    enabled: isAdmin,
  })
  return isAdmin && !texts.isSuccess ? null : <PaletteDialog onClose={onClose} />
}

function PaletteDialog({ onClose }: { onClose: () => void }) {
  const t = textsOf('palette')
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const entries = useEntries(text)
  const chosen = Math.min(at, entries.length - 1)
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal()
  }, [])
  useEffect(() => {
    document.getElementById(`${id} ${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, chosen])
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return
    onClose()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') setAt((chosen + 1) % Math.max(1, entries.length))
    else if (event.key === 'ArrowUp') setAt((chosen + entries.length - 1) % Math.max(1, entries.length))
    else if (event.key === 'Enter') run(entries[chosen])
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} className="dialog palette" aria-label={t('title')} onClose={onClose}>
      <input
        className="palette-field"
        role="combobox"
        aria-label={t('label')}
        aria-expanded={entries.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={entries.length > 0 ? `${id} ${chosen}` : undefined}
        placeholder={t('label')}
        value={text}
        maxLength={MAX_TEXT}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
        autoComplete="off"
        spellCheck={false}
      />
      <EntryList id={id} entries={entries} chosen={chosen} onRun={run} />
    </dialog>
  )
}

interface ListProps {
  id: string
  entries: readonly Entry[]
  chosen: number
  onRun: (entry: Entry) => void
}

function EntryList({ id, entries, chosen, onRun }: ListProps) {
  const t = textsOf('palette.groups')
  const groups = [...Map.groupBy(entries, (it): EntryGroup => it.group)]
  return (
    <div id={id} role="listbox" aria-label={textsOf('palette')('results')} className="palette-list" tabIndex={-1}>
      {groups.map(([group, some]) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of options.
        <div key={group} role="group" aria-label={t(group)}>
          <div className="palette-group" aria-hidden="true">
            {t(group)}
          </div>
          {some.map((it) => (
            <Option
              key={it.key}
              id={`${id} ${entries.indexOf(it)}`}
              entry={it}
              isChosen={it === entries[chosen]}
              onRun={onRun}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

function Option({
  id,
  entry,
  isChosen,
  onRun,
}: { id: string; entry: Entry; isChosen: boolean } & Pick<ListProps, 'onRun'>) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus, and handles the keys.
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      className={isChosen ? 'palette-option palette-chosen' : 'palette-option'}
      onClick={() => onRun(entry)}
    >
      {entry.source === undefined ? (
        <Icon name={entry.icon} size={16} />
      ) : (
        <SourceIcon source={entry.source} size={20} />
      )}
      <bdi>{entry.label}</bdi>
    </div>
  )
}
