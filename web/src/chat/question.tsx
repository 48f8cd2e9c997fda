// What was asked; it can be asked in other words.
import { ActionIcon, Button } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, memo, type ReactNode, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import type { AskedMessage } from './conversation.ts'
import type { MessageActions } from './message-actions.ts'

interface Props {
  message: AskedMessage
  /** Not in somebody else's chat, nor while an answer comes. */
  mayAsk: boolean
  actions: MessageActions
  children: ReactNode
}

export const Question = memo(({ message, mayAsk, actions, children }: Props) => {
  const { text, files } = message
  const [edited, setEdited] = useState<string | null>(null)
  if (edited !== null && mayAsk) {
    const onAsk = (words: string) => actions.onEdited(message, words)
    return <Editor text={edited} onText={setEdited} onEnd={() => setEdited(null)} onAsk={onAsk} />
  }
  return (
    <div className="question">
      <h2 className="sr-only">You asked</h2>
      <div className="question-text">{text}</div>
      {files.length > 0 && (
        <ul className="question-files" aria-label="Files of the question">
          {files.map((it) => (
            <li key={it.id} className="file">
              <Icon name="clip" size={14} /> <bdi>{it.name ?? it.id}</bdi>
            </li>
          ))}
        </ul>
      )}
      <div className="question-tools">
        {children}
        {mayAsk && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Ask in other words"
            title="Ask in other words"
            onClick={() => setEdited(text)}
          >
            <Icon name="pen" size={16} />
          </ActionIcon>
        )}
      </div>
    </div>
  )
})

interface EditorProps {
  text: string
  onText: (text: string) => void
  onEnd: () => void
  onAsk: (text: string) => void
}

function Editor({ text, onText, onEnd, onAsk }: EditorProps) {
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    onAsk(text.trim())
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
        aria-label="The question in other words"
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        // biome-ignore lint/a11y/noAutofocus: somebody has asked for this field.
        autoFocus
      />
      <div className="row">
        <Button type="submit" size="xs" disabled={text.trim() === ''}>
          Ask again
        </Button>
        <Button size="xs" variant="default" onClick={onEnd}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
