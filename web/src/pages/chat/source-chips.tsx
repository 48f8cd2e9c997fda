// The sources to which a question is limited. While it is written, they can be removed again.
import { ActionIcon } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  sources: readonly string[]
  /** Absent for a question that was asked. */
  onRemove?: (source: string) => void
}

export function SourceChips({ sources, onRemove }: Props) {
  const t = textsOf('chat.composer')
  if (sources.length === 0) return null
  return (
    <ul className={onRemove === undefined ? 'question-files' : 'composer-files'} aria-label={t('only_in')}>
      {sources.map((it) => (
        <li key={it} className="file">
          <SourceIcon source={it} size={18} />
          <bdi>{t('only_source', { source: sourceLabel(it) })}</bdi>
          {onRemove !== undefined && (
            <ActionIcon
              size="xs"
              variant="subtle"
              color="gray"
              aria-label={t('search_everywhere', { source: sourceLabel(it) })}
              onClick={() => onRemove(it)}
            >
              <Icon name="close" size={13} />
            </ActionIcon>
          )}
        </li>
      ))}
    </ul>
  )
}
