// Whether the answer was of use, and why not.
import { ActionIcon, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import {
  deleteChatRemoveChatMessageFeedback,
  postChatCreateChatMessageFeedback,
} from '../../../src/client/operations.ts'
import { api, sentenceOf } from '../api.ts'
import { Icon } from '../parts/icon.tsx'
import type { AnswerMessage } from './conversation.ts'

const THUMBS = [
  [true, 'thumbUp', 'A good answer'],
  [false, 'thumbDown', 'A bad answer'],
] as const

export function Thumbs({ message: { id, feedback } }: { message: Pick<AnswerMessage, 'id' | 'feedback'> }) {
  const [said, setSaid] = useState<boolean | null>(feedback?.is_positive ?? null)
  const [isAsking, setAsking] = useState(false)
  const [text, setText] = useState(feedback?.feedback_text ?? '')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isAsking) form.current?.scrollIntoView({ block: 'nearest' })
  }, [isAsking])
  const say = useMutation({
    mutationFn: ({ it, words }: { it: boolean | null; words: string }) =>
      it === null
        ? deleteChatRemoveChatMessageFeedback(api, { chat_message_id: id })
        : postChatCreateChatMessageFeedback(api, {
            body: { chat_message_id: id, is_positive: it, feedback_text: words.trim() === '' ? null : words.trim() },
          }),
    onError: () => setSaid(feedback?.is_positive ?? null),
  })
  const press = (it: boolean) => {
    const next = said === it ? null : it
    setSaid(next)
    setAsking(next !== null)
    say.mutate({ it: next, words: '' })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    say.mutate({ it: said, words: text }, { onSuccess: () => setAsking(false) })
  }
  return (
    <>
      {THUMBS.map(([it, icon, label]) => (
        <ActionIcon
          key={icon}
          variant={said === it ? 'light' : 'subtle'}
          color={said === it ? 'blue' : 'gray'}
          aria-label={label}
          aria-pressed={said === it}
          title={label}
          onClick={() => press(it)}
        >
          <Icon name={icon} size={16} />
        </ActionIcon>
      ))}
      <span role="status" className="dimmed small">
        {say.isError ? sentenceOf(say.error) : say.isSuccess && !isAsking && said !== null && 'Thank you.'}
      </span>
      {isAsking && said !== null && (
        <form ref={form} className="thumb-text" onSubmit={submit}>
          <label>
            <span className="small">{said ? 'What was good?' : 'What was wrong?'}</span>
            <textarea
              value={text}
              rows={2}
              maxLength={4_000}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <div className="row">
            <Button type="submit" size="xs" loading={say.isPending} disabled={text.trim() === ''}>
              Send
            </Button>
            <Button size="xs" variant="default" onClick={() => setAsking(false)}>
              Nothing to add
            </Button>
          </div>
        </form>
      )}
    </>
  )
}
