// The first question of a new chat in the project.
import { Button, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { createChatSession } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

const MAX_QUESTION = 64_000
/** The chat is named after its question. */
const MAX_TITLE = 60

export function AskInProject({ project }: { project: number }) {
  const t = textsOf('projects')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [text, setText] = useState('')
  const start = useMutation({
    mutationFn: (question: string) =>
      createChatSession(api, { body: { project_id: project, description: titleOf(question) } }),
    onSuccess: async ({ chat_session_id }, q) => {
      void queryClient.invalidateQueries({ queryKey: ['chats'] })
      const search = { q }
      await navigate({
        to: '/chat/{-$chat_session_id}',
        params: { chat_session_id },
        search,
        state: { isAsked: true },
      })
    },
  })
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    if (text.trim() !== '' && !start.isPending) start.mutate(text.trim())
  }
  return (
    <form className="stack" onSubmit={submit}>
      <div className="project-ask">
        <Textarea
          aria-label={t('question')}
          placeholder={t('question')}
          value={text}
          maxLength={MAX_QUESTION}
          autosize
          minRows={1}
          maxRows={8}
          dir="auto"
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) =>
            event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && submit(event)
          }
        />
        <Button type="submit" loading={start.isPending} disabled={text.trim() === ''}>
          {t('ask')}
        </Button>
      </div>
      {start.isError && <ErrorAlert error={start.error} />}
    </form>
  )
}

function titleOf(question: string): string {
  const line = question.split('\n')[0] ?? ''
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE).toWellFormed()}…`
}
