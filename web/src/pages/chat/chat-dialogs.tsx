// Dialogs that rename, delete or share a chat.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { deleteChatSession, renameChatSession, shareChatSession } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { CodeBlock } from '../../parts/copy.tsx'
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

export function ShareChat({ chat: { id }, isPublic, onClose }: Props & { isPublic: boolean }) {
  const t = textsOf('chat.share')
  const queryClient = useQueryClient()
  const share = useMutation({
    mutationFn: (sharing_status: 'public' | 'private') =>
      shareChatSession(api, { chat_session_id: id, body: { sharing_status } }),
    onSuccess: async (_, status) => {
      queryClient.setQueryData<Conversation>(chatKey(id), (it) => it && { ...it, isPublic: status === 'public' })
      await queryClient.invalidateQueries({ queryKey: ['chats'] })
    },
  })
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <p className="dimmed">{t('help')}</p>
      {isPublic && <CodeBlock text={`${window.location.origin}/chat/${id}`} label={t('link')} isWord />}
      {share.isError && <ErrorAlert error={share.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('close')}
        </Button>
        {isPublic ? (
          <Button variant="default" loading={share.isPending} onClick={() => share.mutate('private')}>
            {t('stop')}
          </Button>
        ) : (
          <Button loading={share.isPending} onClick={() => share.mutate('public')}>
            {t('create')}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
