// The user's chats: search, open, rename and delete.
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { listChatSessions, searchChatSessions } from '../../../../src/client/operations.ts'
import type { ChatSessionDetails, FoundChatSession } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { HighlightedText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { projectsQuery } from '../projects/project-queries.ts'
import { DeleteChat, RenameChat } from './chat-dialogs.tsx'
import { type DayGroup, dayGroup } from './day-group.ts'
import { ProjectLinks, SharedChats } from './history-links.tsx'

export function ChatHistory({ current, onOpen }: { current: string | null; onOpen: () => void }) {
  const t = textsOf('chat.history')
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
        <Icon name="plus" size={16} /> {textsOf('chat')('new_chat')}
      </Link>
      <TextInput
        size="xs"
        type="search"
        aria-label={t('find')}
        placeholder={t('find')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        leftSection={<Icon name="search" size={14} />}
      />
      {words === '' ? (
        <AllChats current={current} onOpen={onOpen} onChange={setChanging} />
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

/**
 * Waits for the projects, which are above the chats, so that no chat moves. It waits once: the links ask again for projects
 * that could not be read, and would never end with that if they were taken away meanwhile.
 */
function AllChats(props: PartProps) {
  const { isFetched } = useQuery(projectsQuery)
  if (!isFetched) return null
  return (
    <>
      <ProjectLinks onOpen={props.onOpen} />
      <LatestChats {...props} />
      <SharedChats current={props.current} onOpen={props.onOpen} />
    </>
  )
}

function LatestChats(props: PartProps) {
  const query = useInfiniteQuery({
    queryKey: ['chats', 'latest'],
    queryFn: ({ pageParam, signal }) => listChatSessions(api, { before: pageParam, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ sessions, has_more }) => (has_more ? (sessions.at(-1)?.time_updated ?? null) : null),
  })
  const chats = query.data?.pages.flatMap((it) => it.sessions) ?? []
  return (
    <>
      {query.isError && <ErrorAlert error={query.error} retry={() => void query.refetch()} />}
      {query.isSuccess && chats.length === 0 && <p className="dimmed small">{textsOf('chat.history')('none')}</p>}
      <ChatGroups chats={chats} {...props} />
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
  const chats = query.data?.pages.flatMap((it) => it.groups).flatMap((it) => it.chats) ?? []
  return (
    <>
      {query.isError && <ErrorAlert error={query.error} retry={() => void query.refetch()} />}
      <p role="status" className="dimmed small history-status">
        {query.isSuccess && chats.length === 0 && textsOf('chat.history')('no_match')}
      </p>
      <ChatGroups chats={chats} {...props} />
      {query.hasNextPage && (
        <OlderChatsButton isBusy={query.isFetchingNextPage} onMore={() => void query.fetchNextPage()} />
      )}
    </>
  )
}

const OlderChatsButton = ({ isBusy, onMore }: { isBusy: boolean; onMore: () => void }) => (
  <Button size="compact-xs" variant="subtle" loading={isBusy} onClick={onMore}>
    {textsOf('chat.history')('older')}
  </Button>
)

/** A chat that was searched for has an excerpt. */
type ListedChat = ChatSessionDetails & Partial<Pick<FoundChatSession, 'excerpt'>>

/** The chats by day, the newest first. */
function ChatGroups({ chats, ...props }: PartProps & { chats: readonly ListedChat[] }) {
  const now = new Date()
  const groups = [...Map.groupBy(chats, (it) => dayGroup(new Date(it.time_updated), now))]
  return groups.map(([day, some]) => <ChatGroup key={day} day={day} chats={some} {...props} />)
}

type ChatGroupProps = PartProps & { day: DayGroup; chats: readonly ListedChat[] }

function ChatGroup({ day, chats, ...props }: ChatGroupProps) {
  const title = textsOf('chat.history.days')(day)
  return (
    <section aria-label={title}>
      <h2 className="history-title">{title}</h2>
      <ul className="history-list">
        {chats.map((it) => (
          <ChatEntry key={it.id} chat={it} {...props} />
        ))}
      </ul>
    </section>
  )
}

function ChatEntry({ chat, current, onOpen, onChange }: PartProps & { chat: ListedChat }) {
  const t = textsOf('chat.history')
  const isCurrent = chat.id === current
  const name = chat.name || textsOf('chat')('untitled')
  const { excerpt } = chat
  return (
    <li className={isCurrent ? 'history-chat history-current' : 'history-chat'}>
      <Link
        to="/chat/{-$chat_session_id}"
        params={{ chat_session_id: chat.id }}
        search={excerpt ? { at: excerpt.message_id } : {}}
        resetScroll={!excerpt}
        preload={false}
        className="history-link"
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onOpen}
      >
        <bdi>{name}</bdi>
        {chat.shared_status === 'public' && <span className="sr-only"> {t('shared')}</span>}
        {excerpt && (
          <span className="history-excerpt dimmed" dir="auto">
            <HighlightedText text={excerpt.text} spans={excerpt.highlights} />
          </span>
        )}
      </Link>
      <ActionIcon
        size={24}
        variant="subtle"
        color="gray"
        aria-label={t('rename', { name })}
        onClick={() => onChange({ what: 'name', chat })}
      >
        <Icon name="pen" size={14} />
      </ActionIcon>
      <ActionIcon
        size={24}
        variant="subtle"
        color="gray"
        aria-label={t('delete', { name })}
        onClick={() => onChange({ what: 'delete', chat })}
      >
        <Icon name="trash" size={14} />
      </ActionIcon>
    </li>
  )
}
