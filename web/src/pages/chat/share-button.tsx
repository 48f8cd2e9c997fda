// Shares a chat, and says with whom it is shared.
import { Button } from '@mantine/core'
import type { ChatReaders } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  isPublic: boolean
  readers: ChatReaders | null
  onClick: () => void
}

const MAX_NAMED = 8

export function ShareButton({ isPublic, readers, onClick }: Props) {
  const t = textsOf('chat.header')
  const names = [...(readers?.emails ?? []), ...(readers?.groups.map((it) => it.name) ?? [])]
  const others = names.length - MAX_NAMED
  const named = [...names.slice(0, MAX_NAMED), ...(others > 0 ? [t('more_readers', { count: others })] : [])]
  const isShared = isPublic || names.length > 0
  const title = isPublic ? t('shared_with_everybody') : t('shared_with', { names: listText(named) })
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<Icon name="share" size={15} />}
      title={isShared ? title : undefined}
      onClick={onClick}
    >
      {t(isShared ? 'shared' : 'share')}
    </Button>
  )
}
