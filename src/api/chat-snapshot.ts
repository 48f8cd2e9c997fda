// A session and its messages as the wire shows them.
import { z } from 'zod'
import type { ShownChat, ShownMessage } from '../chat/talk.ts'
import { SHARED_STATUSES } from '../domain/chat.ts'
import { Packet } from '../domain/packet.ts'
import { SearchDoc } from '../domain/search-doc.ts'
import type { StoredChat } from '../store/chats.ts'
import { iso } from './iso.ts'

const SHARED = z.enum(SHARED_STATUSES)

export const ChatSessionDetails = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    persona_id: z.int(),
    time_created: z.iso.datetime(),
    time_updated: z.iso.datetime(),
    shared_status: SHARED,
    current_alternate_model: z.string().nullable(),
    current_temperature_override: z.number().nullable(),
    incognito: z.boolean(),
  })
  .meta({ id: 'ChatSessionDetails' })

export const detailsOf = (stored: StoredChat): z.infer<typeof ChatSessionDetails> => ({
  id: stored.id,
  name: stored.name,
  persona_id: stored.persona_id,
  time_created: iso(stored.time_created),
  time_updated: iso(stored.time_updated),
  shared_status: stored.shared_status,
  current_alternate_model: stored.overrides.model,
  current_temperature_override: stored.overrides.temperature,
  incognito: stored.incognito,
})

const SavedSearchDoc = SearchDoc.extend({ db_doc_id: z.int() }).meta({ id: 'SavedSearchDoc' })

const ChatMessageDetail = z
  .object({
    message_id: z.int(),
    chat_session_id: z.string(),
    parent_message: z.int().nullable().describe('Null: it is a first one.'),
    latest_child_message: z.int().nullable().describe('With which the branch goes on that is shown.'),
    message: z.string(),
    message_type: z.enum(['user', 'assistant']),
    status: z.enum(['running', 'done', 'stopped', 'failed']),
    error: z.string().nullable().describe('Why there is no answer, or not the whole of one.'),
    time_sent: z.iso.datetime(),
    processing_duration_seconds: z.number().nullable(),
    context_docs: z.array(SavedSearchDoc).nullable(),
    citations: z.record(z.string(), z.int()).nullable().describe('Of each number, the `db_doc_id`.'),
    files: z.array(z.object({ id: z.string(), type: z.string(), name: z.string().nullable() })),
    current_feedback: z.enum(['like', 'dislike']).nullable(),
    feedback: z.object({ is_positive: z.boolean().nullable(), feedback_text: z.string().nullable() }).nullable(),
    model_display_name: z.string().nullable(),
    token_count: z.int().nullable().describe('What the model wrote.'),
    input_token_count: z.int().nullable(),
  })
  .meta({ id: 'ChatMessageDetail' })

export const ChatSessionDetailResponse = z
  .object({
    chat_session_id: z.string(),
    description: z.string().nullable(),
    persona_id: z.int(),
    persona_name: z.string().nullable(),
    messages: z.array(ChatMessageDetail).describe('All that there are, in the order in which they were made.'),
    latest_child_message: z.int().nullable().describe('The first message of the branch that is shown.'),
    packets: z.array(z.array(Packet)).describe('Of each answer, in the order of `messages`.'),
    time_created: z.iso.datetime(),
    time_updated: z.iso.datetime(),
    shared_status: SHARED,
    current_alternate_model: z.string().nullable(),
    current_temperature_override: z.number().nullable(),
    owner_name: z.string().nullable(),
    is_owner: z.boolean(),
    deleted: z.boolean().describe('Always false: what was deleted is gone.'),
    incognito: z.boolean(),
  })
  .meta({ id: 'ChatSessionDetailResponse' })

export const sessionOf = (
  { chat, messages, isOwner }: ShownChat,
  persona_name: string | null,
): z.infer<typeof ChatSessionDetailResponse> => ({
  chat_session_id: chat.id,
  description: chat.name,
  persona_id: chat.persona_id,
  persona_name,
  messages: messages.map(messageOf),
  latest_child_message: chat.latest_child_id,
  packets: messages.filter((it) => it.message_type === 'assistant').map((it) => it.packets),
  time_created: iso(chat.time_created),
  time_updated: iso(chat.time_updated),
  shared_status: chat.shared_status,
  current_alternate_model: chat.overrides.model,
  current_temperature_override: chat.overrides.temperature,
  // Others need not learn whose address is behind it.
  owner_name: isOwner && chat.owner.includes('@') ? chat.owner : null,
  is_owner: isOwner,
  deleted: false,
  incognito: chat.incognito,
})

const MS = 1_000

function messageOf(stored: ShownMessage): z.infer<typeof ChatMessageDetail> {
  const isAnswer = stored.message_type === 'assistant'
  const documents = stored.documents.map((it, at) => ({ ...it, db_doc_id: at }))
  return {
    message_id: stored.id,
    chat_session_id: stored.chat_session_id,
    parent_message: stored.parent_id,
    latest_child_message: stored.latest_child_id,
    message: stored.message,
    message_type: stored.message_type,
    status: stored.status,
    error: stored.error,
    time_sent: iso(stored.time_sent),
    processing_duration_seconds: durationOf(stored),
    context_docs: isAnswer ? documents : null,
    citations: isAnswer ? citationsIn(stored, documents) : null,
    files: stored.files,
    current_feedback: feedbackOf(stored),
    feedback: stored.feedback && {
      is_positive: stored.feedback.is_positive,
      feedback_text: stored.feedback.feedback_text,
    },
    model_display_name: stored.model,
    token_count: isAnswer ? stored.output_tokens : null,
    input_token_count: isAnswer ? stored.input_tokens : null,
  }
}

const durationOf = ({ time_ended, time_sent, message_type }: ShownMessage): number | null =>
  time_ended === null || message_type === 'user' ? null : (time_ended - time_sent) / MS

function feedbackOf({ feedback }: ShownMessage): 'like' | 'dislike' | null {
  if (feedback === null || feedback.is_positive === null) return null
  return feedback.is_positive ? 'like' : 'dislike'
}

function citationsIn(
  { packets }: ShownMessage,
  documents: readonly z.infer<typeof SavedSearchDoc>[],
): Record<string, number> {
  const cited = packets.flatMap(({ obj }) => (obj.type === 'citation_info' ? [obj] : []))
  return Object.fromEntries(
    cited.flatMap(({ citation_number, document_id }) => {
      const document = documents.find((it) => it.document_id === document_id)
      return document === undefined ? [] : [[String(citation_number), document.db_doc_id]]
    }),
  )
}
