import { ActionIcon } from '@mantine/core'
import { Icon } from '../parts/icon.tsx'

interface Props {
  /** Of the questions, or answers, in one place. */
  ids: readonly number[]
  id: number
  noun: string
  onShow: (id: number) => void
}

/** Steps through what was asked, or answered, in the same place. */
export function Branches({ ids, id, noun, onShow }: Props) {
  if (ids.length < 2) return null
  const at = ids.indexOf(id)
  const to = (next: number | undefined) => () => next !== undefined && onShow(next)
  return (
    <span className="branches">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`The ${noun} before`}
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
        aria-label={`The next ${noun}`}
        disabled={at >= ids.length - 1}
        onClick={to(ids[at + 1])}
      >
        <Icon name="forth" size={15} />
      </ActionIcon>
    </span>
  )
}
