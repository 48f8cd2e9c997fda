// The readers of a chat: people by address, groups of the owner, or everybody here with the link.
import { Button, Checkbox, CloseButton, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  getChatReaders,
  listUserGroupNames,
  setChatReaders,
  shareChatSession,
} from '../../../../src/client/operations.ts'
import type { ChatReaders } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { chatKey } from './chat-query.ts'
import type { Conversation } from './conversation.ts'

interface Props {
  id: string
  isPublic: boolean
  onClose: () => void
}

export function ShareChat({ id, isPublic, onClose }: Props) {
  const t = textsOf('chat.share')
  const readersKey = ['readers', id]
  const readers = useQuery({
    queryKey: readersKey,
    queryFn: ({ signal }) => getChatReaders(api, { chat_session_id: id, signal }),
  })
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationKey: readersKey,
    // One after the other, so that the last change is the one that stays.
    scope: { id: readersKey.join(' ') },
    mutationFn: ({ emails, groups }: ChatReaders) =>
      setChatReaders(api, { chat_session_id: id, body: { emails, group_ids: groups.map((it) => it.id) } }),
    onMutate: (wanted) => queryClient.setQueryData(readersKey, wanted),
    onSuccess: (saved) => {
      // A later change is already shown.
      if (queryClient.isMutating({ mutationKey: readersKey }) > 1) return
      queryClient.setQueryData(readersKey, saved)
      queryClient.setQueryData<Conversation>(chatKey(id), (it) => it && { ...it, readers: saved })
    },
    onError: () => queryClient.invalidateQueries({ queryKey: readersKey }),
  })
  const isShared = isPublic || isReadByAnyone(readers.data)
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <div className="stack">
        <p className="dimmed small">{t('help')}</p>
        {readers.isPending && <LoadingSkeleton lines={3} />}
        {readers.isError && <ErrorAlert error={readers.error} retry={() => void readers.refetch()} />}
        {readers.data !== undefined && (
          <ReaderFields readers={readers.data} isPending={change.isPending} onChange={(it) => change.mutate(it)} />
        )}
        {change.isError && <ErrorAlert error={change.error} />}
        <EverybodyField id={id} isPublic={isPublic} />
        {isShared && <CodeBlock text={`${window.location.origin}/chat/${id}`} label={t('link')} isWord />}
      </div>
      <form method="dialog" className="dialog-buttons">
        <Button type="submit" variant="default">
          {textsOf('parts')('close')}
        </Button>
      </form>
    </Dialog>
  )
}

const isReadByAnyone = (readers: ChatReaders | undefined): boolean =>
  readers !== undefined && readers.emails.length + readers.groups.length > 0

interface FieldsProps {
  readers: ChatReaders
  isPending: boolean
  onChange: (readers: ChatReaders) => void
}

function ReaderFields({ readers: { emails, groups }, isPending, onChange }: FieldsProps) {
  const t = textsOf('chat.share')
  return (
    <>
      <PersonAdder isPending={isPending} onAdd={(email) => onChange({ emails: [...emails, email], groups })} />
      {emails.length > 0 && (
        <ul className="readers" aria-label={t('people')}>
          {emails.map((email) => (
            <li key={email}>
              <bdi>{email}</bdi>
              <CloseButton
                size={24}
                iconSize={14}
                aria-label={t('remove', { email })}
                onClick={() => onChange({ emails: emails.filter((it) => it !== email), groups })}
              />
            </li>
          ))}
        </ul>
      )}
      <GroupFields chosen={groups} onChange={(it) => onChange({ emails, groups: it })} />
    </>
  )
}

function PersonAdder({ isPending, onAdd }: { isPending: boolean; onAdd: (email: string) => void }) {
  const t = textsOf('chat.share')
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    onAdd(text.trim())
    setText('')
  }
  return (
    <form className="reader-add" onSubmit={submit}>
      <TextInput
        label={t('person')}
        type="email"
        value={text}
        maxLength={320}
        autoComplete="off"
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={isPending} disabled={text.trim() === ''}>
        {t('add')}
      </Button>
    </form>
  )
}

type GroupProps = { chosen: ChatReaders['groups']; onChange: (groups: ChatReaders['groups']) => void }

/** The own groups, and those that the chat was shared with before. */
function GroupFields({ chosen, onChange }: GroupProps) {
  const t = textsOf('chat.share')
  const { data: own = [] } = useQuery({
    queryKey: ['own-groups'],
    queryFn: ({ signal }) => listUserGroupNames(api, { signal }),
    staleTime: 60_000,
  })
  const others = chosen.filter((it) => !own.some(({ id }) => id === it.id))
  const groups = [...own.filter((it) => it.id > 0), ...others]
  if (groups.length === 0) return null
  return (
    <fieldset className="reader-groups">
      <legend>{t('groups')}</legend>
      {groups.map((group) => (
        <Checkbox
          key={group.id}
          label={<bdi>{group.name}</bdi>}
          checked={chosen.some((it) => it.id === group.id)}
          onChange={(event) => {
            const rest = chosen.filter((it) => it.id !== group.id)
            onChange(event.currentTarget.checked ? [...rest, group] : rest)
          }}
        />
      ))}
    </fieldset>
  )
}

function EverybodyField({ id, isPublic }: Pick<Props, 'id' | 'isPublic'>) {
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
    <>
      <Checkbox
        label={t('everybody')}
        description={t('everybody_help')}
        checked={share.isPending ? share.variables === 'public' : isPublic}
        onChange={(event) => share.mutate(event.currentTarget.checked ? 'public' : 'private')}
      />
      {share.isError && <ErrorAlert error={share.error} />}
    </>
  )
}
