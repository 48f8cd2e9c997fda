// What changes a conversation as a whole.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import {
  deleteChatDeleteChatSessionChatSessionId,
  patchChatChatSessionChatSessionId,
  putChatRenameChatSession,
} from '../../../src/client/operations.ts'
import { api } from '../api.ts'
import { CodeBlock } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/states.tsx'
import { chatKey } from './chat-query.ts'
import type { Conversation } from './conversation.ts'

interface Props {
  chat: { id: string; name: string | null }
  onClose: () => void
}
const MAX_NAME = 500

export function RenameChat({ chat: { id, name }, onClose }: Props) {
  const [text, setText] = useState(name ?? '')
  const queries = useQueryClient()
  const rename = useMutation({
    mutationFn: () => putChatRenameChatSession(api, { body: { chat_session_id: id, name: text.trim() } }),
    onSuccess: async ({ new_name }) => {
      queries.setQueryData<Conversation>(chatKey(id), (it) => it && { ...it, name: new_name })
      await queries.invalidateQueries({ queryKey: ['chats'] })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') rename.mutate()
  }
  return (
    <Dialog title="Rename the chat" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label="Name"
          value={text}
          maxLength={MAX_NAME}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {rename.isError && <Failure error={rename.error} />}
        <div className="dialog-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={rename.isPending} disabled={text.trim() === ''}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export function DeleteChat({ chat: { id, name }, isCurrent, onClose }: Props & { isCurrent: boolean }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => deleteChatDeleteChatSessionChatSessionId(api, { chat_session_id: id }),
    onSuccess: async () => {
      if (isCurrent) await navigate({ to: '/chat/{-$chat_session_id}', params: { chat_session_id: undefined } })
      queries.removeQueries({ queryKey: chatKey(id) })
      await queries.invalidateQueries({ queryKey: ['chats'] })
      onClose()
    },
  })
  return (
    <Dialog title="Delete the chat?" onClose={onClose}>
      <p>
        <bdi>{name || 'This chat'}</bdi> and all that was said in it will be gone, for those with whom it was shared as
        well.
      </p>
      {remove.isError && <Failure error={remove.error} />}
      <div className="dialog-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </Button>
      </div>
    </Dialog>
  )
}

export function ShareChat({ chat: { id }, isPublic, onClose }: Props & { isPublic: boolean }) {
  const queries = useQueryClient()
  const share = useMutation({
    mutationFn: (sharing_status: 'public' | 'private') =>
      patchChatChatSessionChatSessionId(api, { chat_session_id: id, body: { sharing_status } }),
    onSuccess: async (_, status) => {
      queries.setQueryData<Conversation>(chatKey(id), (it) => it && { ...it, isPublic: status === 'public' })
      await queries.invalidateQueries({ queryKey: ['chats'] })
    },
  })
  return (
    <Dialog title="Share the chat" onClose={onClose}>
      <p className="dimmed">
        Whoever can sign in here and has the link can read it. They see no answer that rests on a document which they
        may not read, and none of your files.
      </p>
      {isPublic && <CodeBlock text={`${window.location.origin}/chat/${id}`} label="Link to the chat" isWord />}
      {share.isError && <Failure error={share.error} />}
      <div className="dialog-end">
        {isPublic ? (
          <Button variant="default" loading={share.isPending} onClick={() => share.mutate('private')}>
            Stop sharing
          </Button>
        ) : (
          <Button loading={share.isPending} onClick={() => share.mutate('public')}>
            Make a link
          </Button>
        )}
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}
