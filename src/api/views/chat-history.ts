// Chat history for administrators: as a list, as single sessions, and as CSV rows of questions and answers.
import { z } from 'zod'
import type { ChatMessageView, ChatView } from '../../chat/session/chats.ts'
import type { Settings } from '../../domain/settings.ts'
import { displayEmail } from '../../domain/subject.ts'
import type { StoredChat } from '../../store/chats/chats.ts'
import { iso } from '../wire/iso.ts'
import { csvRow } from './csv.ts'

const FEEDBACK = z.enum(['like', 'dislike', 'mixed'])
const flow_type = z.enum(['Chat'])

const sessionFields = {
  id: z.string(),
  user_email: z.string().describe('`anonymous@anonymous.invalid` if `query_history_type` is "anonymized".'),
  name: z.string().nullable(),
  assistant_id: z.int().nullable(),
  assistant_name: z.string().nullable(),
  time_created: z.iso.datetime(),
  flow_type,
}
const AbridgedSearchDoc = z
  .object({ document_id: z.string(), semantic_identifier: z.string(), link: z.string().nullable() })
  .meta({ id: 'AbridgedSearchDoc' })
const MessageSnapshot = z
  .object({
    id: z.int(),
    message: z.string(),
    message_type: z.enum(['user', 'assistant']),
    documents: z.array(AbridgedSearchDoc),
    feedback_type: FEEDBACK.nullable(),
    feedback_text: z.string().nullable(),
    time_created: z.iso.datetime(),
  })
  .meta({ id: 'MessageSnapshot' })
export const ChatSessionSnapshot = z
  .object({ ...sessionFields, messages: z.array(MessageSnapshot).describe('Messages of the branch that is shown.') })
  .meta({ id: 'ChatSessionSnapshot' })
export const ChatSessionMinimal = z
  .object({
    ...sessionFields,
    first_user_message: z.string(),
    first_ai_message: z.string(),
    feedback_type: FEEDBACK.nullable(),
    conversation_length: z.int().describe('Number of messages in the branch that is shown.'),
  })
  .meta({ id: 'ChatSessionMinimal' })
type ChatSessionSnapshot = z.infer<typeof ChatSessionSnapshot>
type MessageSnapshot = z.infer<typeof MessageSnapshot>

export interface ChatHistoryEntry {
  shown: ChatView
  personaName: string | null
  /** Null if the owner is a key that acts for nobody. */
  ownerEmail: string | null
  historyType: Settings['query_history_type']
}

export const chatSessionSnapshot = ({ shown: { chat, messages }, ...view }: ChatHistoryEntry): ChatSessionSnapshot => ({
  id: chat.id,
  user_email: historyEmail(chat, view),
  name: chat.name,
  assistant_id: chat.persona_id,
  assistant_name: view.personaName,
  time_created: iso(chat.time_created),
  flow_type: 'Chat',
  messages: activeBranch(chat, messages).map(messageSnapshot),
})

export function chatSessionMinimal(view: ChatHistoryEntry): z.infer<typeof ChatSessionMinimal> {
  const { messages, ...session } = chatSessionSnapshot(view)
  const firstMessage = (type: MessageSnapshot['message_type']) =>
    messages.find((it) => it.message_type === type)?.message ?? ''
  return {
    ...session,
    first_user_message: firstMessage('user'),
    first_ai_message: firstMessage('assistant'),
    feedback_type: chatRating(view.shown.messages),
    conversation_length: messages.length,
  }
}

export const ANONYMOUS_EMAIL = 'anonymous@anonymous.invalid'

/** The owner of a chat is the key itself if the key does not act for a user. */
function historyEmail(
  { owner }: StoredChat,
  { ownerEmail, historyType }: Pick<ChatHistoryEntry, 'ownerEmail' | 'historyType'>,
): string {
  if (historyType !== 'normal') return ANONYMOUS_EMAIL
  return displayEmail({ email: ownerEmail, user_id: owner })
}

function activeBranch({ latest_child_id }: StoredChat, messages: readonly ChatMessageView[]): ChatMessageView[] {
  const byId = new Map(messages.map((it) => [it.id, it]))
  const branch: ChatMessageView[] = []
  for (let it = byId.get(latest_child_id ?? -1); it !== undefined; it = byId.get(it.latest_child_id ?? -1)) {
    branch.push(it)
  }
  return branch
}

const messageSnapshot = (it: ChatMessageView): MessageSnapshot => ({
  id: it.id,
  message: it.message,
  message_type: it.message_type,
  documents: it.documents.map(({ document_id, semantic_identifier, link }) => ({
    document_id,
    semantic_identifier,
    link,
  })),
  feedback_type: messageRating(it),
  feedback_text: it.feedback?.feedback_text ?? null,
  time_created: iso(it.time_sent),
})

function messageRating({ feedback }: ChatMessageView): 'like' | 'dislike' | null {
  if (feedback === null || feedback.is_positive === null) return null
  return feedback.is_positive ? 'like' : 'dislike'
}

function chatRating(messages: readonly ChatMessageView[]): z.infer<typeof FEEDBACK> | null {
  const ratings = new Set(messages.map(messageRating).filter((it) => it !== null))
  return ratings.size > 1 ? 'mixed' : ([...ratings][0] ?? null)
}

const CSV_COLUMNS = [
  'chat_session_id',
  'message_pair_num',
  'user_message',
  'ai_response',
  'retrieved_documents',
  'feedback_type',
  'feedback_text',
  'persona_name',
  'user_email',
  'time_created',
  'flow_type',
]
export const historyCsvHeader = (): string => csvRow(CSV_COLUMNS)

/** One row for each answered question. */
export function historyCsvRows(session: ChatSessionSnapshot): string {
  const { messages } = session
  const pairs = messages.flatMap((question, at) => {
    const answer = messages[at + 1]
    return question.message_type === 'user' && answer?.message_type === 'assistant' ? [{ question, answer }] : []
  })
  return pairs
    .map(({ question, answer }, at) =>
      csvRow([
        session.id,
        at + 1,
        question.message,
        answer.message,
        answer.documents.map((it) => it.link ?? it.semantic_identifier).join('|'),
        answer.feedback_type ?? '',
        answer.feedback_text ?? '',
        session.assistant_name,
        session.user_email,
        question.time_created,
        session.flow_type,
      ]),
    )
    .join('')
}
