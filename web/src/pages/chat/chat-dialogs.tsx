// Dialogs that rename or delete a chat.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { deleteChatSession, renameChatSession } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { chatKey } from './chat-query.ts'
import type { Conversation } from './conversation.ts'

interface Props {
  chat: { id: string; name: string | null }
  onClose: () => void
}
const MAX_NAME = 500

export function RenameChat({ chat: { id, name }, onClose }: Props) {
  const t = textsOf('chat.rename')
  const [text, setText] = useState(name ?? '')
  const queryClient = useQueryClient()
  const rename = useMutation({
    mutationFn: () => renameChatSession(api, { body: { chat_session_id: id, name: text.trim() } }),
    onSuccess: async ({ new_name }) => {
      queryClient.setQueryData<Conversation>(chatKey(id), (it) => it && { ...it, name: new_name })
      await queryClient.invalidateQueries({ queryKey: ['chats'] })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') rename.mutate()
  }
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={t('name')}
          value={text}
          maxLength={MAX_NAME}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {rename.isError && <ErrorAlert error={rename.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={rename.isPending} disabled={text.trim() === ''}>
            {t('rename')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export function DeleteChat({ chat: { id, name }, isCurrent, onClose }: Props & { isCurrent: boolean }) {
  const t = textsOf('chat.delete')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => deleteChatSession(api, { chat_session_id: id }),
    onSuccess: async () => {
      if (isCurrent) await navigate({ to: '/chat/{-$chat_session_id}', params: { chat_session_id: undefined } })
      queryClient.removeQueries({ queryKey: chatKey(id) })
      await queryClient.invalidateQueries({ queryKey: ['chats'] })
      onClose()
    },
  })
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <p>{name ? t.rich('named', { name: () => <bdi>{name}</bdi> }) : t('unnamed')}</p>
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          {t('delete')}
        </Button>
      </div>
    </Dialog>
  )
}
