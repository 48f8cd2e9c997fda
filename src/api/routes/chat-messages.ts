// A question, its answer while it is written, and what can be done to it meanwhile.
import { z } from 'zod'
import type { Asking, Question } from '../../chat/talk.ts'
import { ChatFullResponse, MAX_MESSAGE } from '../../domain/chat.ts'
import { Packet } from '../../domain/packet.ts'
import {
  HOLDS_A_WORD,
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireEnum,
  wireInteger,
  wireNumber,
  wireObject,
  wireString,
} from '../../domain/wire.ts'
import { baseFilterFields, baseFiltersOf } from '../base-filters.ts'
import { LineStream, STREAM_TYPE } from '../line-stream.ts'
import { type Call, route } from '../route.ts'
import { chat, SessionId, SessionPath, sessionFields } from './chat-sessions.ts'

const AFTER_THE_LATEST = -1
const ORIGINS = ['webapp', 'chrome_extension', 'api', 'slackbot', 'widget', 'discordbot', 'mobile', 'unknown', 'unset']
const name = wireString({ max: 1_000, pattern: WITHOUT_NUL })

const LlmOverride = z
  .object({
    model_configuration_id: nullish(wireInteger()),
    model_provider: nullish(name),
    model_version: nullish(name),
    temperature: nullish(wireNumber({ min: 0, max: 2 })),
    display_name: nullish(name),
  })
  .meta({ id: 'LLMOverride' })

const FileDescriptor = z
  .object({
    id: name,
    type: wireEnum(['image', 'document', 'plain_text', 'tabular', 'csv', 'user_knowledge']),
    name: nullish(name),
    user_file_id: nullish(name),
  })
  .meta({ id: 'FileDescriptor' })

/** RFC 9110, 5.6.2 and 5.5. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const remoteHeaders = wireObject(wireString({ max: 10_000, pattern: FIELD_VALUE }), { max: 50 }).refine(
  (it) => Object.keys(it).every((key) => FIELD_NAME.test(key)),
  'a name of a header is none that HTTP knows',
)

const isUnset = (it: unknown) => it === null || it === false || (Array.isArray(it) && it.length === 0)

const SendMessageRequest = z
  .object({
    message: wireString({ min: 1, max: MAX_MESSAGE, pattern: HOLDS_A_WORD }),
    chat_session_id: nullish(SessionId).describe('Of a session that is there; else a new one is made.'),
    chat_session_info: nullish(z.object(sessionFields)).describe('How the new session is made.'),
    parent_message_id: wireInteger({ min: -1 })
      .nullable()
      .default(AFTER_THE_LATEST)
      .describe(
        '-1: after the latest message. Null: as the first one. An answer: after it. A question: answered again.',
      ),
    stream: nullish(wireBoolean()).describe('True if absent. False: the answer in one piece, when it is whole.'),
    file_descriptors: nullish(wireArray(FileDescriptor, { max: 100 })).describe(
      'Own files, from POST /user/file/upload.',
    ),
    internal_search_filters: nullish(z.object(baseFilterFields)),
    allowed_tool_ids: nullish(wireArray(wireInteger(), { max: 1_000 })).describe('Of the tools of the persona, these.'),
    forced_tool_id: nullish(wireInteger()).describe('The tool that a model has to use first.'),
    llm_override: nullish(LlmOverride),
    llm_overrides: nullish(wireArray(LlmOverride, { max: 3 })).refine(
      isUnset,
      'one model answers here: send `llm_override`, and ask again with another one to compare',
    ),
    include_citations: nullish(wireBoolean()).describe('True if absent.'),
    additional_context: nullish(wireString({ max: 200_000, pattern: WITHOUT_NUL })).describe(
      'What the answer may take into account beside the documents; it is data, as they are.',
    ),
    mcp_headers: nullish(remoteHeaders).describe('For remote tool servers of the persona.'),
    deep_research: nullish(wireBoolean()).refine(isUnset, 'there is no deep research here: leave it out'),
    mock_llm_response: nullish(z.string()).refine(isUnset, 'answers are not made up here: leave it out'),
    origin: nullish(wireEnum(ORIGINS)),
  })
  .refine(
    (it) => it.chat_session_id === null || it.chat_session_info === null,
    'send `chat_session_id` or `chat_session_info`, not both',
  )
  .meta({ id: 'SendMessageRequest' })
type SendMessageRequest = z.infer<typeof SendMessageRequest>

const StreamLine = z
  .union([
    z.object({ chat_session_id: z.string(), incognito: z.boolean() }).describe('First, where a session was made.'),
    z.object({ user_message_id: z.int(), reserved_assistant_message_id: z.int() }),
    Packet,
    z.object({
      error: z.string(),
      stack_trace: z.null(),
      error_code: z.string(),
      is_retryable: z.boolean(),
      details: z.null(),
    }),
  ])
  .meta({ id: 'ChatStreamLine' })

async function askingOf({ body, subject, services, authorization }: Call<unknown, unknown, SendMessageRequest>) {
  const { chat_session_id, chat_session_info: info, parent_message_id } = body
  const session: Asking['session'] =
    chat_session_id === null
      ? { persona_id: info?.persona_id ?? 0, name: info?.description || null, incognito: info?.incognito ?? false }
      : { id: chat_session_id }
  const filters = await baseFiltersOf(body.internal_search_filters, subject, services.db)
  const question = { ...plainFields(body), filters, authorization }
  return { session, parent_message_id, question, isShown: body.stream !== false } satisfies Asking
}

const plainFields = (body: SendMessageRequest): Omit<Question, 'filters' | 'authorization'> => ({
  message: body.message,
  files: (body.file_descriptors ?? []).map(({ id, user_file_id, type, name: title }) => ({
    id: user_file_id ?? id,
    type,
    name: title,
  })),
  allowed_tool_ids: body.allowed_tool_ids,
  forced_tool_id: body.forced_tool_id,
  override: overrideOf(body),
  temperature: body.llm_override?.temperature ?? null,
  include_citations: body.include_citations ?? true,
  additional_context: body.additional_context,
  remoteHeaders: body.mcp_headers ?? {},
})

/** Only a temperature is no choice of a model. */
function overrideOf({ llm_override: it }: SendMessageRequest): Question['override'] {
  if (it === null) return null
  const { model_configuration_id, model_provider, model_version } = it
  if (model_configuration_id === null && model_provider === null && model_version === null) return null
  return { model_configuration_id, model_provider, model_version }
}

const SEND = `Asks a question, in a new session or in one that is there. The answer comes as lines of JSON while it is
written, with the content type \`${STREAM_TYPE}\`: the session if one was made, the ids of question and answer, then
packets, \`stop\` as the last one. A client that sends exactly \`Accept: ${STREAM_TYPE}\` gets server-sent events
with the same JSON, whose ids are cursors for \`resume-stream\`. With \`stream: false\` the answer comes in one piece. What
goes wrong after the first line is a packet; without a language model, or when it fails, the answer quotes.`

const RESUME = `The lines of the answer that is being written, or was until a moment ago. \`cursor\`: how many packets of it
the client has already, heartbeats not counted; \`Last-Event-ID\` counts before it.`

type ResumeCall = Call<z.infer<typeof SessionPath>, { cursor: number | null }, unknown>

/** An address with a cursor may be asked again by a client of events, which says itself how far it has come since. */
const readOn = ({ subject, services, params, query, lastEventId, signal }: ResumeCall) => {
  const last = lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null
  return services.talk.resume(subject, params.chat_session_id, last ?? query.cursor ?? 0, signal)
}

export const chatMessageRoutes = [
  route({
    ...chat,
    method: 'POST',
    path: '/chat/send-chat-message',
    lane: 'chat',
    summary: 'Ask',
    description: SEND,
    body: SendMessageRequest,
    reply: ChatFullResponse,
    stream: StreamLine,
    errors: [
      'SESSION_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'PERSONA_NOT_FOUND',
      'TOOL_NOT_FOUND',
      'FILE_NOT_FOUND',
      'SESSION_BUSY',
      'STORE_FULL',
      'SHUTTING_DOWN',
    ],
    handle: async (call) => {
      const { subject, services, signal } = call
      const asking = await askingOf(call)
      const started = await services.talk.start(subject, asking)
      return asking.isShown ? new LineStream(started.read(signal)) : started.whole(signal)
    },
  }),
  route({
    ...chat,
    access: ['chat', 'read:chat'],
    method: 'GET',
    path: '/chat/chat-session/{chat_session_id}/resume-stream',
    lane: 'chat',
    summary: 'Read on',
    description: RESUME,
    params: SessionPath,
    query: z.object({ cursor: nullish(wireInteger({ min: 0 })) }),
    mediaType: STREAM_TYPE,
    reply: StreamLine,
    errors: ['SESSION_NOT_FOUND', 'NOTHING_ANSWERED'],
    handle: async (call) => new LineStream(await readOn(call)),
  }),
  route({
    ...chat,
    method: 'POST',
    path: '/chat/stop-chat-session/{chat_session_id}',
    summary: 'Stop the answer',
    description:
      'What was said so far is kept. It has ended when this is answered; where none is written nothing happens.',
    params: SessionPath,
    reply: z.object({ message: z.string() }).meta({ id: 'ChatStopped' }),
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ params, subject, services }) => {
      await services.talk.stop(subject, params.chat_session_id)
      return { message: 'Chat session stopped' }
    },
  }),
  route({
    ...chat,
    method: 'POST',
    path: '/chat/confirm-tool-call',
    summary: 'Confirm what a tool is about to do',
    description:
      'The answer to a packet `custom_tool_confirmation`. A tool that is not confirmed within five minutes does nothing.',
    body: z
      .object({ chat_session_id: SessionId, confirmation_id: name, approve: wireBoolean() })
      .meta({ id: 'ToolCallConfirmation' }),
    reply: z.null(),
    errors: ['SESSION_NOT_FOUND', 'CONFIRMATION_NOT_FOUND'],
    handle: async ({ body, subject, services }) => {
      await services.talk.decide(subject, body.chat_session_id, body.confirmation_id, body.approve)
      return null
    },
  }),
]
