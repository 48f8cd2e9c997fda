// The sources to which the question is limited, which can be removed again.
import { ActionIcon } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import type { QuestionLimits } from './use-question-limits.ts'

export function LimitChips({ limits: { sources, removeSource } }: { limits: QuestionLimits }) {
  const t = textsOf('chat.composer')
  if (sources.length === 0) return null
  return (
    <ul className="composer-files" aria-label={t('only_in')}>
      {sources.map((it) => (
        <li key={it} className="file">
          <SourceIcon source={it} size={18} />
          <bdi>{t('only_source', { source: sourceLabel(it) })}</bdi>
          <ActionIcon
            size="xs"
            variant="subtle"
            color="gray"
            aria-label={t('search_everywhere', { source: sourceLabel(it) })}
            onClick={() => removeSource(it)}
          >
            <Icon name="close" size={13} />
          </ActionIcon>
        </li>
      ))}
    </ul>
  )
}
