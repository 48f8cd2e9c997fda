// The projects of the person, and the chats that others have shared with them, beside the own chats.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { listSharedChatSessions } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { projectsQuery } from '../projects/project-queries.ts'

const MAX_PROJECTS = 8

export function ProjectLinks({ onOpen }: { onOpen: () => void }) {
  const t = textsOf('chat.history')
  const projects = useQuery(projectsQuery).data ?? []
  return (
    <section aria-label={t('projects')}>
      <Link to="/projects" className="history-projects" onClick={onOpen}>
        <Icon name="document" size={15} /> {t('projects_and_files')}
      </Link>
      {projects.length > 0 && (
        <ul className="history-list">
          {projects.slice(0, MAX_PROJECTS).map((it) => (
            <li key={it.id} className="history-chat">
              <Link
                to="/projects/$project_id"
                params={{ project_id: String(it.id) }}
                className="history-link"
                onClick={onOpen}
              >
                <bdi>{it.name}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

export function SharedChats({ current, onOpen }: { current: string | null; onOpen: () => void }) {
  const t = textsOf('chat.history')
  const { data } = useQuery({
    queryKey: ['chats', 'shared'],
    queryFn: ({ signal }) => listSharedChatSessions(api, { signal }),
    staleTime: 30_000,
  })
  if (data === undefined || data.sessions.length === 0) return null
  return (
    <section aria-label={t('shared_with_you')}>
      <h2 className="history-title">{t('shared_with_you')}</h2>
      <ul className="history-list">
        {data.sessions.map(({ id, name }) => (
          <li key={id} className={id === current ? 'history-chat history-current' : 'history-chat'}>
            <Link
              to="/chat/{-$chat_session_id}"
              params={{ chat_session_id: id }}
              preload={false}
              className="history-link"
              aria-current={id === current ? 'page' : undefined}
              onClick={onOpen}
            >
              <bdi>{name || textsOf('chat')('untitled')}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
