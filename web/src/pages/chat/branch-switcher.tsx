import { ActionIcon } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  /** The ids of all alternatives. */
  ids: readonly number[]
  id: number
  kind: 'question' | 'answer'
  onShow: (id: number) => void
}

/** Switches between alternative questions or answers. */
export function BranchSwitcher({ ids, id, kind, onShow }: Props) {
  if (ids.length < 2) return null
  const t = textsOf('chat.branches')
  const at = ids.indexOf(id)
  const to = (next: number | undefined) => () => next !== undefined && onShow(next)
  return (
    <span className="branches">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('previous', { kind })}
        disabled={at <= 0}
        onClick={to(ids[at - 1])}
      >
        <Icon name="back" size={15} />
      </ActionIcon>
      <span className="small dimmed">{t('position', { at: at + 1, count: ids.length })}</span>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('next', { kind })}
        disabled={at >= ids.length - 1}
        onClick={to(ids[at + 1])}
      >
        <Icon name="forth" size={15} />
      </ActionIcon>
    </span>
  )
}
