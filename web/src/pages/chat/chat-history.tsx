// The user's chats: search, open, rename and delete.
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { listChatSessions, searchChatSessions } from '../../../../src/client/operations.ts'
import type { ChatSessionDetails } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { DeleteChat, RenameChat } from './chat-dialogs.tsx'
import { dayGroup } from './day-group.ts'

interface ChatGroup {
  title: string
  chats: readonly ChatSessionDetails[]
}

export function ChatHistory({ current, onOpen }: { current: string | null; onOpen: () => void }) {
  const [text, setText] = useState('')
  const words = useDeferredValue(text.trim())
  const [changing, setChanging] = useState<{ what: 'name' | 'delete'; chat: ChatSessionDetails } | null>(null)
  return (
    <div className="history">
      <Link
        to="/chat/{-$chat_session_id}"
        params={{ chat_session_id: undefined }}
        className="history-new"
        onClick={onOpen}
      >
        <Icon name="plus" size={16} /> New chat
      </Link>
      <TextInput
        size="xs"
        type="search"
        aria-label="Find a chat"
        placeholder="Find a chat"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        leftSection={<Icon name="search" size={14} />}
      />
      {words === '' ? (
        <LatestChats current={current} onOpen={onOpen} onChange={setChanging} />
      ) : (
        <FoundChats words={words} current={current} onOpen={onOpen} onChange={setChanging} />
      )}
      {changing?.what === 'name' && <RenameChat chat={changing.chat} onClose={() => setChanging(null)} />}
      {changing?.what === 'delete' && (
        <DeleteChat chat={changing.chat} isCurrent={changing.chat.id === current} onClose={() => setChanging(null)} />
      )}
    </div>
  )
}

interface PartProps {
  current: string | null
  onOpen: () => void
  onChange: (change: { what: 'name' | 'delete'; chat: ChatSessionDetails }) => void
}

function LatestChats(props: PartProps) {
  const query = useInfiniteQuery({
    queryKey: ['chats', 'latest'],
    queryFn: ({ pageParam, signal }) => listChatSessions(api, { before: pageParam, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ sessions, has_more }) => (has_more ? (sessions.at(-1)?.time_updated ?? null) : null),
  })
  const chats = query.data?.pages.flatMap((it) => it.sessions) ?? []
  const now = new Date()
  const groups = [...Map.groupBy(chats, (it) => dayGroup(new Date(it.time_updated), now))]
  return (
    <>
      {query.isError && <ErrorAlert error={query.error} retry={() => void query.refetch()} />}
      {query.isSuccess && chats.length === 0 && <p className="dimmed small">No chats yet.</p>}
      <ChatGroups groups={groups.map(([title, some]) => ({ title, chats: some }))} {...props} />
      {query.hasNextPage && (
        <OlderChatsButton isBusy={query.isFetchingNextPage} onMore={() => void query.fetchNextPage()} />
      )}
    </>
  )
}

function FoundChats({ words, ...props }: PartProps & { words: string }) {
  const query = useInfiniteQuery({
    queryKey: ['chats', 'found', words],
    queryFn: ({ pageParam, signal }) =>
      searchChatSessions(api, { query: words, page: pageParam, page_size: 30, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ has_more, next_page }) => (has_more ? next_page : null),
  })
  const groups = query.data?.pages.flatMap((it) => it.groups) ?? []
  const byTitle = Map.groupBy(groups, (it) => it.title)
  const merged = [...byTitle].map(([title, some]) => ({ title, chats: some.flatMap((it) => it.chats) }))
  return (
    <>
      {query.isError && <ErrorAlert error={query.error} retry={() => void query.refetch()} />}
      <p role="status" className="dimmed small history-status">
        {query.isSuccess && merged.length === 0 && 'No chats match.'}
      </p>
      <ChatGroups groups={merged} {...props} />
      {query.hasNextPage && (
        <OlderChatsButton isBusy={query.isFetchingNextPage} onMore={() => void query.fetchNextPage()} />
      )}
    </>
  )
}

const OlderChatsButton = ({ isBusy, onMore }: { isBusy: boolean; onMore: () => void }) => (
  <Button size="compact-xs" variant="subtle" loading={isBusy} onClick={onMore}>
    Older chats
  </Button>
)

const ChatGroups = ({ groups, current, onOpen, onChange }: PartProps & { groups: readonly ChatGroup[] }) =>
  groups.map(({ title, chats }) => (
    <section key={title} aria-label={title}>
      <h2 className="history-title">{title}</h2>
      <ul className="history-list">
        {chats.map((it) => (
          <li key={it.id} className={it.id === current ? 'history-chat history-current' : 'history-chat'}>
            <Link
              to="/chat/{-$chat_session_id}"
              params={{ chat_session_id: it.id }}
              preload={false}
              className="history-link"
              aria-current={it.id === current ? 'page' : undefined}
              onClick={onOpen}
            >
              <bdi>{it.name || 'Untitled chat'}</bdi>
              {it.shared_status === 'public' && <span className="sr-only"> (shared)</span>}
            </Link>
            <ActionIcon
              size={24}
              variant="subtle"
              color="gray"
              aria-label={`Rename ${it.name || 'the chat'}`}
              onClick={() => onChange({ what: 'name', chat: it })}
            >
              <Icon name="pen" size={14} />
            </ActionIcon>
            <ActionIcon
              size={24}
              variant="subtle"
              color="gray"
              aria-label={`Delete ${it.name || 'the chat'}`}
              onClick={() => onChange({ what: 'delete', chat: it })}
            >
              <Icon name="trash" size={14} />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </section>
  ))
