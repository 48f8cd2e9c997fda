// One question, which can be edited and asked again.
import { ActionIcon, Button } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, memo, type ReactNode, useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import type { UserMessage } from './conversation.ts'
import type { MessageActions } from './message-actions.ts'
import { QuestionFiles } from './question-files.tsx'
import { SourceChips } from './source-chips.tsx'
import { messageElementId } from './use-opened-message.ts'

interface Props {
  message: UserMessage
  /** False in another user's chat and while an answer is running. */
  mayAsk: boolean
  actions: MessageActions
  children: ReactNode
}

export const QuestionView = memo(({ message, mayAsk, actions, children }: Props) => {
  const t = textsOf('chat.question')
  const { text, files, sources } = message
  const [isEdited, setEdited] = useState(false)
  if (isEdited && mayAsk) {
    const onAsk = (edited: EditedQuestion) => actions.onEdited(message, edited)
    return <QuestionEditor before={message} onEnd={() => setEdited(false)} onAsk={onAsk} />
  }
  return (
    <div className="question" id={messageElementId(message.id)}>
      <h2 className="sr-only">{t('title')}</h2>
      <div className="question-text" dir="auto">
        {text}
      </div>
      {files.length > 0 && <QuestionFiles files={files} />}
      <SourceChips sources={sources} />
      <div className="question-tools">
        {children}
        {mayAsk && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('edit')}
            title={t('edit')}
            onClick={() => setEdited(true)}
          >
            <Icon name="pen" size={16} />
          </ActionIcon>
        )}
      </div>
    </div>
  )
})

type EditedQuestion = Pick<UserMessage, 'text' | 'sources'>

interface EditorProps {
  before: UserMessage
  onEnd: () => void
  onAsk: (edited: EditedQuestion) => void
}

function QuestionEditor({ before, onEnd, onAsk }: EditorProps) {
  const t = textsOf('chat.question')
  const [text, setText] = useState(before.text)
  const [sources, setSources] = useState(before.sources)
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    onAsk({ text: text.trim(), sources })
    onEnd()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) submit(event)
    if (event.key === 'Escape') {
      event.preventDefault()
      onEnd()
    }
  }
  return (
    <form className="question-editor card" onSubmit={submit}>
      <textarea
        aria-label={t('edited')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
        autoFocus
      />
      <SourceChips sources={sources} onRemove={(source) => setSources(sources.filter((it) => it !== source))} />
      <div className="row">
        <Button type="submit" size="xs" disabled={text.trim() === ''}>
          {t('ask_again')}
        </Button>
        <Button size="xs" variant="default" onClick={onEnd}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  )
}
