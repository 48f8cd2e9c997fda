// One answer with its question, as far as this administrator may read it. The access is written to the audit.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getChatHistory } from '../../../../src/client/operations.ts'
import type { ChatSessionSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { ADMIN_PAGES } from '../../admin/admin-pages.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import type { ListedAnswer } from './answer-table.tsx'
import './citations.css'

export function AnswerDialog({ listed, onClose }: { listed: ListedAnswer; onClose: () => void }) {
  const t = textsOf('admin.citations')
  const { chat_session_id, message_id, citations_removed } = listed
  const chat = useQuery({
    queryKey: ['chat-history', chat_session_id],
    queryFn: ({ signal }) => getChatHistory(api, { chat_session_id, signal }),
  })
  return (
    <Dialog title={t('dialog')} onClose={onClose} isWide>
      {chat.isError && <ErrorAlert error={chat.error} retry={() => void chat.refetch()} />}
      {chat.isPending && <LoadingSkeleton lines={5} />}
      {chat.data !== undefined && <Texts chat={chat.data} messageId={message_id} />}
      <p className="small dimmed">{t('removed_from', { count: citations_removed })}</p>
      <div className="dialog-buttons">
        {HAS_HISTORY && (
          <AdminLink page={HISTORY} id={chat_session_id} className="citations-chat">
            {t('open_chat')}
          </AdminLink>
        )}
        <Button onClick={onClose}>{textsOf('parts')('close')}</Button>
      </div>
    </Dialog>
  )
}

/** The page of the chat history has the whole chat. */
const HISTORY = 'history'
const HAS_HISTORY = ADMIN_PAGES.some((it) => String(it.name) === HISTORY)

/** The answer may be on a branch that is not shown, or withheld because of its documents. */
function Texts({ chat: { messages }, messageId }: { chat: ChatSessionSnapshot; messageId: number }) {
  const t = textsOf('admin.citations')
  const at = messages.findIndex((it) => it.id === messageId)
  const answer = messages[at]
  const question = messages.slice(0, Math.max(at, 0)).findLast((it) => it.message_type === 'user')
  if (answer === undefined) return <p>{t('withheld')}</p>
  return (
    <>
      {question !== undefined && <Quote label={t('question')} text={question.message} />}
      <Quote label={t('answer')} text={answer.message} />
    </>
  )
}

const Quote = ({ label, text }: { label: string; text: string }) => (
  <figure className="citations-quote">
    <figcaption className="small dimmed">{label}</figcaption>
    <p dir="auto">{text}</p>
  </figure>
)
