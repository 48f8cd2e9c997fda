// The list of suggestions above the text field. The focus stays in the field, which names the active suggestion.
import type { ReactNode } from 'react'
import { textsOf } from '../../text/texts.ts'

export interface Suggestion {
  key: string
  icon?: ReactNode
  label: string
  /** More about it, on the same line. */
  detail?: string
  onPick: () => void
}

interface Props {
  id: string
  all: readonly Suggestion[]
  active: number
  onActive: (at: number) => void
}

export function CompletionList({ id, all, active, onActive }: Props) {
  const t = textsOf('chat.composer')
  return (
    <>
      <div id={id} role="listbox" aria-label={t('suggestions')} className="completion card" tabIndex={-1}>
        {all.map((it, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field takes the keys.
          <div
            key={it.key}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === active}
            tabIndex={-1}
            className={at === active ? 'completion-item completion-active' : 'completion-item'}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => onActive(at)}
            onClick={it.onPick}
          >
            {it.icon}
            <bdi>{it.label}</bdi>
            {it.detail !== undefined && (
              <span className="completion-detail dimmed" dir="auto">
                {it.detail}
              </span>
            )}
          </div>
        ))}
      </div>
      <span role="status" className="sr-only">
        {t('suggested', { count: all.length })}
      </span>
    </>
  )
}
