// One chat of another person: its messages, the documents of its answers, and the feedback.
import { useQuery } from '@tanstack/react-query'
import type { ChatSessionSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { isNotFound } from '../../api.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { exactTime, Time } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { Markdown } from '../chat/markdown.tsx'
import { Feedback } from './feedback.tsx'
import { chatQuery } from './history-query.ts'
import '../chat/chat.css'

export function OneChat({ id, isNamed }: { id: string; isNamed: boolean }) {
  const t = textsOf('admin.history')
  const chat = useQuery(chatQuery(id))
  useTitle(chat.data?.name ?? t('title'))
  return (
    <div className="stack">
      <AdminLink page="history">{t('back')}</AdminLink>
      {chat.isPending && <LoadingSkeleton lines={10} />}
      {chat.isError && isNotFound(chat.error) && (
        <div className="card">
          <EmptyState icon="chat" title={t('not_found')} heading="h1">
            {t('not_found_help')}
          </EmptyState>
        </div>
      )}
      {chat.isError && !isNotFound(chat.error) && <ErrorAlert error={chat.error} retry={() => void chat.refetch()} />}
      {chat.data !== undefined && (
        <>
          <Head chat={chat.data} isNamed={isNamed} />
          {chat.data.messages.map((it) => (
            <Message key={it.id} message={it} />
          ))}
        </>
      )}
    </div>
  )
}

function Head({ chat, isNamed }: { chat: ChatSessionSnapshot; isNamed: boolean }) {
  const t = textsOf('admin.history')
  return (
    <div className="page-head">
      <div>
        <h1 className="long-text" dir="auto">
          {chat.name ?? t('no_name')}
        </h1>
        <p className="long-text">
          {isNamed && (
            <>
              <bdi>{chat.user_email}</bdi>
              {' · '}
            </>
          )}
          {chat.assistant_name !== null && (
            <>
              <bdi>{chat.assistant_name}</bdi>
              {' · '}
            </>
          )}
          {exactTime(chat.time_created)}
        </p>
      </div>
    </div>
  )
}

function Message({ message }: { message: ChatSessionSnapshot['messages'][number] }) {
  const t = textsOf('admin.history')
  const { message_type, documents, feedback_type, feedback_text } = message
  const isRated = feedback_type !== null && feedback_type !== undefined
  return (
    <article className={`card card-pad history-message history-${message_type}`}>
      <header className="row">
        <h2>{t(`authors.${message_type}`)}</h2>
        <span className="small dimmed">
          <Time at={message.time_created} />
        </span>
        {isRated && <Feedback is={feedback_type} />}
      </header>
      <div dir="auto" className="long-text">
        {message_type === 'user' ? (
          <p className="history-text">{message.message}</p>
        ) : (
          <Markdown text={message.message} />
        )}
      </div>
      {feedback_text !== null && feedback_text !== '' && (
        <p className="small">{t.rich('feedback_text', { text: () => <q dir="auto">{feedback_text}</q> })}</p>
      )}
      {documents.length > 0 && (
        <details className="small">
          <summary>{t('documents', { count: documents.length })}</summary>
          <ul>
            {documents.map((it) => (
              <li key={it.document_id}>
                <AdminLink page="documents" id={it.document_id}>
                  <bdi>{it.semantic_identifier}</bdi>
                </AdminLink>
              </li>
            ))}
          </ul>
        </details>
      )}
    </article>
  )
}
