// Feedback on an answer: a thumb and an optional comment.
import { ActionIcon, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { createChatMessageFeedback, deleteChatMessageFeedback } from '../../../../src/client/operations.ts'
import { api, errorMessage } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import type { AnswerMessage } from './conversation.ts'

const THUMBS = [
  [true, 'thumbUp', 'good'],
  [false, 'thumbDown', 'bad'],
] as const

export function AnswerFeedback({ message: { id, feedback } }: { message: Pick<AnswerMessage, 'id' | 'feedback'> }) {
  const t = textsOf('chat.feedback')
  const [rating, setRating] = useState<boolean | null>(feedback?.is_positive ?? null)
  const [isCommentOpen, setCommentOpen] = useState(false)
  const [text, setText] = useState(feedback?.feedback_text ?? '')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isCommentOpen) form.current?.scrollIntoView({ block: 'nearest' })
  }, [isCommentOpen])
  const sendFeedback = useMutation({
    mutationFn: ({ it, words }: { it: boolean | null; words: string }) =>
      it === null
        ? deleteChatMessageFeedback(api, { chat_message_id: id })
        : createChatMessageFeedback(api, {
            body: { chat_message_id: id, is_positive: it, feedback_text: words.trim() === '' ? null : words.trim() },
          }),
    onError: () => setRating(feedback?.is_positive ?? null),
  })
  const press = (it: boolean) => {
    const next = rating === it ? null : it
    setRating(next)
    setCommentOpen(next !== null)
    sendFeedback.mutate({ it: next, words: '' })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sendFeedback.mutate({ it: rating, words: text }, { onSuccess: () => setCommentOpen(false) })
  }
  return (
    <>
      {THUMBS.map(([it, icon, label]) => (
        <ActionIcon
          key={icon}
          variant={rating === it ? 'light' : 'subtle'}
          color={rating === it ? 'blue' : 'gray'}
          aria-label={t(label)}
          aria-pressed={rating === it}
          title={t(label)}
          onClick={() => press(it)}
        >
          <Icon name={icon} size={16} />
        </ActionIcon>
      ))}
      <span role="status" className="dimmed small">
        {sendFeedback.isError
          ? errorMessage(sendFeedback.error)
          : sendFeedback.isSuccess && !isCommentOpen && rating !== null && t('thanks')}
      </span>
      {isCommentOpen && rating !== null && (
        <form ref={form} className="thumb-text" onSubmit={submit}>
          <label>
            <span className="small">{t(rating ? 'what_good' : 'what_bad')}</span>
            <textarea
              value={text}
              rows={2}
              maxLength={4_000}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <div className="row">
            <Button type="submit" size="xs" loading={sendFeedback.isPending} disabled={text.trim() === ''}>
              {t('send')}
            </Button>
            <Button size="xs" variant="default" onClick={() => setCommentOpen(false)}>
              {t('skip')}
            </Button>
          </div>
        </form>
      )}
    </>
  )
}
