// The title of a conversation and the actions on the whole of it.
import { ActionIcon, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { DeleteChat, RenameChat } from './chat-dialogs.tsx'
import { type Conversation, titleOf } from './conversation.ts'
import { ExportChat } from './export-chat.tsx'
import { ModelSettings } from './model-settings.tsx'
import { useOfferedPersonas } from './personas-query.ts'
import { ProjectChoice } from './project-choice.tsx'
import { ShareButton } from './share-button.tsx'
import { ShareChat } from './share-chat.tsx'

interface Props {
  conversation: Conversation | undefined
  /** Null when the chat list is already visible. */
  onHistory: (() => void) | null
  persona: number
  onPersona: (id: number) => void
}

export function ChatHead({ conversation, onHistory, persona, onPersona }: Props) {
  const t = textsOf('chat.header')
  const [open, setOpen] = useState<'name' | 'share' | 'delete' | 'model' | null>(null)
  const close = () => setOpen(null)
  const id = conversation?.id ?? null
  const isOwn = conversation?.isForeign === false
  return (
    <div className="chat-head">
      {onHistory !== null && (
        <ActionIcon variant="default" size="lg" aria-label={t('chats')} title={t('chats')} onClick={onHistory}>
          <Icon name="history" />
        </ActionIcon>
      )}
      <h1>
        <bdi>{titleOf(conversation)}</bdi>
      </h1>
      {conversation?.isForeign && <span className="chat-shared">{t('shared_with_you')}</span>}
      {id === null ? (
        <PersonaChoice persona={persona} onPersona={onPersona} />
      ) : (
        conversation?.persona_name && <span className="chat-persona dimmed small">{conversation.persona_name}</span>
      )}
      {id !== null && conversation !== undefined && !isOwn && <ExportChat conversation={conversation} />}
      {id !== null && conversation !== undefined && isOwn && (
        <div className="chat-tools">
          <ProjectChoice id={id} project={conversation.project_id} />
          <ExportChat conversation={conversation} />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('model_settings')}
            title={t('model_settings')}
            onClick={() => setOpen('model')}
          >
            <Icon name="tune" size={17} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('rename_chat')}
            title={t('rename')}
            onClick={() => setOpen('name')}
          >
            <Icon name="pen" size={17} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('delete_chat')}
            title={t('delete')}
            onClick={() => setOpen('delete')}
          >
            <Icon name="trash" size={17} />
          </ActionIcon>
          <ShareButton
            isPublic={conversation.isPublic}
            readers={conversation.readers}
            onClick={() => setOpen('share')}
          />
          {open === 'model' && <ModelSettings chat={{ id, persona: conversation.persona_id }} onClose={close} />}
          {open === 'name' && <RenameChat chat={{ id, name: conversation.name }} onClose={close} />}
          {open === 'share' && <ShareChat id={id} isPublic={conversation.isPublic} onClose={close} />}
          {open === 'delete' && <DeleteChat chat={{ id, name: conversation.name }} isCurrent onClose={close} />}
        </div>
      )}
    </div>
  )
}

/** Hidden when there is only one persona. */
function PersonaChoice({ persona, onPersona }: Pick<Props, 'persona' | 'onPersona'>) {
  const personas = useOfferedPersonas(persona)
  if (personas.length < 2) return null
  return (
    <NativeSelect
      size="xs"
      aria-label={textsOf('chat.header')('persona')}
      value={persona}
      onChange={(event) => onPersona(Number(event.currentTarget.value))}
      data={personas.map(({ id, name }) => ({ value: String(id), label: name }))}
    />
  )
}
