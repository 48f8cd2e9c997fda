import { ActionIcon } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'

interface Props {
  /** The ids of all alternatives. */
  ids: readonly number[]
  id: number
  noun: string
  onShow: (id: number) => void
}

/** Switches between alternative questions or answers. */
export function BranchSwitcher({ ids, id, noun, onShow }: Props) {
  if (ids.length < 2) return null
  const at = ids.indexOf(id)
  const to = (next: number | undefined) => () => next !== undefined && onShow(next)
  return (
    <span className="branches">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Previous ${noun}`}
        disabled={at <= 0}
        onClick={to(ids[at - 1])}
      >
        <Icon name="back" size={15} />
      </ActionIcon>
      <span className="small dimmed">
        {at + 1} of {ids.length}
      </span>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Next ${noun}`}
        disabled={at >= ids.length - 1}
        onClick={to(ids[at + 1])}
      >
        <Icon name="forth" size={15} />
      </ActionIcon>
    </span>
  )
}
