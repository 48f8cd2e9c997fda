// A chat session and its messages in the form of the API.
import { z } from 'zod'
import type { ChatMessageView, ChatView } from '../../chat/session/chats.ts'
import { SHARED_STATUSES } from '../../domain/chat/chat.ts'
import { excerptOf } from '../../domain/chat/excerpt.ts'
import { Packet } from '../../domain/chat/packet.ts'
import { SearchDoc } from '../../domain/chat/search-doc.ts'
import { emailKeyOf, type Subject } from '../../domain/subject.ts'
import type { FoundMessage, StoredChat } from '../../store/chats/chats.ts'
import { iso } from '../wire/iso.ts'

const SharedStatus = z.enum(SHARED_STATUSES)

export const ChatSessionDetails = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    persona_id: z.int(),
    time_created: z.iso.datetime(),
    time_updated: z.iso.datetime(),
    shared_status: SharedStatus,
    current_alternate_model: z.string().nullable(),
    current_temperature_override: z.number().nullable(),
    current_reasoning_effort_override: z.string().nullable(),
    incognito: z.boolean(),
    project_id: z.int().nullable(),
  })
  .meta({ id: 'ChatSessionDetails' })

export const chatSessionDetails = (stored: StoredChat): z.infer<typeof ChatSessionDetails> => ({
  id: stored.id,
  name: stored.name,
  persona_id: stored.persona_id,
  time_created: iso(stored.time_created),
  time_updated: iso(stored.time_updated),
  shared_status: stored.shared_status,
  current_alternate_model: stored.overrides.model,
  current_temperature_override: stored.overrides.temperature,
  current_reasoning_effort_override: stored.overrides.reasoning_effort,
  incognito: stored.incognito,
  project_id: stored.project_id,
})

const ChatExcerpt = z
  .object({
    message_id: z.int(),
    message_type: z.enum(['user', 'assistant']),
    text: z.string(),
    highlights: z.array(z.array(z.int())).describe('Offsets in `text`, in UTF-16 code units, end exclusive.'),
  })
  .meta({ id: 'ChatExcerpt' })

export const FoundChatSession = ChatSessionDetails.extend({
  excerpt: ChatExcerpt.nullable().describe(
    'The part of a message that has the words. Null if only the name has them, without a query, and from the 51st session of a page.',
  ),
}).meta({ id: 'FoundChatSession' })

export function foundChatSession(
  stored: StoredChat,
  found: FoundMessage | undefined,
  words: readonly string[],
): z.infer<typeof FoundChatSession> {
  const excerpt = found === undefined ? null : excerptOf(found.message, words)
  if (found === undefined || excerpt === null) return { ...chatSessionDetails(stored), excerpt: null }
  const { id: message_id, message_type } = found
  const { text, spans } = excerpt
  return { ...chatSessionDetails(stored), excerpt: { message_id, message_type, text, highlights: spans } }
}

const SavedSearchDoc = SearchDoc.extend({ db_doc_id: z.int() }).meta({ id: 'SavedSearchDoc' })

const ChatMessageDetail = z
  .object({
    message_id: z.int(),
    chat_session_id: z.string(),
    parent_message: z.int().nullable().describe('The root message, 0, for a first question; null for the root itself.'),
    latest_child_message: z.int().nullable().describe('The next message of the branch that is shown.'),
    message: z.string(),
    message_type: z.enum(['system', 'user', 'assistant']).describe('`system` is the empty root message, 0.'),
    status: z.enum(['running', 'done', 'stopped', 'failed']),
    error: z.string().nullable().describe('Why the answer is missing or incomplete.'),
    time_sent: z.iso.datetime(),
    processing_duration_seconds: z.number().nullable(),
    context_docs: z.array(SavedSearchDoc).nullable(),
    citations: z.record(z.string(), z.string()).nullable().describe('Maps citation numbers to `document_id`.'),
    files: z.array(z.object({ id: z.string(), type: z.string(), name: z.string().nullable() })),
    sources: z.array(z.string()).describe('The sources that the question was limited to; empty: all.'),
    current_feedback: z.enum(['like', 'dislike']).nullable(),
    feedback: z.object({ is_positive: z.boolean().nullable(), feedback_text: z.string().nullable() }).nullable(),
    model_display_name: z.string().nullable(),
    token_count: z.int().nullable().describe('Output tokens of the model.'),
    input_token_count: z.int().nullable(),
  })
  .meta({ id: 'ChatMessageDetail' })

export const ChatReaders = z
  .object({
    emails: z.array(z.string()).describe('Addresses in lower case.'),
    groups: z.array(z.object({ id: z.int(), name: z.string() })),
  })
  .meta({ id: 'ChatReaders' })

export const ChatSessionDetailResponse = z
  .object({
    chat_session_id: z.string(),
    description: z.string().nullable(),
    persona_id: z.int(),
    persona_name: z.string().nullable(),
    personal_icon_name: z.string().nullable().describe('The icon of the persona.'),
    messages: z.array(ChatMessageDetail).describe('The root message, then all messages in order of creation.'),
    latest_child_message: z.int().nullable().describe('The first message of the branch that is shown.'),
    packets: z.array(z.array(Packet)).describe('The packets of each answer, in the order of `messages`.'),
    time_created: z.iso.datetime(),
    time_updated: z.iso.datetime(),
    shared_status: SharedStatus,
    readers: ChatReaders.nullable().describe('With whom the owner has shared the session. Only the owner sees it.'),
    current_alternate_model: z.string().nullable(),
    current_temperature_override: z.number().nullable(),
    current_reasoning_effort_override: z.string().nullable(),
    owner_name: z.string().nullable(),
    is_owner: z.boolean(),
    deleted: z.boolean().describe('A deleted session has no messages.'),
    incognito: z.boolean(),
    project_id: z.int().nullable().describe('The own project that the session belongs to.'),
  })
  .meta({ id: 'ChatSessionDetailResponse' })

export const chatSessionDetail = (
  { chat, messages, isOwner }: ChatView,
  persona: { name: string; icon_name: string | null } | undefined,
  viewer: Pick<Subject, 'email'>,
  readers: z.infer<typeof ChatReaders> | null,
): z.infer<typeof ChatSessionDetailResponse> => ({
  chat_session_id: chat.id,
  description: chat.name,
  persona_id: chat.persona_id,
  persona_name: persona?.name ?? null,
  personal_icon_name: persona?.icon_name ?? null,
  messages: chat.deleted_at === null ? [rootMessage(chat), ...messages.map(chatMessageDetail)] : [],
  latest_child_message: chat.latest_child_id,
  packets: messages.filter((it) => it.message_type === 'assistant').map((it) => it.packets),
  time_created: iso(chat.time_created),
  time_updated: iso(chat.time_updated),
  shared_status: chat.shared_status,
  readers,
  current_alternate_model: chat.overrides.model,
  current_temperature_override: chat.overrides.temperature,
  current_reasoning_effort_override: chat.overrides.reasoning_effort,
  // Other users do not see the owner's e-mail address.
  owner_name: isOwner && viewer.email !== null ? emailKeyOf(viewer.email) : null,
  is_owner: isOwner,
  deleted: chat.deleted_at !== null,
  incognito: chat.incognito,
  project_id: isOwner ? chat.project_id : null,
})

/** Clients of the existing server expect first questions to have a system message as their parent. Not a stored id. */
export const ROOT_MESSAGE_ID = 0

const rootMessage = (chat: StoredChat): z.infer<typeof ChatMessageDetail> => ({
  message_id: ROOT_MESSAGE_ID,
  chat_session_id: chat.id,
  parent_message: null,
  latest_child_message: chat.latest_child_id,
  message: '',
  message_type: 'system',
  status: 'done',
  error: null,
  time_sent: iso(chat.time_created),
  processing_duration_seconds: null,
  context_docs: null,
  citations: null,
  files: [],
  sources: [],
  current_feedback: null,
  feedback: null,
  model_display_name: null,
  token_count: null,
  input_token_count: null,
})

const MS = 1_000

function chatMessageDetail(stored: ChatMessageView): z.infer<typeof ChatMessageDetail> {
  const isAnswer = stored.message_type === 'assistant'
  const documents = stored.documents.map((it, at) => ({ ...it, db_doc_id: at }))
  return {
    message_id: stored.id,
    chat_session_id: stored.chat_session_id,
    parent_message: stored.parent_id ?? ROOT_MESSAGE_ID,
    latest_child_message: stored.latest_child_id,
    message: stored.message,
    message_type: stored.message_type,
    status: stored.status,
    error: stored.error,
    time_sent: iso(stored.time_sent),
    processing_duration_seconds: processingSeconds(stored),
    context_docs: isAnswer ? documents : null,
    citations: isAnswer ? visibleCitations(stored) : null,
    files: stored.files,
    sources: stored.sources,
    current_feedback: currentFeedback(stored),
    feedback: stored.feedback && {
      is_positive: stored.feedback.is_positive,
      feedback_text: stored.feedback.feedback_text,
    },
    model_display_name: stored.model,
    token_count: isAnswer ? stored.output_tokens : null,
    input_token_count: isAnswer ? stored.input_tokens : null,
  }
}

const processingSeconds = ({ time_ended, time_sent, message_type }: ChatMessageView): number | null =>
  time_ended === null || message_type === 'user' ? null : (time_ended - time_sent) / MS

function currentFeedback({ feedback }: ChatMessageView): 'like' | 'dislike' | null {
  if (feedback === null || feedback.is_positive === null) return null
  return feedback.is_positive ? 'like' : 'dislike'
}

/** Only citations of visible documents: the reader may have lost access to others. */
function visibleCitations({ packets, documents }: ChatMessageView): Record<string, string> {
  const visibleIds = new Set(documents.map((it) => it.document_id))
  const cited = packets.flatMap(({ obj }) => (obj.type === 'citation_info' ? [obj] : []))
  return Object.fromEntries(
    cited.filter((it) => visibleIds.has(it.document_id)).map((it) => [String(it.citation_number), it.document_id]),
  )
}
